"""One command, from its start to its result."""

import os
import selectors
from time import monotonic

import anyio
import anyio.lowlevel

from wieldy.sandboxes import Ending, ExecRequest, ExecResult, ExecTimeout, Output

from .child import Child
from .children import Children, NotStartedError, Start, limit_error
from .drains import Drains
from .output import OutputBuffer

_CHUNK = 1 << 16
_CHUNKS_PER_TURN = 4
# No pipe holds more, unless an administrator raised the limit of the kernel.
_LARGEST_PIPE = 1 << 20


async def run_command(children: Children, drains: Drains, request: ExecRequest) -> ExecResult:
    """Runs a command to its end.

    Raises:
        ExecTimeout: The time ran out, and all that it started was killed.
        SandboxError: It could not be started for another reason than the program itself.
        SandboxUnavailable: The sandbox is closed, or was while the command ran.
    """
    await children.take_turn()
    begin = monotonic()
    try:
        command = _Command(children, drains, request)
    except NotStartedError as error:
        await anyio.lowlevel.checkpoint()
        message = os.fsencode(f"wieldy: {error.message}\n")
        return ExecResult(error.returncode, Ending.NOT_STARTED, err=Output(message))
    except OSError as error:  # no file descriptor left
        raise limit_error(request.argv, error) from error
    try:
        with anyio.move_on_after(request.timeout):
            await command.wait()
        timed_out = not command.has_ended()
        if timed_out:
            await command.kill()
    except BaseException:
        await command.kill()
        raise
    finally:
        returncode = command.close()
    children.check_open()
    result = command.result(None if timed_out else returncode, monotonic() - begin)
    if timed_out:
        raise ExecTimeout(result)
    return result


class _Command:
    """A command under way: its process, its pipes, and one selector that watches them all.

    The selector can itself be waited for. So a wake-up costs the event loop one registration,
    however many of the pipes are ready.
    """

    def __init__(self, children: Children, drains: Drains, request: ExecRequest) -> None:
        self._children = children
        self._drains = drains
        self._ended = False
        self._background_left = False
        self._input = memoryview(request.input or b"")
        self._stdout = OutputBuffer(request.output_limit)
        self._stderr = OutputBuffer(request.output_limit)
        self._output_by_fd: dict[int, OutputBuffer] = {}
        self._selector = selectors.DefaultSelector()
        try:
            self._child = self._start(request)
        except BaseException:
            self._close_pipes()
            raise

    async def wait(self) -> None:
        """Moves bytes until the process has ended, and takes what it had written by then."""
        while not self._ended:
            await anyio.wait_readable(self._selector.fileno())
            self._turn()
        self._take_rest()

    def has_ended(self) -> bool:
        """Tells whether the process has ended by now, by itself."""
        if not self._ended:
            self._turn()
            if self._ended:
                self._take_rest()
        return self._ended

    async def kill(self) -> None:
        """Kills the process and all that it started, and takes what it had written by then."""
        await self._children.kill(self._child)
        await self._child.reap_killed()
        self._take_rest()

    def close(self) -> int | None:
        """Closes the pipes, and returns the exit status."""
        self._close_pipes()
        return self._children.forget(self._child)

    def result(self, returncode: int | None, seconds: float) -> ExecResult:
        """Returns what it came to; no exit status means that it ran out of time."""
        if returncode is None:
            ending = Ending.TIMED_OUT
        else:
            ending = Ending.SIGNALLED if returncode < 0 else Ending.EXITED
        return ExecResult(
            returncode,
            ending,
            out=self._stdout.output(),
            err=self._stderr.output(),
            seconds=seconds,
            background_left=self._background_left,
        )

    def _start(self, request: ExecRequest) -> Child:
        child_ends: list[int] = []
        try:
            stdin = self._input_pipe(child_ends) if self._input else self._children.null
            stdout = self._output_pipe(self._stdout, child_ends)
            stderr = self._output_pipe(self._stderr, child_ends)
            child = self._children.start(
                Start(request.argv, stdin, stdout, stderr, cwd=request.cwd, env=request.env)
            )
        finally:
            for fd in child_ends:
                os.close(fd)
        self._selector.register(child.notice, selectors.EVENT_READ, self._on_end)
        return child

    def _input_pipe(self, child_ends: list[int]) -> int:
        child_end, own_end = os.pipe()
        child_ends.append(child_end)
        self._selector.register(own_end, selectors.EVENT_WRITE, self._on_writable)
        os.set_blocking(own_end, False)
        return child_end

    def _output_pipe(self, output: OutputBuffer, child_ends: list[int]) -> int:
        own_end, child_end = os.pipe()
        child_ends.append(child_end)
        self._selector.register(own_end, selectors.EVENT_READ, self._on_output)
        self._output_by_fd[own_end] = output
        os.set_blocking(own_end, False)
        return child_end

    def _turn(self) -> None:
        for key, _ in self._selector.select(0):
            key.data(key.fd)

    def _on_end(self, _: int) -> None:
        self._ended = True

    def _on_output(self, fd: int) -> None:
        if self._read(fd, _CHUNKS_PER_TURN * _CHUNK):
            self._close_pipe(fd)

    def _on_writable(self, fd: int) -> None:
        try:
            written = os.write(fd, self._input[:_CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not want the rest
            written = len(self._input)
        self._input = self._input[written:]
        if not self._input:
            self._close_pipe(fd)

    def _take_rest(self) -> None:
        """Reads what is in the pipes; a pipe that is not at its end then is held by somebody else."""
        for fd in list(self._output_by_fd):
            if self._read(fd, _LARGEST_PIPE):
                self._close_pipe(fd)
            else:
                self._leave(fd)

    def _leave(self, fd: int) -> None:
        self._background_left = True
        del self._output_by_fd[fd]
        self._selector.unregister(fd)
        if self._children.closed:
            os.close(fd)
        else:
            self._drains.add(fd)

    def _read(self, fd: int, most: int) -> bool:
        """Reads what is there, up to a bound; tells whether the pipe is at its end."""
        output = self._output_by_fd[fd]
        for _ in range(most // _CHUNK):
            try:
                data = os.read(fd, _CHUNK)
            except BlockingIOError:
                return False
            if not data:
                return True
            output.add(data)
        return False

    def _close_pipe(self, fd: int) -> None:
        self._output_by_fd.pop(fd, None)
        self._selector.unregister(fd)
        os.close(fd)

    def _close_pipes(self) -> None:
        for key in list(self._selector.get_map().values()):
            if key.data != self._on_end:
                os.close(key.fd)
        self._selector.close()
