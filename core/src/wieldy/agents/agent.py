"""What an agent is, and the decorator that names one."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, overload, runtime_checkable

from ..messages import ChatMessage
from ..models import ModelOutput

P = ParamSpec("P")

EndReason: TypeAlias = Literal[
    "submitted",
    "no_tool_call",
    "stopped",
    "limit",
    "model_length",
    "content_filter",
    "terminated",
    "cancelled",
    "error",
]
"""Why a run ended: an answer was submitted; the model called no tool (where there is no submit tool);
`on_continue` said so; a limit was reached; the conversation is longer than the model's window; the model
refused; an approver ended it; it was cancelled; it failed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Why an agent is done.

    Attributes:
        reason: The reason.
        detail: What there is to say of it: which limit, whose explanation.
    """

    reason: EndReason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


@dataclass(slots=True, kw_only=True)
class AgentState:
    """What an agent works on. It is changed in place while the agent runs.

    Attributes:
        messages: The conversation: the record of all that was said.
        output: The model's last answer; `output.completion` is the agent's answer.
        ended: Why the agent is done; None while it is not.
    """

    messages: list[ChatMessage] = field(default_factory=list)
    output: ModelOutput = field(default_factory=ModelOutput)
    ended: Ended | None = None


@runtime_checkable
class Agent(Protocol):
    """An async function from a state to a state; it may take further arguments."""

    async def __call__(self, state: AgentState, *args: Any, **kwargs: Any) -> AgentState:
        """Works on the state, and returns it (or another one)."""
        ...


class NamedAgent:
    """An agent together with its name and description. It is called like the function in it.

    Attributes:
        name: What it is called in logs, and in the tools that other agents call it by.
        description: What it is good for, for the model of another agent.
    """

    def __init__(self, function: Agent, name: str, description: str = "") -> None:
        self.__wrapped__ = function
        self.name = name
        self.description = description

    async def __call__(self, state: AgentState, *args: Any, **kwargs: Any) -> AgentState:
        """Runs the agent; see `Agent`."""
        return await self.__wrapped__(state, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


@overload
def agent(factory: Callable[P, Agent], /) -> Callable[P, NamedAgent]: ...
@overload
def agent(
    *, name: str | None = None, description: str | None = None
) -> Callable[[Callable[P, Agent]], Callable[P, NamedAgent]]: ...
def agent(
    factory: Callable[..., Agent] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
) -> Any:
    """Names the agents that a function makes.

        @agent(description="Finds facts on the web.")
        def researcher() -> Agent:
            async def execute(state: AgentState) -> AgentState:
                ...
                return state

            return execute

    Args:
        factory: The function; given by Python when the decorator is used without arguments.
        name: The name of its agents; the function's own by default.
        description: What they are good for; the first line of the function's docstring by default.
    """

    def decorate(factory: Callable[..., Agent]) -> Callable[..., NamedAgent]:
        summary = (factory.__doc__ or "").strip().partition("\n")[0]

        @functools.wraps(factory)
        def make(*args: Any, **kwargs: Any) -> NamedAgent:
            made = factory(*args, **kwargs)
            function = made.__wrapped__ if isinstance(made, NamedAgent) else made
            return NamedAgent(
                function,
                name or factory.__name__,
                description or summary or str(getattr(made, "description", "")),
            )

        return make

    return decorate if factory is None else decorate(factory)


def agent_with(
    agent: Agent, *, name: str | None = None, description: str | None = None
) -> NamedAgent:
    """Returns the same agent with another name or description; the one given stays as it is."""
    function = agent.__wrapped__ if isinstance(agent, NamedAgent) else agent
    return NamedAgent(
        function,
        name or agent_name(agent),
        str(getattr(agent, "description", "")) if description is None else description,
    )


def agent_name(agent: Agent) -> str:
    """Returns what an agent is called: its name, else that of its function."""
    if isinstance(agent, NamedAgent):
        return agent.name
    return str(getattr(agent, "__name__", type(agent).__name__))
