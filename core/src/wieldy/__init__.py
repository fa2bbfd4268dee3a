"""Wieldy: the hands of a language model.

A plain async function becomes a tool; a call that a model writes is found, validated, approved, run in a
sandbox and answered; and a ReAct loop turns that until an answer is submitted.

Each name is loaded when it is first used: `import wieldy` alone takes no longer than importing what it
depends on.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .agents import (
        Agent,
        AgentContinue,
        AgentPrompt,
        AgentState,
        AgentSubmit,
        agent,
        agent_with,
        react,
        run,
    )
    from .approval import Approval, ApprovalRequest, Approver
    from .config import use_environment
    from .exceptions import (
        ConfigError,
        LimitExceededError,
        ModelError,
        NameConflictError,
        NoSandboxError,
        PluginError,
        RunTerminatedError,
        SandboxError,
        SandboxUnavailable,
        ToolApprovalError,
        ToolDefinitionError,
        ToolError,
        ToolParsingError,
        UnknownNameError,
        WieldyError,
    )
    from .execution import ExecuteToolsResult, execute_tools
    from .limits import Limit, turn_limit
    from .messages import (
        ChatMessage,
        ChatMessageAssistant,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        Content,
        ContentImage,
        ContentReasoning,
        ContentText,
        MessageFilter,
        ToolCall,
        ToolCallContent,
        ToolCallError,
        ToolCallView,
    )
    from .models import GenerateConfig, Model, ModelOutput, ModelUsage, use_model
    from .plugins import PluginManager, hookimpl, use_plugins
    from .sandboxes import ExecResult, ExecTimeout, Sandbox, sandbox, use_sandbox
    from .tools import (
        Tool,
        ToolChoice,
        ToolDef,
        ToolFunction,
        ToolInfo,
        ToolParam,
        ToolParams,
        ToolResult,
        ToolSource,
        tool,
        tool_with,
    )

__all__ = [
    "Agent",
    "AgentContinue",
    "AgentPrompt",
    "AgentState",
    "AgentSubmit",
    "Approval",
    "ApprovalRequest",
    "Approver",
    "ChatMessage",
    "ChatMessageAssistant",
    "ChatMessageSystem",
    "ChatMessageTool",
    "ChatMessageUser",
    "ConfigError",
    "Content",
    "ContentImage",
    "ContentReasoning",
    "ContentText",
    "ExecResult",
    "ExecTimeout",
    "ExecuteToolsResult",
    "GenerateConfig",
    "Limit",
    "LimitExceededError",
    "MessageFilter",
    "Model",
    "ModelError",
    "ModelOutput",
    "ModelUsage",
    "NameConflictError",
    "NoSandboxError",
    "PluginError",
    "PluginManager",
    "RunTerminatedError",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Tool",
    "ToolApprovalError",
    "ToolCall",
    "ToolCallContent",
    "ToolCallError",
    "ToolCallView",
    "ToolChoice",
    "ToolDef",
    "ToolDefinitionError",
    "ToolError",
    "ToolFunction",
    "ToolInfo",
    "ToolParam",
    "ToolParams",
    "ToolParsingError",
    "ToolResult",
    "ToolSource",
    "UnknownNameError",
    "WieldyError",
    "__version__",
    "agent",
    "agent_with",
    "execute_tools",
    "hookimpl",
    "react",
    "run",
    "sandbox",
    "tool",
    "tool_with",
    "turn_limit",
    "use_environment",
    "use_model",
    "use_plugins",
    "use_sandbox",
]

_LAYERS = (
    "exceptions",
    "messages",
    "limits",
    "sandboxes",
    "tools",
    "models",
    "approval",
    "plugins",
    "execution",
    "agents",
    "config",
)
"""Where the public names live, from the bottom up: a layer loads only what is below it."""


def __getattr__(name: str) -> object:
    if name in __all__:
        for layer in _LAYERS:
            home = vars(import_module(f".{layer}", __name__))
            if name in home:
                globals()[name] = home[name]
                return home[name]
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
