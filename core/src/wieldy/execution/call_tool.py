"""One tool call: found, read, approved, run, answered."""

import asyncio
import json
import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio

from ..approval import Approval, ApprovalRequest
from ..events import ApprovalDecided, ToolAnswered, ToolCalled, emit, listening
from ..exceptions import (
    RunTerminatedError,
    ToolApprovalError,
    ToolError,
    ToolParsingError,
    nearest,
)
from ..messages import (
    ChatMessage,
    ChatMessageTool,
    Content,
    ToolCall,
    ToolCallError,
    ToolCallErrorType,
)
from ..plugins import current_plugins
from ..secrets import masked
from ..tools import ToolDef
from .failures import failure
from .output import (
    Rendered,
    masked_content,
    output_limit,
    render,
    shortened,
    valid_text,
)

logger = logging.getLogger(__name__)

_MAX_MODIFICATIONS = 8
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a call needs to know of the turn that it belongs to.

    Attributes:
        tools: The tools that exist, by name.
        messages: The conversation, which ends with the message that made the calls.
        max_output: The caller's limit on a result in bytes; None for the default.
    """

    tools: Mapping[str, ToolDef]
    messages: Sequence[ChatMessage] = ()
    max_output: int | None = None


async def call_tool(call: ToolCall, context: CallContext) -> ChatMessageTool:
    """Answers one call, whatever the model wrote.

    Args:
        call: The call.
        context: What it needs to know of its turn.

    Returns:
        The answer: the result, or the error that the model should read.

    Raises:
        RunTerminatedError: An approver ended the run.
        Exception: What the tool raised, where it is nothing that a model should be told of; a note says
            which tool and call it was.
    """
    start = time.perf_counter()
    try:
        rendered = await _run(call, context)
        answer = _answer(call, rendered.content)
    except Exception as error:
        told = failure(error, call)
        if told is None:
            error.add_note(f"in tool {call.function!r}, call {call.id!r}")
            raise
        tool = context.tools.get(call.function)
        limit = output_limit(tool.max_output if tool else None, context.max_output)
        message = masked(valid_text(told.message))
        rendered = Rendered.whole(message, limit) or await shortened(call, message, limit)
        answer = _answer(call, "", ToolCallError(type=told.type, message=str(rendered.content)))
    if listening():
        seconds = time.perf_counter() - start
        emit(ToolAnswered(call=call, message=answer, bytes=rendered.size, seconds=seconds))
    return answer


async def _run(call: ToolCall, context: CallContext) -> Rendered:
    tool = _found(call, context.tools)
    arguments, keywords = tool.read(_parsed(call, tool))
    plugins = current_plugins()
    approves = plugins is not None and plugins.approves
    if approves or listening():  # who looks at the call sees it as it will run
        call = call.model_copy(update={"arguments": arguments, "parse_error": None})
    if approves:
        call, keywords = await _approved(call, tool, keywords, context)
    if listening():
        emit(ToolCalled(call=call, view=tool.view(call)))
    content = masked_content(render(await _result(tool, keywords)))
    limit = output_limit(tool.max_output, context.max_output)
    return Rendered.whole(content, limit) or await shortened(call, content, limit)


def _found(call: ToolCall, tools: Mapping[str, ToolDef]) -> ToolDef:
    tool = tools.get(call.function)
    if tool is not None:
        return tool
    name = (
        call.function
        if len(call.function) <= _LONGEST_NAME
        else f"{call.function[:_LONGEST_NAME]}..."
    )
    near = nearest(name, tools)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    msg = f"there is no tool {name!r}{meant}; the tools are {', '.join(tools) or 'none'}"
    raise ToolParsingError(msg)


def _parsed(call: ToolCall, tool: ToolDef) -> dict[str, object]:
    if call.parse_error is not None:
        raise ToolParsingError(call.parse_error)
    # The model's own text decides where there is one: arguments may be a provider's guess.
    if call.raw or (call.raw is not None and not call.arguments):
        return tool.parse(call.raw)
    _refuse_no_json(call.arguments)
    return call.arguments


def _refuse_no_json(arguments: dict[str, object]) -> None:
    try:
        json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, TypeError, RecursionError) as error:  # of Unicode, too
        msg = f"the arguments are not valid JSON: {error}"
        raise ToolParsingError(msg) from error


async def _approved(
    call: ToolCall, tool: ToolDef, keywords: dict[str, object], context: CallContext
) -> tuple[ToolCall, dict[str, object]]:
    """Returns the call as it may run, and its keywords: those approved, or modified ones that all approve."""
    for _ in range(_MAX_MODIFICATIONS):
        approval, approver = await _decided(call, tool, context)
        if approval.decision == "terminate":
            raise RunTerminatedError(approval.explanation or f"{approver} ended the run")
        if approval.decision == "reject":
            raise ToolApprovalError(approval.explanation or f"{approver} rejected the call")
        if approval.decision != "modify":
            return call, keywords
        modified, keywords = _modified(call, tool, approval, approver)
        if modified.arguments == call.arguments:
            return call, keywords
        call = modified  # every approver is asked again: what runs is what all of them saw
    msg = f"the approvers do not agree: the call was modified {_MAX_MODIFICATIONS} times, so it was not run"
    raise ToolApprovalError(msg)


async def _decided(call: ToolCall, tool: ToolDef, context: CallContext) -> tuple[Approval, str]:
    message = context.messages[-1].text if context.messages else ""
    request = ApprovalRequest(call, tool.view(call), message, context.messages[:-1])
    plugins = current_plugins()
    decided = await plugins.approve(request) if plugins else None
    if decided is None:
        return Approval(decision="escalate"), ""
    approval, approver = decided
    emit(
        ApprovalDecided(
            call=call,
            decision=approval.decision,
            approver=approver,
            explanation=approval.explanation,
            modified=approval.modified,
        )
    )
    return decided


def _modified(
    call: ToolCall, tool: ToolDef, approval: Approval, approver: str
) -> tuple[ToolCall, dict[str, object]]:
    modified = approval.modified
    if modified is None or modified.function != call.function:
        what = "nothing" if modified is None else f"a call of {modified.function!r}"
        msg = f"{approver} would modify the call of {call.function!r} to {what}, so it was not run"
        raise ToolApprovalError(msg)
    try:
        arguments, keywords = tool.read(modified.arguments)
    except ToolParsingError as error:
        msg = f"{approver} modified the call to one that does not fit, so it was not run: {error}"
        raise ToolApprovalError(msg) from error
    return call.model_copy(update={"arguments": arguments}), keywords


async def _result(tool: ToolDef, keywords: dict[str, object]) -> object:
    """Runs the tool inside its own time limit."""
    try:
        if tool.timeout is None:
            return await tool.run(keywords)
        with anyio.move_on_after(tool.timeout):
            return await tool.run(keywords)
    except SystemExit as error:
        msg = f"{tool.name} tried to end the program: sys.exit({error.code!r})"
        raise ToolError(msg) from error
    except anyio.get_cancelled_exc_class() as error:
        if _cancelled_from_outside():
            raise
        msg = f"{tool.name} cancelled itself"
        raise ToolError(msg) from error
    msg = f"{tool.name} was given up after {tool.timeout:g} s"
    if not tool.is_async:
        # Nothing can stop a thread: people should know that it goes on.
        logger.warning("%s; its thread is still running", msg)
    raise TimeoutError(msg)


def _cancelled_from_outside() -> bool:
    """Tells a cancellation of this task from an exception of that class that a tool raised itself."""
    if anyio.current_effective_deadline() == -math.inf:
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no asyncio loop: on trio, only trio itself can raise it
        return True
    return task is not None and task.cancelling() > 0


def _answer(
    call: ToolCall, content: str | list[Content], error: ToolCallError | None = None
) -> ChatMessageTool:
    return ChatMessageTool(
        content=content, tool_call_id=call.id, function=call.function, error=error
    )


def not_run(
    call: ToolCall, reason: str, kind: ToolCallErrorType = "cancelled", seconds: float = 0
) -> ChatMessageTool:
    """Answers a call that was not run, or not to its end."""
    answer = _answer(call, "", ToolCallError(type=kind, message=masked(reason)))
    if listening():
        emit(ToolAnswered(call=call, message=answer, bytes=0, seconds=seconds))
    return answer
