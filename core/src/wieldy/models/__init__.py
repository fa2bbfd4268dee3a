"""Models: what they are asked and what they answer."""

from .current import current_model, use_model
from .model import (
    GenerateConfig,
    Model,
    ModelOutput,
    ModelProvider,
    ModelUsage,
    StopReason,
)
from .scripted import ScriptedCall, ScriptedModel, ScriptedTurn, scripted_model

__all__ = [
    "GenerateConfig",
    "Model",
    "ModelOutput",
    "ModelProvider",
    "ModelUsage",
    "ScriptedCall",
    "ScriptedModel",
    "ScriptedTurn",
    "StopReason",
    "current_model",
    "scripted_model",
    "use_model",
]
