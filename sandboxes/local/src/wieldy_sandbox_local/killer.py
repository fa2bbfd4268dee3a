"""Kills the processes of commands without blocking the event loop."""

from dataclasses import dataclass

import anyio
import anyio.to_thread

from .processes import Hunt, kill


@dataclass(slots=True)
class _Wish:
    hunt: Hunt
    gone: bool | None = None


class Killer:
    """Runs hunts in a thread, one at a time; those that wait meanwhile share the next one.

    When many commands are cancelled at once, looking through all processes once for each would cost
    seconds.
    """

    def __init__(self) -> None:
        self._lock = anyio.Lock()
        self._limiter = anyio.CapacityLimiter(1)
        self._wishes: list[_Wish] = []

    async def kill(self, hunt: Hunt) -> bool:
        """Kills what a hunt is after. A cancellation does not stop it.

        Returns:
            Whether all of it is gone.
        """
        wish = _Wish(hunt)
        self._wishes.append(wish)
        with anyio.CancelScope(shield=True):
            async with self._lock:
                if wish.gone is None:
                    batch, self._wishes = self._wishes, []
                    gone = await self._hunt(Hunt.together(each.hunt for each in batch))
                    for each in batch:
                        each.gone = gone
        return bool(wish.gone)

    async def _hunt(self, hunt: Hunt) -> bool:
        try:
            return await anyio.to_thread.run_sync(kill, hunt, limiter=self._limiter)
        except RuntimeError:
            # No thread can be started: a command that forks without end has used up all that the
            # user may run. Just then the kill matters most, so the event loop has to wait for it.
            return kill(hunt)
