"""What happens in a run, as typed values, and who is told.

An event is made only where someone listens: `emit` asks the current sinks. The plugin manager installs
one that calls every `wieldy_event` hook.
"""

import logging
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from .messages import ChatMessage, ChatMessageAssistant, ChatMessageTool, ToolCall, ToolCallView
from .secrets import masked_values, masks

logger = logging.getLogger(__name__)

_run: ContextVar[str] = ContextVar("wieldy_run", default="")


def current_run() -> str:
    """Returns the identifier of the run that is going on; empty outside of one."""
    return _run.get()


class BaseEvent(BaseModel):
    """What all events have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time: float = Field(default_factory=time.time)
    """When it happened, in seconds since 1970."""
    run: str = Field(default_factory=current_run)
    """The run in which it happened; empty outside of one. Runs may go on inside of runs, and side by side."""


class RunStarted(BaseEvent):
    """A run begins."""

    type: Literal["run_started"] = "run_started"
    agent: str
    """The name of the agent."""
    parent: str = ""
    """The run inside of which it goes on; empty for none."""
    input: list[ChatMessage]
    """The conversation that it starts from."""
    plugins: dict[str, str] = {}
    """The plugins that are active: the version of each distribution."""


class ModelRequested(BaseEvent):
    """A model is asked."""

    type: Literal["model_requested"] = "model_requested"
    model: str
    """The name of the model."""
    turn: int
    """The number of the turn, from 1."""
    messages: int
    """How many messages it is given."""
    tools: list[str]
    """The names of the tools that it is offered."""


class ModelAnswered(BaseEvent):
    """A model has answered."""

    type: Literal["model_answered"] = "model_answered"
    model: str
    """The name of the model."""
    turn: int
    """The number of the turn, from 1."""
    message: ChatMessageAssistant
    """What it said."""
    stop_reason: str
    """Why it stopped."""
    input_tokens: int
    """The tokens that it read, cached ones included."""
    output_tokens: int
    """The tokens that it wrote."""
    seconds: float
    """How long it took."""


class ToolCalled(BaseEvent):
    """A call is about to run."""

    type: Literal["tool_called"] = "tool_called"
    call: ToolCall
    """The call, with the arguments that run."""
    view: ToolCallView | None = None
    """How the tool shows it to people."""


class ToolAnswered(BaseEvent):
    """A call is answered, whether it ran or not."""

    type: Literal["tool_answered"] = "tool_answered"
    call: ToolCall
    """The call, as the model wrote it."""
    message: ChatMessageTool
    """What the model reads."""
    bytes: int
    """The size of the whole result, before it was cut."""
    seconds: float
    """How long it took."""


class ApprovalDecided(BaseEvent):
    """An approver has decided on a call."""

    type: Literal["approval_decided"] = "approval_decided"
    call: ToolCall
    """The call that it was asked about."""
    decision: str
    """What it decided."""
    approver: str
    """Who decided."""
    explanation: str | None = None
    """Why."""
    modified: ToolCall | None = None
    """The call that is to run instead."""


class RunEnded(BaseEvent):
    """A run is over."""

    type: Literal["run_ended"] = "run_ended"
    agent: str
    """The name of the agent."""
    reason: str
    """Why it ended: "submitted", "no_tool_call", "limit", "terminated", "cancelled", "error", ..."""
    detail: str = ""
    """What there is to say of the reason."""
    completion: str = ""
    """The answer."""
    seconds: float
    """How long the run took."""


Event: TypeAlias = Annotated[
    RunStarted
    | ModelRequested
    | ModelAnswered
    | ToolCalled
    | ToolAnswered
    | ApprovalDecided
    | RunEnded,
    Field(discriminator="type"),
]
"""Any event; `TypeAdapter(Event).validate_json(line)` reads one line of a log."""

EventSink: TypeAlias = Callable[[Any], None]
"""A function that is told of each event, at once; it must not block."""

_sinks: ContextVar[tuple[EventSink, ...]] = ContextVar("wieldy_event_sinks", default=())


_STRUCTURE = frozenset(
    {
        *("type", "role", "format", "decision", "reason", "stop_reason", "id", "tool_call_id"),
        *("run", "parent", "model", "agent", "approver", "function", "plugins", "signature"),
    }
)
"""The fields that say what an event is; all others may hold what somebody wrote."""

M = TypeVar("M", bound=BaseModel)


def _masked(value: M) -> M:
    """Returns an event, or a part of it, with every text in it masked."""
    update = {
        name: _masked_field(getattr(value, name))
        for name in type(value).model_fields
        if name not in _STRUCTURE
    }
    if update.get("raw") is not None and update["arguments"] != getattr(value, "arguments", None):
        update["raw"] = None  # a text may spell a secret in escapes that are not found
    return value.model_copy(update=update)


def _masked_field(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _masked(value)
    if isinstance(value, list):
        return [_masked_field(each) for each in value]
    return masked_values(value)


def listening() -> bool:
    """Tells whether anyone wants events; where not, none needs to be made."""
    return bool(_sinks.get())


def emit(event: Event) -> None:
    """Tells every sink of an event, secrets masked."""
    sinks = _sinks.get()
    if sinks and masks():
        event = _masked(event)
    for sink in sinks:
        try:
            sink(event)
        except Exception:
            logger.exception("a sink of events failed")


@contextmanager
def use_events(sink: EventSink | None, *, in_place_of: EventSink | None = None) -> Iterator[None]:
    """Tells one more function of the events of a block of code.

    Args:
        sink: The function; it must not block, and an error in it is logged. None for no more than before.
        in_place_of: A function that is not told any more.
    """
    others = tuple(each for each in _sinks.get() if each != in_place_of)
    token = _sinks.set((*others, sink) if sink else others)
    try:
        yield
    finally:
        _sinks.reset(token)


@contextmanager
def use_run() -> Iterator[str]:
    """Gives the events of a block of code the identifier of a new run; gives the run around it, or ""."""
    outer = _run.get()
    token = _run.set(secrets.token_hex(6))
    try:
        yield outer
    finally:
        _run.reset(token)
