"""Pseudo-terminals."""

import os
import struct
import sys

import anyio

from wieldy.exceptions import SandboxError
from wieldy.sandboxes import TerminalSize

if sys.platform != "win32":
    import fcntl
    import termios

# The program that a process on a terminal starts as. Taking the terminal has to happen in the new
# process, after it has a session of its own; a function that runs between fork and exec is not safe
# in a host with threads, a small program is. It says on a pipe why it failed; the pipe closes itself
# when it has become the program that was asked for.
#
# It leaves no trace in what it becomes: Python ignores two signals, and sets LC_CTYPE where the
# locale is "C"; both would be inherited.
_TRAMPOLINE = """
import fcntl, os, signal, sys, termios
report = int(sys.argv[1])
os.set_inheritable(report, False)
try:
    step = "take its terminal"
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.environ.pop("LC_CTYPE", None)
    if sys.argv[2]:
        os.environ["LC_CTYPE"] = sys.argv[2][1:]
    step = "start"
    argv = [os.fsencode(each) for each in sys.argv[3:]]
    os.execvp(argv[0], argv)
except OSError as error:
    os.write(report, f"{step}:{error.errno}:{error.strerror}".encode())
os._exit(127)
"""


def open_terminal(size: TerminalSize) -> tuple[int, int]:
    """Returns two file descriptors of a new pseudo-terminal: the screen's side and the program's."""
    screen, program = os.openpty()
    resize_terminal(program, size)
    return screen, program


def resize_terminal(fd: int, size: TerminalSize) -> None:
    """Changes the size of a pseudo-terminal; the processes on it get SIGWINCH."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))


def end_of_file_key(fd: int) -> bytes:
    """Returns what a person types for the end of file; nothing where the program takes raw keys."""
    try:
        attributes = termios.tcgetattr(fd)
    except termios.error:
        return b""
    is_line_mode = attributes[3] & termios.ICANON
    key = attributes[6][termios.VEOF]
    return key if is_line_mode and isinstance(key, bytes) else b""


def on_terminal(argv: tuple[bytes, ...], report: int, lc_ctype: bytes | None) -> list[bytes]:
    """Returns the command line that starts a program with its standard input as its terminal.

    Args:
        argv: The program and its arguments.
        report: The file descriptor on which it says why it failed; pass it on.
        lc_ctype: The value that the variable LC_CTYPE shall have; None for none.

    Raises:
        SandboxError: This program has no Python interpreter.
    """
    if not sys.executable:
        msg = "a terminal needs the Python interpreter, and sys.executable does not say where it is"
        raise SandboxError(msg)
    interpreter = [sys.executable, "-I", "-S", "-E", "-X", "utf8", "-c", _TRAMPOLINE]
    locale = b"" if lc_ctype is None else b"=" + lc_ctype
    return [*map(os.fsencode, interpreter), b"%d" % report, locale, *argv]


async def read_report(fd: int) -> str | None:
    """Waits until the program runs; returns what failed, in words, if it does not."""
    report = b""
    while True:
        await anyio.wait_readable(fd)
        part = os.read(fd, 4096)
        if not part:
            break
        report += part
    if not report:
        return None
    step, _, reason = report.decode().split(":", 2)
    return f"it could not {step}: {reason}"
