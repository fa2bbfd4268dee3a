"""Execution: from the calls that a model wrote to the answers that it reads."""

from .call_tool import CallContext, call_tool
from .execute_tools import MAX_PARALLEL, ExecuteToolsResult, execute_tools, tool_defs
from .model_input import as_model_input
from .output import DEFAULT_MAX_OUTPUT

__all__ = [
    "DEFAULT_MAX_OUTPUT",
    "MAX_PARALLEL",
    "CallContext",
    "ExecuteToolsResult",
    "as_model_input",
    "call_tool",
    "execute_tools",
    "tool_defs",
]
