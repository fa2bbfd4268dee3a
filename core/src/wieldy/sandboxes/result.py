"""What a command in a sandbox came to."""

import signal
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ..exceptions import SandboxError


class Ending(StrEnum):
    """How a command ended."""

    EXITED = "exited"
    """It ended by itself; `returncode` is its own exit status, 0 to 255."""
    SIGNALLED = "signalled"
    """A signal killed it; `returncode` is the negative signal number."""
    NOT_STARTED = "not_started"
    """The program could not be started; `returncode` is 127 (not found) or 126 (not executable)."""
    TIMED_OUT = "timed_out"
    """It ran out of time and its whole process tree was killed; `returncode` is None."""


@dataclass(frozen=True)
class Output:
    """One stream of a command, kept with bounded memory: its head, its tail, and what was between.

    Attributes:
        head: The first bytes, exactly as they were written.
        tail: The last bytes, where not everything was kept; else empty.
        dropped: How many bytes between head and tail were not kept.
    """

    head: bytes = b""
    tail: bytes = b""
    dropped: int = 0

    @property
    def kept(self) -> bytes:
        """The bytes that were kept, head and tail together."""
        return self.head + self.tail

    @cached_property
    def text(self) -> str:
        """The stream as text: UTF-8, undecodable bytes replaced, a notice where bytes were dropped."""
        if not self.dropped:
            return self.kept.decode("utf-8", errors="replace")
        head = self.head.decode("utf-8", errors="replace")
        tail = self.tail.decode("utf-8", errors="replace")
        return f"{head}\n[... {self.dropped} bytes dropped ...]\n{tail}"


@dataclass(frozen=True)
class ExecResult:
    """What `Sandbox.exec` returns: how a command ended and what it wrote.

    Attributes:
        returncode: The exit status; negative where a signal killed the command (-9 for SIGKILL, as
            in `subprocess`), None where it timed out.
        ending: How it ended.
        out: The standard output stream.
        err: The standard error stream.
        seconds: How long it ran.
        background_left: Whether a process that it started still holds its output streams open.
    """

    returncode: int | None
    ending: Ending
    out: Output = Output()
    err: Output = Output()
    seconds: float = 0.0
    background_left: bool = False

    @property
    def success(self) -> bool:
        """Whether the command ended by itself with exit status 0."""
        return self.ending is Ending.EXITED and self.returncode == 0

    @property
    def stdout(self) -> str:
        """The standard output as text, undecodable bytes replaced."""
        return self.out.text

    @property
    def stderr(self) -> str:
        """The standard error as text, undecodable bytes replaced."""
        return self.err.text

    @property
    def stdout_bytes(self) -> bytes:
        """The exact bytes of the standard output that were kept."""
        return self.out.kept

    @property
    def stderr_bytes(self) -> bytes:
        """The exact bytes of the standard error that were kept."""
        return self.err.kept

    @property
    def dropped(self) -> int:
        """How many bytes of both streams were not kept."""
        return self.out.dropped + self.err.dropped

    @property
    def status(self) -> str:
        """How it ended, in words: "exit status 2", "killed by SIGKILL", "timed out after 3 s"."""
        if self.ending is Ending.TIMED_OUT:
            return f"timed out after {self.seconds:.3g} s"
        if self.ending is Ending.SIGNALLED and self.returncode is not None:
            return f"killed by {_signal_name(-self.returncode)}"
        if self.ending is Ending.NOT_STARTED:
            return f"not started (exit status {self.returncode})"
        return f"exit status {self.returncode}"


class ExecTimeout(SandboxError, TimeoutError):
    """A command ran out of time; everything that it started was killed.

    Args:
        result: How far it came: what it had written until then.
    """

    def __init__(self, result: ExecResult) -> None:
        super().__init__(f"the command {result.status}")
        self.result = result


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
