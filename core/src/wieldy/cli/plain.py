"""A run as plain lines, for files, pipes and terminals that can do no more."""

from types import TracebackType
from typing import Self

from ..messages import ToolCallContent
from .output import Lines
from .text import indented
from .transcript import Transcript, code_of


class PlainDisplay(Transcript):
    """Writes what happens line by line, without any control codes.

    Args:
        lines: Where they go.
    """

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._write = lines.write

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return

    def turn(self, number: int, facts: str) -> None:
        """Shows that a model has answered."""
        self._write(f"[{number}] {facts}")

    def said(self, text: str) -> None:
        """Shows what a model said."""
        self._write(indented(text, 4))

    def called(self, view: ToolCallContent) -> None:
        """Shows a call."""
        self._write(f"  > {view.title}")
        self._write(indented(code_of(view), 6))

    def answered(self, lines: list[str], facts: str, *, failed: bool) -> None:
        """Shows the result of the call that was shown last."""
        self._write(f"  < {'error, ' if failed else ''}{facts}")
        self._write(indented("\n".join(lines), 6))

    def note(self, text: str, *, failed: bool = False) -> None:
        """Shows a line about the run itself."""
        self._write(f"  {'!' if failed else '-'} {text}")

    def answer(self, text: str, facts: str) -> None:
        """Shows the answer of the whole run."""
        self._write(f"[end] {facts}")
        if text:
            self._write(text)

    def busy(self, doing: str, since: float) -> None:
        """Shows nothing: plain lines stay as they are written."""
