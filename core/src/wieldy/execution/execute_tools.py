"""All tool calls of one turn: in stages, each answered exactly once, in the model's order."""

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import anyio

from ..exceptions import RunTerminatedError, ToolDefinitionError
from ..messages import ChatMessage, ChatMessageAssistant, ChatMessageTool, ToolCall
from ..models import ModelOutput
from ..tools import OptionedTool, Tool, ToolDef, ToolSource, tool_def
from .call_tool import CallContext, call_tool, not_run

MAX_PARALLEL = 16
"""How many calls of one stage run at the same time unless told otherwise."""


class ExecuteToolsResult(NamedTuple):
    """What the calls of a turn came to.

    Attributes:
        messages: The answers, one for each call, in the order in which the model wrote them.
        output: The output of an agent that a call handed the conversation to; None where none did.
    """

    messages: list[ChatMessage]
    output: ModelOutput | None = None


async def tool_defs(tools: Sequence[Tool | ToolDef | ToolSource]) -> dict[str, ToolDef]:
    """Returns tools in their normal form by name; sources are asked for what they have now.

    Raises:
        ToolDefinitionError: Two tools have the same name.
    """
    found: dict[str, ToolDef] = {}
    for each in tools:
        for definition in [each] if isinstance(each, ToolDef) else await _definitions(each):
            if definition.name in found:
                msg = f"two tools are named {definition.name!r}: rename one with tool_with(..., name=)"
                raise ToolDefinitionError(msg)
            found[definition.name] = definition
    return found


async def _definitions(tool: Tool | ToolDef | ToolSource) -> list[ToolDef]:
    # The check for a source is slow, and most tools are known without it.
    if not isinstance(tool, ToolDef | OptionedTool) and isinstance(tool, ToolSource):
        return [tool_def(each) for each in await tool.tools()]
    return [tool_def(tool)]


async def execute_tools(
    messages: Sequence[ChatMessage],
    tools: Sequence[Tool | ToolDef | ToolSource],
    max_output: int | None = None,
    *,
    max_parallel: int = MAX_PARALLEL,
    record: list[ChatMessage] | None = None,
) -> ExecuteToolsResult:
    """Answers the tool calls of the last message.

    Consecutive calls of parallel tools run together, every other call alone.

    Args:
        messages: A conversation that ends with an assistant message; without calls, nothing is done.
        tools: The tools that exist.
        max_output: How many bytes of a result the model sees; None for 16 KiB; 0 for all.
        max_parallel: How many calls run at the same time.
        record: A list to which the answers are added, also where an exception ends the turn: then what
            was answered is kept, and every other call is answered as not run.

    Returns:
        The answers.

    Raises:
        ToolDefinitionError: Two tools have the same name, or one cannot be offered to a model.
        RunTerminatedError: An approver ended the run.
        Exception: What a tool raised, where it is nothing that a model should be told of. The other
            calls of its stage are cancelled and later ones not started.
    """
    if max_output is not None and max_output < 0:
        msg = f"max_output must be 0 bytes or more, got {max_output}"
        raise ValueError(msg)
    if max_parallel < 1:
        msg = f"max_parallel must be 1 or more, got {max_parallel}"
        raise ValueError(msg)
    last = messages[-1] if messages else None
    if not isinstance(last, ChatMessageAssistant) or not last.tool_calls:
        return ExecuteToolsResult([])
    turn = _Turn(last.tool_calls, max_parallel)
    try:
        context = CallContext(await tool_defs(tools), messages, max_output)
        for stage in _stages(last.tool_calls, context):
            await turn.run(stage, context)
    finally:
        answers: list[ChatMessage] = list(turn.answers())
        if record is not None:
            record.extend(answers)
    return ExecuteToolsResult(answers)


class _Turn:
    """The calls of one turn and the answers so far; calls are known by their place."""

    def __init__(self, calls: Sequence[ToolCall], max_parallel: int) -> None:
        self._calls = calls
        self._max_parallel = max_parallel
        self._started: dict[int, float] = {}
        self._answers: dict[int, ChatMessageTool] = {}

    async def run(self, stage: Sequence[int], context: CallContext) -> None:
        """Runs the calls of one stage, by a bounded number of workers."""
        queue = iter(stage)
        if len(stage) == 1:
            await self._work(queue, context)
            return
        failures: list[BaseException] = []
        async with anyio.create_task_group() as workers:
            for _ in range(min(len(stage), self._max_parallel)):
                workers.start_soon(
                    self._work_until_failure, queue, context, failures, workers.cancel_scope
                )
        if failures:
            raise failures[0]

    async def _work_until_failure(
        self,
        queue: Iterator[int],
        context: CallContext,
        failures: list[BaseException],
        siblings: anyio.CancelScope,
    ) -> None:
        try:
            await self._work(queue, context)
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised again, when the siblings have ended
            failures.append(error)
            siblings.cancel()

    async def _work(self, queue: Iterator[int], context: CallContext) -> None:
        for place in queue:
            self._started[place] = time.perf_counter()
            call = self._calls[place]
            try:
                self._answers[place] = await call_tool(call, context)
            except RunTerminatedError as error:
                self._answers[place] = not_run(call, str(error), "approval")
                raise

    def answers(self) -> Iterator[ChatMessageTool]:
        """Returns an answer for every call; those that have none are told why."""
        for place, call in enumerate(self._calls):
            if place in self._answers:
                yield self._answers[place]
            elif place in self._started:
                seconds = time.perf_counter() - self._started[place]
                reason = "interrupted: the run was stopped while this call was running"
                yield not_run(call, reason, seconds=seconds)
            else:
                yield not_run(call, "not run: the run was stopped before")


def _stages(calls: Sequence[ToolCall], context: CallContext) -> Iterator[list[int]]:
    """Groups calls by place: neighbours that may run together, or one alone."""
    stage: list[int] = []
    for place, call in enumerate(calls):
        tool = context.tools.get(call.function)
        if tool is not None and tool.parallel:
            stage.append(place)
            continue
        if stage:
            yield stage
        yield [place]
        stage = []
    if stage:
        yield stage
