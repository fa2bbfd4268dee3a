"""The sandbox that is current: the one in which tools run."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from typing import TypeAlias

from ..exceptions import NoSandboxError, SandboxError, UnknownNameError
from .sandbox import Sandbox

SandboxSource: TypeAlias = Sandbox | AbstractAsyncContextManager[Sandbox]
"""An open sandbox, or what opens one, for instance `LocalSandbox.open()`."""

DEFAULT = "default"

_current: ContextVar[Mapping[str, Sandbox] | None] = ContextVar("wieldy_sandboxes", default=None)


def sandbox(name: str | None = None) -> Sandbox:
    """Returns the sandbox in which a tool should run its commands.

    Args:
        name: The name of one of several sandboxes; None for the default one.

    Raises:
        NoSandboxError: No sandbox is open here.
        UnknownNameError: No open sandbox has that name; the message lists those that exist.
    """
    boxes = _current.get()
    if not boxes:
        msg = "no sandbox is open: run this inside `async with use_sandbox(...)`"
        raise NoSandboxError(msg)
    if name is None:
        return boxes[DEFAULT] if DEFAULT in boxes else next(iter(boxes.values()))
    try:
        return boxes[name]
    except KeyError:
        raise UnknownNameError(kind="sandbox", name=name, known=boxes) from None


def has_sandbox() -> bool:
    """Tells whether any sandbox is open here."""
    return bool(_current.get())


@asynccontextmanager
async def use_sandbox(
    source: SandboxSource | Mapping[str, SandboxSource],
) -> AsyncIterator[Sandbox]:
    """Makes a sandbox current for a block of code, and gives the default one.

    A sandbox that is handed over open stays open at the end; what this opens, it closes.

    Args:
        source: A sandbox, or what opens one; or several by name. Of several, the one named
            "default" is the default, else the first.
    """
    sources = source if isinstance(source, Mapping) else {DEFAULT: source}
    if not sources:
        msg = "use_sandbox needs at least one sandbox"
        raise SandboxError(msg)
    async with AsyncExitStack() as stack:
        boxes = {name: await _opened(each, stack) for name, each in sources.items()}
        token = _current.set(boxes)
        try:
            yield sandbox()
        finally:
            _current.reset(token)


async def _opened(source: SandboxSource, stack: AsyncExitStack) -> Sandbox:
    if isinstance(source, Sandbox):
        return source
    return await stack.enter_async_context(source)
