"""The ReAct loop: the model speaks, its calls are answered, until an answer is submitted."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import anyio.to_thread

from ..events import ModelAnswered, ModelRequested, emit, listening
from ..exceptions import ConfigError, LimitExceededError, PluginError
from ..execution import as_model_input, execute_tools, tool_defs
from ..limits import Limit, take_turn, turn_limit, use_limits
from ..messages import ChatMessage, ChatMessageSystem, ChatMessageUser
from ..models import Model, ModelOutput, current_model
from ..plugins import PluginManager, current_plugins
from ..tools import Tool, ToolDef, ToolSource, tool_def
from .agent import Agent, AgentState, Ended, NamedAgent
from .prompts import (
    CONTINUE_PROMPT,
    CONTINUE_PROMPT_NO_SUBMIT,
    AgentPrompt,
    filled,
    system_text,
)
from .submit import AgentSubmit, completed, submitted, without_submission

DEFAULT_TURNS = 200
"""How many turns a loop may take unless told otherwise."""

AgentContinue: TypeAlias = Callable[[AgentState], Awaitable[bool | str | AgentState]]
"""Decides after each turn whether to go on: True, False, a text to go on with, or another state."""


def react(
    *,
    name: str | None = None,
    description: str | None = None,
    prompt: str | AgentPrompt | None = AgentPrompt(),  # noqa: B008 - frozen
    tools: Sequence[str | Tool | ToolDef | ToolSource] = (),
    model: str | Model | Agent | None = None,
    submit: AgentSubmit | bool = True,
    on_continue: str | AgentContinue | None = None,
    limits: Sequence[Limit] = (),
) -> NamedAgent:
    """Makes an agent that lets a model call tools until it submits an answer.

    Args:
        name: The name of the agent.
        description: What it is good for, for the model of another agent.
        prompt: The system message: its instructions as a text, or its parts; None for none.
        tools: The tools: from `@tool`, bare functions, definitions, sources of tools that come and go, or
            the names of installed ones.
        model: The model: an object, a name like "anthropic/claude-...", or an agent that takes `tools`;
            None for the current one (`use_model`).
        submit: The submit tool; True for the default one. With False there is none, and the agent ends
            when the model calls no tool.
        on_continue: What to do after a turn without a submission. A text is said to the model when it
            called no tool; None stands for a default text. An async function is asked every turn and
            returns True (go on), False (stop), a text to say, or another state to go on from. `{submit}`
            stands for the name of the submit tool.
        limits: Limits of this agent, each time that it runs; where none is of turns, 200 turns.

    Raises:
        ConfigError: The arguments do not go together.
    """
    if isinstance(on_continue, str) and submit is False:
        msg = "a text for on_continue needs a submit tool: without one the agent ends when no tool is called"
        raise ConfigError(msg)
    if isinstance(tools, str):
        msg = f"tools is a list of tools or of their names, not one text: [{tools!r}]"
        raise ConfigError(msg)
    chosen = AgentSubmit() if submit is True else submit or None
    variant = _Variant(
        prompt=prompt,
        tools=tuple(_defined(each) for each in tools),
        model=model,
        submit=chosen,
        submit_tool=chosen.definition() if chosen else None,
        on_continue=on_continue,
        limits=_with_default(limits),
    )

    async def execute(state: AgentState) -> AgentState:
        return await _Loop(variant, state, await _resolved_model(variant.model)).run()

    return NamedAgent(execute, name or "react", description or "")


@dataclass(frozen=True, slots=True)
class _Variant:
    """All that makes one react agent different from another."""

    prompt: str | AgentPrompt | None
    tools: tuple[str | ToolDef | ToolSource, ...]
    model: str | Model | Agent | None
    submit: AgentSubmit | None
    submit_tool: ToolDef | None
    on_continue: str | AgentContinue | None
    limits: tuple[Limit, ...]


class _Loop:
    """One run of a react agent."""

    def __init__(self, variant: _Variant, state: AgentState, model: Model | Agent) -> None:
        self._variant = variant
        self._state = state
        self._model = model
        self._submit = variant.submit
        self._submit_name = variant.submit_tool.name if variant.submit_tool else None
        self._tools = [_resolved_tool(each) for each in variant.tools]
        if variant.submit_tool:
            self._tools.append(variant.submit_tool)
        self._turn = 0

    async def run(self) -> AgentState:
        state = self._state
        state.ended = None
        self._say_what_it_is_for()
        with use_limits(self._variant.limits) as limits:
            while state.ended is None:
                try:
                    await self._take_turn()
                except LimitExceededError as error:
                    if error.source is not limits:
                        raise
                    state.ended = Ended("limit", str(error))
        return state

    async def _take_turn(self) -> None:
        tools = await tool_defs(self._tools)
        output = await self._generate(tools)
        if self._failed(output):
            return
        state = self._state
        start = len(state.messages)
        state.output = output
        state.messages.append(output.message)
        answers: list[ChatMessage] = []
        try:
            await execute_tools(state.messages, list(tools.values()), record=answers)
        finally:
            state.messages.extend(answers)
        if not self._submitted(start, answers):
            await self._continue()

    # -- the steps of a turn ----------------------------------------------------------------------

    async def _generate(self, tools: dict[str, ToolDef]) -> ModelOutput:
        take_turn()
        self._turn += 1
        messages = self._state.messages
        name = self._model_name
        if not listening():
            return await self._ask(tools)
        emit(ModelRequested(model=name, turn=self._turn, messages=len(messages), tools=list(tools)))
        start = time.perf_counter()
        output = await self._ask(tools)
        usage = output.usage
        emit(
            ModelAnswered(
                model=output.model or name,
                turn=self._turn,
                message=output.message,
                stop_reason=output.stop_reason,
                input_tokens=usage.total_tokens - usage.output_tokens,
                output_tokens=usage.output_tokens,
                seconds=time.perf_counter() - start,
            )
        )
        return output

    async def _ask(self, tools: dict[str, ToolDef]) -> ModelOutput:
        model = self._model
        messages = as_model_input(self._state.messages, tools)
        if isinstance(model, Model):
            return await model.generate(messages, [each.info for each in tools.values()])
        state = await model(AgentState(messages=list(messages)), tools=list(tools.values()))
        return state.output

    @property
    def _model_name(self) -> str:
        return getattr(self._model, "name", "") or getattr(self._model, "__name__", "agent")

    def _failed(self, output: ModelOutput) -> bool:
        """Ends the run where the model gave no answer to go on from; that turn is not kept."""
        if output.stop_reason == "model_length":
            self._state.ended = Ended(
                "model_length", "the conversation is longer than the model's window"
            )
        elif output.stop_reason == "content_filter":
            self._state.ended = Ended("content_filter", output.completion or "the model refused")
        return self._state.ended is not None

    def _submitted(self, start: int, answers: list[ChatMessage]) -> bool:
        """Takes the answer where the turn, whose messages begin at `start`, submitted one."""
        state = self._state
        if self._submit is None or self._submit_name is None:
            return False
        answer = submitted(answers, self._submit_name)
        if answer is None:
            return False
        state.output = completed(state.output, answer, self._submit)
        message = state.output.message
        kept = [message, *answers]
        if not self._submit.keep_in_messages:
            kept = without_submission(message, answers, self._submit_name)
        state.messages[start:] = kept
        state.ended = Ended("submitted")
        return True

    async def _continue(self) -> None:
        """Decides whether to go on, and with what words."""
        state = self._state
        on_continue = self._variant.on_continue
        called = bool(state.output.message.tool_calls)
        decision: bool | str | AgentState = True
        if isinstance(on_continue, str):
            decision = True if called else on_continue
        elif on_continue is not None:
            decision = await on_continue(state)
        elif self._submit is None and not called:
            state.ended = Ended("no_tool_call")
            return
        self._go_on(decision, called=called)

    def _go_on(self, decision: bool | str | AgentState, *, called: bool) -> None:  # noqa: FBT001
        state = self._state
        if isinstance(decision, AgentState):
            state.messages[:] = decision.messages
            state.output = decision.output
        elif isinstance(decision, str):
            self._nudge(decision)
        elif not decision:
            state.ended = Ended("stopped", "on_continue said so")
        elif not called:
            self._nudge(CONTINUE_PROMPT if self._submit else CONTINUE_PROMPT_NO_SUBMIT)

    def _nudge(self, text: str) -> None:
        text = filled(text, self._submit_name)
        self._state.messages.append(ChatMessageUser(content=text, source="wieldy"))

    def _say_what_it_is_for(self) -> None:
        text = system_text(self._variant.prompt, self._submit_name)
        system = ChatMessageSystem(content=text)
        if text and system not in self._state.messages[:1]:
            self._state.messages.insert(0, system)


def _with_default(limits: Sequence[Limit]) -> tuple[Limit, ...]:
    turns = any(limit.kind == "turns" for limit in limits)
    return tuple(limits) if turns else (turn_limit(DEFAULT_TURNS), *limits)


async def _resolved_model(model: str | Model | Agent | None) -> Model | Agent:
    if model is None:
        return current_model()
    if not isinstance(model, str):
        return model
    # A provider may read files: keys, a script.
    return await anyio.to_thread.run_sync(_plugins("model", model).model, model)


def _defined(tool: str | Tool | ToolDef | ToolSource) -> str | ToolDef | ToolSource:
    return tool if isinstance(tool, str | ToolDef | ToolSource) else tool_def(tool)


def _resolved_tool(tool: str | ToolDef | ToolSource) -> ToolDef | ToolSource:
    return tool_def(_plugins("tool", tool).tool(tool)) if isinstance(tool, str) else tool


def _plugins(kind: str, name: str) -> PluginManager:
    plugins = current_plugins()
    if plugins is None:
        msg = (
            f"the {kind} {name!r} cannot be looked up: no plugins are loaded here. Use `run(agent, ...)`, or "
            "`with use_plugins(PluginManager.load()):` around this"
        )
        raise PluginError(msg)
    return plugins
