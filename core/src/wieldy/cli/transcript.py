"""What people see of a run: the order and the words; how it looks is left to a display."""

import json
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from ..events import (
    ApprovalDecided,
    Event,
    ModelAnswered,
    ModelRequested,
    RunEnded,
    RunStarted,
    ToolAnswered,
    ToolCalled,
)
from ..messages import ContentImage, ToolCall, ToolCallContent, ToolCallView
from ..plugins import hookimpl
from .text import counted, duration, folded, visible

SUBMIT = "submit"
"""The name of the submit tool of `wieldy run`: its call is not shown, the answer is."""

SUCCESS = ("submitted", "no_tool_call")
"""The reasons with which a run ends that came to an answer."""

CALL_LINES = 40
"""How many lines of a call are shown."""

_FENCE = "```"


@dataclass(slots=True)
class _Call:
    """A call that is running or waits to be shown."""

    call: ToolCall
    view: ToolCallView | None = None
    since: float = field(default_factory=time.monotonic)
    shown: bool = False
    answer: ToolAnswered | None = None


class Transcript(ABC):
    """Turns the events of a run into what people read.

    Calls that run together are shown one after the other, each with its own result: what is answered out
    of turn waits until the calls before it are done.
    """

    def __init__(self) -> None:
        self._runs: list[dict[str, _Call]] = []  # the calls of each run that is going on, by id
        self._turns = 0
        self._tokens = 0

    # -- what a display writes --------------------------------------------------------------------

    @abstractmethod
    def turn(self, number: int, facts: str) -> None:
        """Shows that a model has answered."""

    @abstractmethod
    def said(self, text: str) -> None:
        """Shows what a model said."""

    @abstractmethod
    def called(self, view: ToolCallContent) -> None:
        """Shows a call; all text in the view is safe to print."""

    @abstractmethod
    def answered(self, lines: list[str], facts: str, *, failed: bool) -> None:
        """Shows the result of the call that was shown last."""

    @abstractmethod
    def note(self, text: str, *, failed: bool = False) -> None:
        """Shows a line about the run itself."""

    @abstractmethod
    def answer(self, text: str, facts: str) -> None:
        """Shows the answer of the whole run; the text is empty where there is none."""

    @abstractmethod
    def busy(self, doing: str, since: float) -> None:
        """Shows what is running now, and since when (`time.monotonic`); empty for nothing."""

    # -- events -----------------------------------------------------------------------------------

    @hookimpl
    def wieldy_event(self, event: Event) -> None:
        """Shows an event."""
        match event:
            case RunStarted():
                self._run_started(event)
            case ModelRequested():
                self.busy(visible(f"asking {event.model}"), time.monotonic())
            case ModelAnswered():
                self._model_answered(event)
            case ToolCalled():
                self._tool_called(event)
            case ToolAnswered():
                self._tool_answered(event)
            case ApprovalDecided():
                self._approval_decided(event)
            case RunEnded():
                self._run_ended(event)

    def _run_started(self, event: RunStarted) -> None:
        if self._runs:
            self.note(visible(f"agent {event.agent} starts"))
        self._runs.append({})

    def _model_answered(self, event: ModelAnswered) -> None:
        self._turns += 1
        self._tokens += event.input_tokens + event.output_tokens
        facts = [visible(event.model), duration(event.seconds)]
        if event.input_tokens or event.output_tokens:
            facts.append(f"{event.input_tokens:,} tokens in, {event.output_tokens:,} out")
        if event.stop_reason not in {"stop", "tool_calls"}:
            facts.append(event.stop_reason)
        self.busy("", 0.0)
        self.turn(event.turn, " · ".join(facts))
        text = visible(event.message.text).strip()
        if text:
            self.said(text)

    def _tool_called(self, event: ToolCalled) -> None:
        if event.call.function != SUBMIT:
            self._calls[event.call.id] = _Call(event.call, event.view)
            self._show_calls()

    def _tool_answered(self, event: ToolAnswered) -> None:
        if event.call.function == SUBMIT and event.message.error is None:
            return
        # A call that could not be read or was refused is answered without having been announced.
        call = self._calls.setdefault(event.call.id, _Call(event.call))
        call.answer = event
        self._show_calls()

    def _approval_decided(self, event: ApprovalDecided) -> None:
        if event.decision != "approve":
            why = f": {event.explanation}" if event.explanation else ""
            self.note(visible(f"{event.approver}: {event.decision} {event.call.function}{why}"))

    def _run_ended(self, event: RunEnded) -> None:
        self.busy("", 0.0)
        for call in self._runs.pop().values():
            self._show(call)
        if self._runs:
            self.note(visible(f"agent {event.agent} ends: {event.reason}"))
            return
        facts = [event.reason, counted(self._turns, "turn"), duration(event.seconds)]
        if self._tokens:
            facts.append(counted(self._tokens, "token"))
        answer = visible(event.completion).strip() if event.reason in SUCCESS else ""
        self.answer(answer, " · ".join(facts))

    # -- calls ------------------------------------------------------------------------------------

    @property
    def _calls(self) -> dict[str, _Call]:
        return self._runs[-1] if self._runs else {}

    def _show_calls(self) -> None:
        """Shows the calls whose turn it is, in order, up to the first that is still running."""
        calls = self._calls
        for key, call in list(calls.items()):
            self._show(call)
            if call.answer is None:
                break
            del calls[key]
        running = [each for each in calls.values() if each.answer is None]
        names = ", ".join(each.call.function for each in running)
        self.busy(names, min((each.since for each in running), default=0.0))

    def _show(self, call: _Call) -> None:
        if not call.shown:
            call.shown = True
            self.called(_safe(_content(call)))
        if call.answer is None:
            return
        message = call.answer.message
        lines = folded(visible(message.seen))
        if isinstance(message.content, list):
            images = sum(isinstance(part, ContentImage) for part in message.content)
            lines += [f"({counted(images, 'image')})"] if images else []
        shown = lines if any(lines) else ["(no output)"]
        failed = message.error is not None
        self.answered(shown, duration(call.answer.seconds), failed=failed)


def code_of(view: ToolCallContent) -> str:
    """Returns the content of a view without the marks of a code block around it."""
    lines = view.content.split("\n")
    if view.format == "markdown" and lines[0].startswith(_FENCE) and len(lines) > 1:
        return "\n".join(lines[1:-1])
    return view.content


def _content(call: _Call) -> ToolCallContent:
    """Returns the view of a call, or the plain one: its name and arguments."""
    content = call.view.call if call.view else None
    if content is not None:
        return content
    arguments = call.call.arguments.items()
    lines = [f"{name}: {_value(value)}" for name, value in arguments] or [call.call.raw or ""]
    return ToolCallContent(title=call.call.function, content="\n".join(lines))


def _safe(view: ToolCallContent) -> ToolCallContent:
    # A code block stays one: its first and last lines are among those that are kept.
    content = "\n".join(folded(visible(view.content), CALL_LINES))
    return ToolCallContent(title=visible(view.title), format=view.format, content=content)


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
