"""What tests of agents, tools and backends use.

The conformance suite of sandboxes needs pytest and lives in a module of its own:
`wieldy.testing.sandbox_conformance`.
"""

from ..models.scripted import ScriptedCall, ScriptedModel, ScriptedTurn

__all__ = ["ScriptedCall", "ScriptedModel", "ScriptedTurn"]
