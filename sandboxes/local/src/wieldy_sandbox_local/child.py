"""One process on this machine: how its end is noticed, and how it is reaped."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import anyio

_REAP_PATIENCE = 5.0


class Child:
    """A process that was started.

    It is reaped late, after what it started was killed: until then its process id, and with it the
    id of its group and session, cannot be given to anyone else.

    Args:
        popen: The process.
        mark: The value of the cookie that it was given.
        use_pidfd: Whether to learn of its end from a pidfd, where there is one; else from a thread.

    Attributes:
        notice: A file descriptor that is readable once the process has ended.
    """

    def __init__(self, popen: subprocess.Popen[bytes], mark: bytes, *, use_pidfd: bool) -> None:
        self.pid = popen.pid
        self.mark = mark
        self._popen = popen
        self.notice = _notice(popen, use_pidfd=use_pidfd)

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None until it has been reaped."""
        return self._popen.returncode

    def reap(self) -> int | None:
        """Takes the exit status of a process that has ended; None if it has not."""
        return self._popen.poll()

    async def reap_killed(self) -> None:
        """Waits for the end of a process that was sent SIGKILL, and takes its exit status."""
        if self.reap() is None:
            with anyio.move_on_after(_REAP_PATIENCE, shield=True):
                await anyio.wait_readable(self.notice)
            self.reap()

    def peek(self) -> int | None:
        """Returns the exit status of a process that has ended, and leaves it unreaped if it can."""
        if self.returncode is not None or not hasattr(os, "waitid"):
            return self.reap()
        info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if info is None:
            return None
        return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status

    def signal(self, number: int) -> None:
        """Sends it a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def close(self) -> None:
        """Closes the file descriptor."""
        if self.notice >= 0:
            anyio.notify_closing(self.notice)
            os.close(self.notice)
            self.notice = -1


def _notice(popen: subprocess.Popen[bytes], *, use_pidfd: bool) -> int:
    try:
        if use_pidfd and sys.platform == "linux" and hasattr(os, "pidfd_open"):
            with suppress(OSError):  # an old kernel, or a seccomp filter that does not know it
                return os.pidfd_open(popen.pid)
        return _notice_of_thread(popen)
    except (OSError, RuntimeError):
        # Nobody would ever learn of its end.
        os.killpg(popen.pid, signal.SIGKILL)
        popen.wait()
        raise


def _notice_of_thread(popen: subprocess.Popen[bytes]) -> int:
    receiver, sender = os.pipe()
    os.set_blocking(receiver, False)
    thread = threading.Thread(
        target=_tell_the_end, args=(popen, sender), name=f"wieldy-wait-{popen.pid}", daemon=True
    )
    try:
        thread.start()
    except RuntimeError:
        os.close(receiver)
        os.close(sender)
        raise
    return receiver


def _tell_the_end(popen: subprocess.Popen[bytes], sender: int) -> None:
    try:
        if hasattr(os, "waitid"):
            # The status stays where it is: the process is reaped by its owner.
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, popen.pid, os.WEXITED | os.WNOWAIT)
        else:
            popen.wait()
    finally:
        os.close(sender)  # the reader sees the end of the pipe
