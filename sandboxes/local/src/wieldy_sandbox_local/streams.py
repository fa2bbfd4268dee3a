"""Pipes and terminals as the byte streams of anyio."""

import errno
import os

import anyio
import anyio.lowlevel
from anyio.abc import ByteReceiveStream, ByteSendStream


class FdReceiveStream(ByteReceiveStream):
    """Reads from a file descriptor, and owns it.

    Args:
        fd: The file descriptor; it is made non-blocking.
    """

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd

    async def receive(self, max_bytes: int = 65536) -> bytes:
        """Returns what is there, up to a bound, or waits for it.

        Raises:
            anyio.EndOfStream: Nobody can write to it any more.
            anyio.ClosedResourceError: This stream was closed.
            anyio.BusyResourceError: Another task is already waiting for it.
        """
        await anyio.lowlevel.checkpoint()
        while True:
            if self._fd < 0:
                raise anyio.ClosedResourceError
            try:
                data = os.read(self._fd, max_bytes)
            except BlockingIOError:
                await anyio.wait_readable(self._fd)
                continue
            except OSError as error:
                # Linux says so when the last process has left a terminal.
                if error.errno == errno.EIO:
                    raise anyio.EndOfStream from None
                raise
            if not data:
                raise anyio.EndOfStream
            return data

    async def aclose(self) -> None:
        """Closes it; a task that waits for it gets `anyio.ClosedResourceError`."""
        self._fd = _close(self._fd)
        await anyio.lowlevel.checkpoint()


class FdSendStream(ByteSendStream):
    """Writes to a file descriptor, and owns it.

    Args:
        fd: The file descriptor; it is made non-blocking.
    """

    def __init__(self, fd: int) -> None:
        os.set_blocking(fd, False)
        self._fd = fd

    async def send(self, item: bytes) -> None:
        """Writes all of it, and waits where the reader is slow.

        Raises:
            anyio.BrokenResourceError: Nobody reads it any more.
            anyio.ClosedResourceError: This stream was closed.
            anyio.BusyResourceError: Another task is already waiting for it.
        """
        await anyio.lowlevel.checkpoint()
        rest = memoryview(item)
        while rest:
            if self._fd < 0:
                raise anyio.ClosedResourceError
            try:
                written = os.write(self._fd, rest)
            except BlockingIOError:
                await anyio.wait_writable(self._fd)
                continue
            except OSError as error:
                raise anyio.BrokenResourceError from error
            rest = rest[written:]

    async def aclose(self) -> None:
        """Closes it: the end of file for the reader."""
        self._fd = _close(self._fd)
        await anyio.lowlevel.checkpoint()


def _close(fd: int) -> int:
    if fd >= 0:
        anyio.notify_closing(fd)
        os.close(fd)
    return -1
