"""Which tool a model may or must call."""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class ToolFunction:
    """The one tool that the model must call.

    Attributes:
        name: The name of the tool.
    """

    name: str


ToolChoice: TypeAlias = Literal["auto", "any", "none"] | ToolFunction
"""The model decides ("auto"), must call some tool ("any"), must call none ("none"), or this one."""
