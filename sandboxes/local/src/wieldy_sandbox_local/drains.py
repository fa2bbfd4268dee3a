"""What a command left behind may go on writing: somebody has to read it."""

import os

import anyio
from anyio.abc import TaskGroup

_CHUNK = 1 << 16
_READS_PER_TURN = 16
_REST = 0.01


class Drains:
    """Reads and throws away what background processes write after their command has ended.

    Without a reader they would be killed by SIGPIPE, or hang once the pipe is full.

    Args:
        tasks: Where the reading goes on.
    """

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._scope_by_fd: dict[int, anyio.CancelScope] = {}

    def add(self, fd: int) -> None:
        """Takes over a file descriptor, and closes it when nobody can write to it any more."""
        self._scope_by_fd[fd] = anyio.CancelScope()
        self._tasks.start_soon(self._drain, fd)

    def close(self) -> None:
        """Stops all reading."""
        for scope in self._scope_by_fd.values():
            scope.cancel()

    async def _drain(self, fd: int) -> None:
        try:
            with self._scope_by_fd[fd]:
                await _discard(fd)
        finally:
            del self._scope_by_fd[fd]
            os.close(fd)


async def _discard(fd: int) -> None:
    while True:
        await anyio.wait_readable(fd)
        for _ in range(_READS_PER_TURN):
            try:
                if not os.read(fd, _CHUNK):
                    return
            except BlockingIOError:
                break
        # One that writes without end must not take a whole processor of the host.
        await anyio.sleep(_REST)
