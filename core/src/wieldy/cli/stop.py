"""Ending the work of a command from outside, so that everything unwinds: processes, directories, logs."""

import signal
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio

from ..tasks import owned_tasks
from .errors import SIGNALLED, complain

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Stop:
    """Cancels the work of a command.

    Attributes:
        scope: The scope in which the work is done.
        signal: The first signal that stopped it; None while nothing did.
    """

    def __init__(self) -> None:
        self.scope = anyio.CancelScope()
        self.signal: signal.Signals | None = None

    def __call__(self, number: signal.Signals) -> None:
        """Stops the work, as that signal would."""
        if self.signal is None:
            self.signal = number
            self.scope.cancel()


async def until_stopped(work: Callable[[Stop], Awaitable[int]]) -> int:
    """Does the work of a command until it is done or a signal comes.

    Args:
        work: The work; it returns the exit code.

    Returns:
        The exit code: that of the work, or 128 and the number of the signal.
    """
    stop = Stop()
    # A signal that is ignored from the start (nohup, a background job) stays ignored.
    heeded = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    with anyio.open_signal_receiver(*heeded) as signals:
        async with owned_tasks() as tasks:
            tasks.start_soon(_heed, signals, stop)
            with stop.scope:
                return await work(stop)
    for each in heeded:  # everything is cleaned up: one more signal must not change the exit code
        signal.signal(each, signal.SIG_IGN)
    number = stop.signal or signal.SIGINT
    if number is not signal.SIGPIPE:
        complain(f"stopped by {number.name}")
    return SIGNALLED + number


async def _heed(signals: AsyncIterator[signal.Signals], stop: Stop) -> None:
    async for number in signals:
        if stop.signal is not None:
            complain("still cleaning up, so that nothing is left behind")
        stop(number)
