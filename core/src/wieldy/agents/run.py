"""Running an agent from outside."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, overload

import anyio.to_thread

from ..events import RunEnded, RunStarted, emit, listening, use_run
from ..exceptions import LimitExceededError, RunTerminatedError
from ..limits import Limit, use_limits
from ..messages import ChatMessage, ChatMessageUser
from ..plugins import PluginManager, current_plugins, use_plugins
from ..scope import open_scope
from .agent import Agent, AgentState, Ended, agent_name


@overload
async def run(
    agent: Agent,
    input: str | Sequence[ChatMessage] | AgentState,
    limits: None = None,
    **arguments: Any,
) -> AgentState: ...
@overload
async def run(
    agent: Agent,
    input: str | Sequence[ChatMessage] | AgentState,
    limits: Sequence[Limit],
    **arguments: Any,
) -> tuple[AgentState, LimitExceededError | None]: ...
async def run(
    agent: Agent,
    input: str | Sequence[ChatMessage] | AgentState,  # noqa: A002 - the field's name for it
    limits: Sequence[Limit] | None = None,
    **arguments: Any,
) -> AgentState | tuple[AgentState, LimitExceededError | None]:
    """Runs an agent to its end.

    What tools keep for the run is closed at the end, however it ends. Where no plugins are loaded yet, the
    installed ones are, for this run: their approvers and other hooks apply, and names can be used.

    Args:
        agent: The agent.
        input: What it starts from: what the user says, a conversation, or a state. It is copied.
        limits: What the run may use.
        arguments: Further arguments of the agent.

    Returns:
        The agent's state; where limits are given (an empty list too), the state and the limit that
        ended the run, or None.

    Raises:
        LimitExceededError: A limit that was set outside of this run was reached.
        Exception: What a tool or the model raised, where no model can be told of it.
    """
    state = _state(input)
    reached: LimitExceededError | None = None
    async with _plugins_for_run(), open_scope():
        with use_run() as parent, use_limits(limits or ()) as scope:
            try:
                state = await _told(agent, state, arguments, parent)
            except LimitExceededError as error:
                if limits is None or error.source is not scope:
                    raise
                reached = error
    return state if limits is None else (state, reached)


async def _told(
    agent: Agent, state: AgentState, arguments: dict[str, Any], parent: str
) -> AgentState:
    """Runs the agent, and tells of its beginning and its end, whatever that is."""
    name = agent_name(agent)
    plugins = current_plugins()
    if listening():
        versions = plugins.versions() if plugins else {}
        messages = list(state.messages)
        emit(RunStarted(agent=name, parent=parent, input=messages, plugins=versions))
    start = time.perf_counter()
    try:
        state = await _ended(agent, state, arguments, inside=bool(parent))
    finally:
        if listening():
            ended = state.ended or Ended("stopped")
            emit(
                RunEnded(
                    agent=name,
                    reason=ended.reason,
                    detail=ended.detail,
                    completion=state.output.completion,
                    seconds=time.perf_counter() - start,
                )
            )
    return state


async def _ended(
    agent: Agent, state: AgentState, arguments: dict[str, Any], *, inside: bool
) -> AgentState:
    """Runs the agent, and keeps in the state why it ended."""
    try:
        return await agent(state, **arguments)
    except LimitExceededError as error:
        state.ended = Ended("limit", str(error))
        raise
    except RunTerminatedError as error:
        state.ended = Ended("terminated", str(error))
        if inside:  # the whole run is to end, not only this part of it
            raise
        return state
    except anyio.get_cancelled_exc_class():
        state.ended = Ended("cancelled")
        raise
    except Exception as error:
        state.ended = Ended("error", f"{type(error).__name__}: {error}")
        raise


def _state(given: str | Sequence[ChatMessage] | AgentState) -> AgentState:
    if isinstance(given, str):
        return AgentState(messages=[ChatMessageUser(content=given)])
    if isinstance(given, AgentState):
        return AgentState(messages=list(given.messages), output=given.output)
    return AgentState(messages=list(given))


@asynccontextmanager
async def _plugins_for_run() -> AsyncIterator[None]:
    if current_plugins() is not None:
        yield
        return
    plugins = await anyio.to_thread.run_sync(PluginManager.load)
    with use_plugins(plugins):
        yield
