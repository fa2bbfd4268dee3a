"""The local sandbox: commands run on this machine, as the user who runs the host process."""

import functools
import logging
import os
import shlex
import sys
from collections.abc import Callable
from typing import ClassVar, ParamSpec, Self, TypeVar

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from wieldy.exceptions import SandboxInputError, SandboxUnavailable
from wieldy.sandboxes import (
    Capability,
    ExecRequest,
    ExecResult,
    FileInfo,
    Sandbox,
    SandboxConfig,
    SandboxProcess,
    SpawnRequest,
)

from . import files
from .children import Children
from .command import run_command
from .config import LocalConfig
from .directories import Directories, make_directories, remove_tree
from .drains import Drains
from .environment import base_environment
from .process import LocalProcess, spawn

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)

_FILE_THREADS = 8


class LocalSandbox(Sandbox):
    """Runs commands on this machine, in a directory of their own. It is no isolation boundary.

    Open it with `LocalSandbox.open(config)`.
    """

    name: ClassVar[str] = "local"
    Config: ClassVar[type[SandboxConfig]] = LocalConfig
    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.PTY})
    use_pidfd: ClassVar[bool] = True
    """Whether to learn of the end of a process from a pidfd, where the operating system has them;
    False for a thread per command, as elsewhere."""

    def __init__(self, directories: Directories, config: LocalConfig, tasks: TaskGroup) -> None:
        self._directories = directories
        env = base_environment(os.environb, config, directories.home, directories.tmp)
        self._children = Children(directories.work, env, directories.own, use_pidfd=self.use_pidfd)
        self._drains = Drains(tasks)
        self._spawned: set[LocalProcess] = set()
        self._file_threads = anyio.CapacityLimiter(_FILE_THREADS)
        self._closing = anyio.Lock()
        self._removed = False

    @classmethod
    async def unusable(cls) -> str | None:
        """Says why it cannot be used on this machine; None where it can."""
        if sys.platform == "win32":
            return "the local sandbox needs Linux or macOS: use WSL, or another backend"
        return None

    async def aclose(self) -> None:
        """Ends all that runs in it and removes its own directory. Calling it again does nothing."""
        self._children.closed = True
        with anyio.CancelScope(shield=True):
            async with self._closing:
                if not self._removed:
                    await self._end()
                    self._removed = True

    def scratch(self, name: str) -> str:
        """Returns the path of a file in the sandbox's own temporary directory."""
        return os.path.join(self._directories.tmp, "wieldy", name)  # noqa: PTH118

    def attach_command(self) -> str:
        """Returns what a person types to get a shell in the working directory."""
        return f'(cd {shlex.quote(self._directories.work)} && exec "${{SHELL:-/bin/sh}}")'

    @classmethod
    async def _open(cls, config: SandboxConfig, tasks: TaskGroup) -> Self:
        if not isinstance(config, LocalConfig):
            msg = f"the local sandbox takes a LocalConfig, not a {type(config).__name__}"
            raise SandboxInputError(msg)
        reason = await cls.unusable()
        if reason is not None:
            raise SandboxUnavailable(reason)
        directories = await anyio.to_thread.run_sync(make_directories, config.workdir)
        return cls(directories, config, tasks)

    async def _exec(self, request: ExecRequest) -> ExecResult:
        return await run_command(self._children, self._drains, request)

    async def _spawn(self, request: SpawnRequest) -> SandboxProcess:
        process = await spawn(self._children, request)
        self._spawned = {each for each in self._spawned if not each.closed}
        self._spawned.add(process)
        return process

    async def _read(self, path: str, limit: int) -> bytes:
        return await self._in_thread(files.read, self._absolute(path), limit)

    async def _write(self, path: str, contents: bytes) -> None:
        await self._in_thread(files.write, self._absolute(path), contents)

    async def _list_dir(self, path: str) -> list[FileInfo]:
        return await self._in_thread(files.list_dir, self._absolute(path))

    async def _stat(self, path: str) -> FileInfo:
        return await self._in_thread(files.info, self._absolute(path))

    async def _realpath(self, path: str) -> str:
        return await self._in_thread(os.path.realpath, self._absolute(path))

    async def _remove(self, path: str) -> None:
        await self._in_thread(files.remove, self._absolute(path))

    async def _make_dir(self, path: str) -> None:
        await self._in_thread(os.makedirs, self._absolute(path), exist_ok=True)

    async def _chmod(self, path: str, mode: int) -> None:
        await self._in_thread(os.chmod, self._absolute(path), mode)

    def _absolute(self, path: str) -> str:
        return os.path.join(self._directories.work, path)  # noqa: PTH118 - "a/" stays "a/"

    async def _in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._children.check_open()
        call = functools.partial(function, *args, **kwargs)
        return await anyio.to_thread.run_sync(call, limiter=self._file_threads)

    async def _end(self) -> None:
        await self._children.close()
        for process in self._spawned:
            await process.aclose()
        self._drains.close()
        try:
            await anyio.to_thread.run_sync(
                remove_tree, self._directories.own, limiter=self._file_threads
            )
        except OSError as error:
            logger.warning("a directory of a local sandbox could not be removed: %s", error)
