"""Tools: what they are, how a model sees them, and how what it writes reaches them."""

from .choice import ToolChoice, ToolFunction
from .dialects import PROVIDERS, Rendition, rendition
from .tool import (
    OptionedTool,
    Tool,
    ToolCallModelInput,
    ToolCallViewer,
    ToolFactory,
    ToolResult,
    ToolSettings,
    ToolSource,
    tool,
    tool_with,
)
from .tool_def import ToolDef, tool_def
from .tool_info import ToolInfo, ToolParam, ToolParams

__all__ = [
    "PROVIDERS",
    "OptionedTool",
    "Rendition",
    "Tool",
    "ToolCallModelInput",
    "ToolCallViewer",
    "ToolChoice",
    "ToolDef",
    "ToolFactory",
    "ToolFunction",
    "ToolInfo",
    "ToolParam",
    "ToolParams",
    "ToolResult",
    "ToolSettings",
    "ToolSource",
    "rendition",
    "tool",
    "tool_def",
    "tool_with",
]
