"""The current run: state that tools keep for one run, and what is cleaned up at its end.

A shell session, an undo history or a cache lives here and not in the tool, so that two runs which
share a tool never share state, and nothing outlives its run.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar, cast

import anyio

from .exceptions import WieldyError

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Scope:
    """The state of one run. `open_scope` makes it and closes it."""

    def __init__(self) -> None:
        self._objects: dict[Hashable, object] = {}
        self._callbacks: list[Callable[[], Awaitable[None]]] = []

    def store(self, key: Hashable, factory: Callable[[], T]) -> T:
        """Returns the run's one object for `key`, made by `factory` at the first call.

        Args:
            key: What the object belongs to. Start it with the tool's own name, and add the sandbox
                where the object belongs to one: `("bash_session", sandbox())`.
            factory: Makes the object; called once per run and key.
        """
        if key not in self._objects:
            self._objects[key] = factory()
        return cast("T", self._objects[key])

    def on_close(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Asks for an async function to be awaited when the run ends, last asked first.

        It is shielded from cancellation; an error in it is logged and the others still run.
        """
        self._callbacks.append(callback)

    async def aclose(self) -> None:
        """Runs the clean-up and forgets all state. Calling it again does nothing."""
        with anyio.CancelScope(shield=True):
            while self._callbacks:
                callback = self._callbacks.pop()
                try:
                    await callback()
                except Exception:
                    logger.exception("clean-up at the end of the run failed")
        self._objects.clear()


_current: ContextVar[Scope | None] = ContextVar("wieldy_scope", default=None)


def current_scope() -> Scope:
    """Returns the scope of the current run.

    Raises:
        WieldyError: No run is going on.
    """
    scope = _current.get()
    if scope is None:
        msg = "no run is going on: use `run(agent, ...)`, or `async with open_scope()` around this"
        raise WieldyError(msg)
    return scope


def store(key: Hashable, factory: Callable[[], T]) -> T:
    """Returns the current run's one object for `key`; see `Scope.store`.

    Outside of a run there is nowhere to keep it, and each call makes a new one. What must be cleaned up
    belongs to `current_scope()`.
    """
    scope = _current.get()
    return factory() if scope is None else scope.store(key, factory)


@asynccontextmanager
async def open_scope() -> AsyncIterator[Scope]:
    """Opens a run's scope for a block of code, and closes it at the end, whatever happened."""
    scope = Scope()
    token = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(token)
        await scope.aclose()
