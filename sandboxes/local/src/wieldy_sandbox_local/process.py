"""A process to talk to, on pipes or on a pseudo-terminal."""

import os
import signal
from contextlib import ExitStack, suppress

import anyio
import anyio.lowlevel
from anyio.abc import ByteReceiveStream, ByteSendStream

from wieldy.exceptions import SandboxError, SandboxUnsupportedError
from wieldy.sandboxes import SandboxProcess, SpawnRequest, TerminalSize

from .child import Child
from .children import Children, NotStartedError, Start, limit_error
from .streams import FdReceiveStream, FdSendStream
from .terminal import end_of_file_key, on_terminal, open_terminal, read_report, resize_terminal

_REAP_PATIENCE = 5.0


class LocalProcess(SandboxProcess):
    """A process on this machine.

    Args:
        children: The processes of the sandbox.
        child: The process.
        stdin: Its standard input.
        stdout: Its standard output.
        stderr: Its standard error; None on a terminal.
        terminal: A file descriptor of its terminal, if it has one; this object owns it.
    """

    def __init__(
        self,
        children: Children,
        child: Child,
        stdin: ByteSendStream,
        stdout: ByteReceiveStream,
        stderr: ByteReceiveStream | None = None,
        terminal: int = -1,
    ) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self._children = children
        self._child = child
        self._terminal = terminal
        self._returncode: int | None = None
        self._closed = False
        self._waiting = anyio.Lock()
        self._closing = anyio.Lock()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    async def wait(self) -> int:
        """Waits until it has ended, and returns its exit status (negative: the signal's number)."""
        async with self._waiting:
            while self._returncode is None:
                self._returncode = self._child.peek()
                if self._returncode is None:
                    # At a close the status is known before the file descriptor goes.
                    with suppress(anyio.ClosedResourceError):
                        await anyio.wait_readable(self._child.notice)
        return self._returncode

    async def signal(self, number: int) -> None:
        """Sends it a signal; nothing happens if it has ended.

        Raises:
            SandboxError: There is no such signal, or it may not be sent to this process.
        """
        await anyio.lowlevel.checkpoint()
        try:
            self._child.signal(number)
        except OSError as error:
            msg = f"cannot send signal {number} to process {self._child.pid}: {error.strerror}"
            raise SandboxError(msg) from error

    async def resize(self, size: TerminalSize) -> None:
        """Changes the size of its pseudo-terminal.

        Raises:
            SandboxUnsupportedError: It has no pseudo-terminal.
        """
        await anyio.lowlevel.checkpoint()
        if self.stderr is not None:
            msg = "the process has pipes and no pseudo-terminal: start it with pty=True"
            raise SandboxUnsupportedError(msg)
        if self._terminal >= 0:
            resize_terminal(self._terminal, size)

    async def kill(self) -> None:
        """Kills it and all that it started; returns when they are gone."""
        if self._closed:
            return
        await self._children.kill(self._child)
        with anyio.move_on_after(_REAP_PATIENCE, shield=True):
            await self.wait()

    async def aclose(self) -> None:
        """Kills what is left and closes the streams. Calling it again does nothing."""
        with anyio.CancelScope(shield=True):
            async with self._closing:
                if not self._closed:
                    await self.kill()
                    self._closed = True
                    await self._release()

    async def _release(self) -> None:
        # Without a status here, even SIGKILL was not enough; whoever waits must not wait for ever.
        if self._returncode is None:
            self._returncode = -signal.SIGKILL
        self._children.forget(self._child)
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                await stream.aclose()
        if self._terminal >= 0:
            os.close(self._terminal)
            self._terminal = -1


async def spawn(children: Children, request: SpawnRequest) -> LocalProcess:
    """Starts a process to talk to.

    Raises:
        SandboxError: It could not be started; the message says why.
        SandboxUnavailable: The sandbox is closed, or was meanwhile.
    """
    await children.take_turn()
    try:
        if request.pty is None:
            return _on_pipes(children, request)
        process, report = _on_terminal(children, request, request.pty)
    except NotStartedError as error:
        raise SandboxError(error.message) from error
    except OSError as error:  # no file descriptor left
        raise limit_error(request.argv, error) from error
    try:
        await _confirm(children, request, report)
    except BaseException:
        await process.aclose()
        raise
    finally:
        os.close(report)
    return process


async def _confirm(children: Children, request: SpawnRequest, report: int) -> None:
    trouble = await read_report(report)
    children.check_open()
    if trouble is not None:
        msg = f"cannot start {os.fsdecode(request.argv[0])!r} on a terminal: {trouble}"
        raise SandboxError(msg)


def _on_pipes(children: Children, request: SpawnRequest) -> LocalProcess:
    with ExitStack() as child_ends, ExitStack() as own_ends:
        child_stdin, stdin = _pipe(child_ends, own_ends)
        stdout, child_stdout = _pipe(own_ends, child_ends)
        stderr, child_stderr = _pipe(own_ends, child_ends)
        child = children.start(
            Start(
                request.argv,
                child_stdin,
                child_stdout,
                child_stderr,
                cwd=request.cwd,
                env=request.env,
            )
        )
        own_ends.pop_all()
    return LocalProcess(
        children, child, FdSendStream(stdin), FdReceiveStream(stdout), FdReceiveStream(stderr)
    )


def _on_terminal(
    children: Children, request: SpawnRequest, size: TerminalSize
) -> tuple[LocalProcess, int]:
    with ExitStack() as child_ends, ExitStack() as own_ends:
        screen, program = open_terminal(size)
        own_ends.callback(os.close, screen)
        child_ends.callback(os.close, program)
        keyboard = _duplicate(screen, own_ends)
        control = _duplicate(screen, own_ends)
        report, child_report = _pipe(own_ends, child_ends)
        os.set_blocking(report, False)
        lc_ctype = children.environment(request.env).get(b"LC_CTYPE")
        child = children.start(
            Start(
                on_terminal(request.argv, child_report, lc_ctype),
                program,
                program,
                program,
                cwd=request.cwd,
                env=request.env,
                pass_fds=(child_report,),
            )
        )
        own_ends.pop_all()
    process = LocalProcess(
        children, child, _Keyboard(keyboard), FdReceiveStream(screen), terminal=control
    )
    return process, report


class _Keyboard(FdSendStream):
    """The keyboard of a terminal; closing it types the key for the end of file."""

    async def aclose(self) -> None:
        if self._fd >= 0:
            with suppress(OSError):
                os.write(self._fd, end_of_file_key(self._fd))
        await super().aclose()


def _pipe(reader_owner: ExitStack, writer_owner: ExitStack) -> tuple[int, int]:
    reader, writer = os.pipe()
    reader_owner.callback(os.close, reader)
    writer_owner.callback(os.close, writer)
    return reader, writer


def _duplicate(fd: int, owner: ExitStack) -> int:
    duplicate = os.dup(fd)
    owner.callback(os.close, duplicate)
    return duplicate
