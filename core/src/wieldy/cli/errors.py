"""Errors and warnings, as one line each on the standard error."""

import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..exceptions import WieldyError
from .text import visible

SIGNALLED = 128
"""What is added to the number of a signal to make the exit code of a program that it ended."""


def complain(text: str, kind: str = "") -> None:
    """Writes one line to the standard error; the further lines of a longer text are indented."""
    label = f"wieldy: {kind}: " if kind else "wieldy: "
    body = visible(text).strip().replace("\n", "\n    ")
    # There may be no one to tell: the terminal is gone, or the stream was closed.
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{label}{body}\n")
        sys.stderr.flush()


def report(error: BaseException, *, debug: bool) -> None:
    """Tells the user of an error that ends the command."""
    if debug:
        traceback.print_exception(error)
    complain(explanation(error), "error")


def explanation(error: BaseException) -> str:
    """Returns what went wrong, and what to do where the error does not say it itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, WieldyError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{where}"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    return f"{text}{notes}; run again with --debug for the traceback"


class _Warnings(logging.Handler):
    """Shows each warning of any library once, as one line."""

    def __init__(self, debug: Callable[[], bool]) -> None:
        super().__init__(logging.WARNING)
        self._debug = debug
        self._shown: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record, unless the same line was written before."""
        text = record.getMessage()
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            text = f"{text}: {type(error).__name__}: {error}"
        if text in self._shown:
            return
        self._shown.add(text)
        if error is not None and self._debug():
            traceback.print_exception(error)
        complain(text, "warning")


@contextmanager
def shown_warnings(debug: Callable[[], bool]) -> Iterator[None]:
    """Shows what is logged as a warning, or worse, while the block runs.

    Args:
        debug: Tells whether tracebacks are shown too.
    """
    handler = _Warnings(debug)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


@contextmanager
def no_warnings(logger: logging.Logger) -> Iterator[None]:
    """Drops the warnings of one logger while the block runs."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
