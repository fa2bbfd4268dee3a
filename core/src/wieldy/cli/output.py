"""Lines on the standard output, and the events of a run as lines of JSON."""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from ..events import Event
from ..exceptions import ConfigError
from ..plugins import hookimpl
from .stop import Stop


class Lines:
    """Writes whole lines to the standard output, each at once; stops the work when no one reads them.

    Args:
        stop: What is called when the reader has gone away.
    """

    def __init__(self, stop: Stop) -> None:
        self._stop = stop

    def write(self, text: str) -> None:
        """Writes one line, or several."""
        try:
            print(text, flush=True)
        except BrokenPipeError:
            drop_output()
            self._stop(signal.SIGPIPE)


def drop_output() -> None:
    """Sends what is still to be written to nowhere, so that nothing complains at the end."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


class EventLines:
    """Writes each event as one line of JSON.

    Args:
        write: Writes a line, which it is given without the line end.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    @hookimpl
    def wieldy_event(self, event: Event) -> None:
        """Writes an event."""
        self._write(json_line(event))


@contextmanager
def event_log(path: Path) -> Iterator[EventLines]:
    """Opens a log of events: a file to which every event is added as it happens.

    Raises:
        ConfigError: The file cannot be written.
    """
    try:
        file = path.open("a+b", buffering=0)
    except OSError as error:
        hint = "" if path.parent.is_dir() else f" (make the directory {path.parent} first)"
        msg = f"cannot write the log {path}: {error.strerror}{hint}"
        raise ConfigError(msg) from error
    with file:
        if _ends_inside_a_line(path):
            file.write(b"\n")
        yield EventLines(lambda line: _append(file.write, line))


def _append(write: Callable[[bytes], int | None], line: str) -> None:
    # One call of the operating system for a whole line: a crash cannot leave half of it.
    write(line.encode() + b"\n")


def _ends_inside_a_line(path: Path) -> bool:
    """Tells whether a run that was killed left half a line in a log."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def json_line(value: BaseModel) -> str:
    """Returns a value as one line of JSON."""
    try:
        return value.model_dump_json()
    except (PydanticSerializationError, UnicodeError):
        # Half of a surrogate pair has no UTF-8: it is written as "?".
        text = json.dumps(value.model_dump(), ensure_ascii=False)
        return text.encode("utf-8", "replace").decode()
