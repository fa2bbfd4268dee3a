"""The contract of a sandbox: what every backend promises, and what a backend has to write.

A caller uses the public methods of `Sandbox`. A backend writes the few methods that start with one
underscore; each takes a frozen request, so that a newer core can ask for more without breaking an
older backend. Checking, encoding and decoding happen here, once for all backends.
"""

import logging
import os
import posixpath
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Literal, Self, TypeAlias, overload

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, TaskGroup
from pydantic import BaseModel, ConfigDict

from ..exceptions import (
    SandboxError,
    SandboxInputError,
    SandboxLimitError,
    SandboxUnsupportedError,
)
from ..tasks import owned_tasks
from .result import ExecResult

logger = logging.getLogger(__name__)

API_VERSION = 1
"""The version of this contract. A backend that declares a higher one is refused."""

DEFAULT_OUTPUT_LIMIT = 10 * 1024 * 1024
"""How many bytes of each stream `exec` keeps unless told otherwise."""

DEFAULT_READ_LIMIT = 100 * 1024 * 1024
"""How many bytes `read_file` reads unless told otherwise."""

Command: TypeAlias = Sequence[str | bytes]
"""A program and its arguments; never a shell line."""


class Capability(StrEnum):
    """What a backend may claim. What it claims, the conformance suite checks."""

    ISOLATED = "isolated"
    """It is an isolation boundary: a command cannot reach the host's files, processes and network."""
    USERS = "users"
    """`user=` runs a command as another user."""
    PTY = "pty"
    """`spawn(pty=True)` gives a pseudo-terminal."""
    KILLS_DAEMONS = "kills_daemons"
    """A timeout also kills daemons that hide: double-forked, in a session and environment of their own."""
    KILLS_ON_DISCONNECT = "kills_on_disconnect"
    """What runs in it ends when the host process dies or the connection is lost."""
    DETACH = "detach"
    """It can be left running and found again in another process."""


class SandboxConfig(BaseModel):
    """The settings of a backend. Subclass it; frozen, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRequest:
    """One command to run to its end.

    Attributes:
        argv: The program and its arguments, as bytes; at least one, none with a zero byte.
        input: What the command reads on its standard input; None for an empty one.
        cwd: The directory to run in, relative to the sandbox's own; None for the sandbox's own.
        env: Environment variables to set on top of the sandbox's own.
        user: The user to run as; None for the sandbox's own.
        timeout: Seconds after which the process tree is killed; None for never.
        output_limit: How many bytes of each stream to keep.
    """

    argv: tuple[bytes, ...]
    input: bytes | None = None
    cwd: str | None = None
    env: Mapping[str, str]
    user: str | None = None
    timeout: float | None = None
    output_limit: int = DEFAULT_OUTPUT_LIMIT


@dataclass(frozen=True, slots=True)
class TerminalSize:
    """The size of a pseudo-terminal, in characters."""

    rows: int = 24
    columns: int = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnRequest:
    """One process to start and talk to; the fields are those of `ExecRequest`.

    Attributes:
        pty: The size of the pseudo-terminal to run it on; None for three pipes.
    """

    argv: tuple[bytes, ...]
    pty: TerminalSize | None = None
    cwd: str | None = None
    env: Mapping[str, str]
    user: str | None = None


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What is known of a file.

    Attributes:
        name: Its name, without the directory.
        kind: What it is; a link is reported as "symlink", not as what it points to.
        size: Its size in bytes.
        mode: Its permission bits, for instance 0o755.
        mtime: When it was last changed, in seconds since 1970.
    """

    name: str
    kind: Literal["file", "directory", "symlink", "other"]
    size: int
    mode: int
    mtime: float


class SandboxProcess(ABC):
    """A running process: its streams, and what can be done to it.

    Used as `async with`: at the end of the block the process and all that it started are gone.

    Attributes:
        stdin: Its standard input; closing it is the end of file. With a pseudo-terminal, the keyboard.
        stdout: Its standard output. With a pseudo-terminal, the screen: both streams, as they come.
        stderr: Its standard error; None with a pseudo-terminal.
    """

    stdin: ByteSendStream
    stdout: ByteReceiveStream
    stderr: ByteReceiveStream | None

    @abstractmethod
    async def wait(self) -> int:
        """Waits until it has ended, and returns its exit status (negative: the signal's number)."""

    @abstractmethod
    async def signal(self, number: int) -> None:
        """Sends it a signal; nothing happens if it has ended."""

    @abstractmethod
    async def resize(self, size: TerminalSize) -> None:
        """Changes the size of its pseudo-terminal.

        Raises:
            SandboxUnsupportedError: It has no pseudo-terminal.
        """

    @abstractmethod
    async def kill(self) -> None:
        """Kills it and all that it started; returns when they are gone."""

    @abstractmethod
    async def aclose(self) -> None:
        """Kills what is left and closes the streams. Calling it again does nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self.aclose()


class Sandbox(ABC):
    """A place where commands run and files live.

    The promises, on every backend: `exec` returns when the command itself ends, even if a
    background child still holds its output. A timeout or a cancellation kills the process tree.
    Output is read with bounded memory while the command runs. Nothing is run twice. Paths that are
    not absolute start at the sandbox's working directory.
    """

    name: ClassVar[str]
    """The name by which a configuration asks for this backend."""
    api_version: ClassVar[int] = API_VERSION
    """The version of the contract that the backend was written for."""
    Config: ClassVar[type[SandboxConfig]] = SandboxConfig
    """The backend's settings."""
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    """What the backend claims, whatever its settings."""

    # -- open and close ---------------------------------------------------------------------------

    @classmethod
    @asynccontextmanager
    async def open(cls, config: SandboxConfig | None = None) -> AsyncIterator[Self]:
        """Opens a sandbox for a block of code; at its end what ran in it is killed, and what it made removed.

        Daemons that hide are killed where the backend claims `Capability.KILLS_DAEMONS`.

        Args:
            config: An instance of this backend's `Config`; None for its defaults.

        Raises:
            SandboxUnavailable: It cannot be opened here; the message says why and what to do.
        """
        async with owned_tasks() as tasks:
            box = await cls._open(cls.Config() if config is None else config, tasks)
            try:
                yield box
            finally:
                with anyio.CancelScope(shield=True):
                    await box.aclose()

    @classmethod
    async def unusable(cls) -> str | None:
        """Says why this backend cannot be used on this machine, and what to do; None where it can."""
        return None

    @abstractmethod
    async def aclose(self) -> None:
        """Ends all that runs in it and removes what it made. Calling it again does nothing."""

    # -- commands ---------------------------------------------------------------------------------

    async def exec(
        self,
        cmd: Command,
        input: str | bytes | None = None,  # noqa: A002 - the field's name for it
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - enforced where the command runs
        *,
        output_limit: int = DEFAULT_OUTPUT_LIMIT,
    ) -> ExecResult:
        """Runs a command to its end.

        Args:
            cmd: The program and its arguments. No shell reads them: `["sh", "-c", "a | b"]` for one.
            input: What the command reads on its standard input (text as UTF-8); None for empty.
            cwd: The directory to run in; None for the sandbox's working directory.
            env: Environment variables to set on top of the sandbox's own.
            user: The user to run as; None for the sandbox's own.
            timeout: Seconds after which the command and all that it started are killed.
            output_limit: How many bytes of each stream to keep, half of them from its end.

        Returns:
            How it ended and what it wrote. A program that is not there is a result with 127, one
            that cannot be executed 126.

        Raises:
            ExecTimeout: The time ran out; the error carries the result so far.
            SandboxInputError: An argument that no operating system could take.
            SandboxUnsupportedError: A user was asked for and the backend cannot change users.
            SandboxError: The directory or the user does not exist.
            SandboxUnavailable: The sandbox is gone.
        """
        if timeout is not None and not timeout > 0:  # NaN is neither
            msg = f"timeout must be more than 0 seconds, got {timeout!r}"
            raise SandboxInputError(msg)
        if output_limit < 0:
            msg = f"output_limit must be 0 bytes or more, got {output_limit!r}"
            raise SandboxInputError(msg)
        self._check_user(user)
        request = ExecRequest(
            argv=_argv(cmd),
            input=_utf8(input, "the input") if isinstance(input, str) else input,
            cwd=None if cwd is None else _path(cwd),
            env=_environment(env),
            user=user,
            timeout=timeout,
            output_limit=output_limit,
        )
        return await self._exec(request)

    async def spawn(
        self,
        cmd: Command,
        *,
        pty: bool | TerminalSize = False,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> SandboxProcess:
        """Starts a process to talk to; use it as `async with await box.spawn([...]) as process`.

        Args:
            cmd: The program and its arguments.
            pty: Whether to run it on a pseudo-terminal, or the size of one.
            cwd: The directory to run in; None for the sandbox's working directory.
            env: Environment variables to set on top of the sandbox's own.
            user: The user to run as; None for the sandbox's own.

        Raises:
            SandboxInputError: An argument that no operating system could take.
            SandboxUnsupportedError: The backend has no pseudo-terminals, or cannot change users.
            SandboxError: It could not be started; the message says which step failed.
            SandboxUnavailable: The sandbox is gone.
        """
        self._check_user(user)
        if pty and Capability.PTY not in self.capabilities:
            msg = f"the {self.name} sandbox has no pseudo-terminals"
            raise SandboxUnsupportedError(msg)
        request = SpawnRequest(
            argv=_argv(cmd),
            pty=(pty if isinstance(pty, TerminalSize) else TerminalSize()) if pty else None,
            cwd=None if cwd is None else _path(cwd),
            env=_environment(env),
            user=user,
        )
        return await self._spawn(request)

    # -- files ------------------------------------------------------------------------------------

    @overload
    async def read_file(
        self,
        path: str,
        text: Literal[True] = True,  # noqa: FBT002
        *,
        limit: int = ...,
    ) -> str: ...
    @overload
    async def read_file(self, path: str, text: Literal[False], *, limit: int = ...) -> bytes: ...
    async def read_file(
        self,
        path: str,
        text: bool = True,  # noqa: FBT001, FBT002 - the field's signature
        *,
        limit: int = DEFAULT_READ_LIMIT,
    ) -> str | bytes:
        """Reads a whole file.

        Args:
            path: The file.
            text: Whether to decode it as UTF-8; line ends stay as they are.
            limit: How many bytes it may have.

        Raises:
            FileNotFoundError: There is no such file.
            IsADirectoryError: It is a directory.
            PermissionError: It may not be read.
            UnicodeDecodeError: It was to be text and is not UTF-8.
            SandboxLimitError: It is larger than the limit; nothing is returned.
        """
        contents = await self._read(_path(path), limit)
        if len(contents) > limit:
            msg = f"{path} is larger than the limit of {limit} bytes; read a part of it with a command"
            raise SandboxLimitError(msg)
        return contents.decode() if text else contents

    async def write_file(self, path: str, contents: str | bytes) -> None:
        """Writes a whole file, all of it or nothing; missing parent directories are made.

        The mode of an existing file stays, and a symbolic link stays a link: its target is written.

        Args:
            path: The file.
            contents: What to write; text as UTF-8, line ends as they are.

        Raises:
            IsADirectoryError: The path is a directory.
            NotADirectoryError: A parent of the path is a file.
            PermissionError: It may not be written.
        """
        data = _utf8(contents, f"the contents of {path}") if isinstance(contents, str) else contents
        await self._write(_path(path), data)

    async def list_dir(self, path: str = ".") -> list[FileInfo]:
        """Lists a directory, sorted by name, hidden files included.

        Raises:
            FileNotFoundError: There is no such directory.
            NotADirectoryError: It is not a directory.
        """
        return sorted(await self._list_dir(_path(path)), key=lambda info: info.name)

    async def stat(self, path: str) -> FileInfo:
        """Says what a file is; a symbolic link is not followed.

        Raises:
            FileNotFoundError: There is nothing at that path.
        """
        return await self._stat(_path(path))

    async def realpath(self, path: str) -> str:
        """Returns the absolute path without symbolic links and `..`; what does not exist may be named."""
        return await self._realpath(_path(path))

    async def remove(self, path: str) -> None:
        """Removes a file, a link (not what it points to) or a directory with all that is in it.

        Raises:
            FileNotFoundError: There is nothing at that path.
            SandboxInputError: It is the sandbox's own directory, or one above it.
        """
        here = await self._realpath(".")
        parent, name = posixpath.split(_path(path).rstrip("/"))
        if name in {"", ".", ".."} or here == posixpath.join(
            await self._realpath(parent or "."), name
        ):
            target = await self._realpath(path)
            if posixpath.commonpath([target, here]) == target:
                msg = f"{path} is the sandbox's own directory, or one above it: it is not removed"
                raise SandboxInputError(msg)
        await self._remove(_path(path))

    async def upload(self, source: str | Path, path: str) -> None:
        """Copies a file or a directory tree of the host into the sandbox.

        Empty directories are copied too, and executables stay executable. Links are followed: what they
        lead to is copied. What is no file and no directory (a socket, a link that leads nowhere) is left out,
        with a warning in the log.

        Args:
            source: A file or a directory on the host.
            path: Where it is to be in the sandbox.

        Raises:
            FileNotFoundError: There is no such source.
        """
        await self._upload(anyio.Path(source), path, ())

    async def _upload(self, source: anyio.Path, path: str, inside: tuple[anyio.Path, ...]) -> None:
        real = await source.resolve(strict=not inside)
        if await source.is_file():
            await self._upload_file(source, path)
        elif await source.is_dir() and real not in inside:
            await self._make_dir(_path(path))
            async for entry in source.iterdir():
                await self._upload(entry, posixpath.join(path, entry.name), (*inside, real))
        else:
            logger.warning(
                "%s is not uploaded: it is no file and no directory, or leads to itself", source
            )

    async def download(self, path: str, target: str | Path) -> None:
        """Copies a file or a directory tree of the sandbox to the host.

        Links inside of a tree are left out, since what runs in the sandbox may let them lead anywhere.

        Args:
            path: A file or a directory in the sandbox, or a link to one.
            target: Where it is to be on the host; missing parent directories are made.

        Raises:
            FileNotFoundError: There is nothing at that path.
        """
        await self._download(await self.realpath(path), anyio.Path(target))

    async def _download(self, path: str, place: anyio.Path) -> None:
        info = await self.stat(path)
        if info.kind == "file":
            await place.parent.mkdir(parents=True, exist_ok=True)
            await place.write_bytes(await self.read_file(path, text=False))
            await place.chmod(info.mode)
        elif info.kind == "directory":
            await place.mkdir(parents=True, exist_ok=True)
            for entry in await self.list_dir(path):
                await self._download(posixpath.join(path, entry.name), place / entry.name)

    def scratch(self, name: str) -> str:
        """Returns the path of a file of wieldy's own, outside of the working directory.

        Args:
            name: The name of the file.
        """
        return f"/tmp/.wieldy/{name}"  # noqa: S108 - inside the sandbox

    def attach_command(self) -> str:
        """Returns what a person types to get a shell inside.

        Raises:
            SandboxUnsupportedError: The backend has no such command.
        """
        msg = f"the {self.name} sandbox has no command to attach to it"
        raise SandboxUnsupportedError(msg)

    # -- what a backend writes --------------------------------------------------------------------

    @classmethod
    @abstractmethod
    async def _open(cls, config: SandboxConfig, tasks: TaskGroup) -> Self:
        """Opens a sandbox; its background tasks go into `tasks`, which end after `aclose`."""

    @abstractmethod
    async def _exec(self, request: ExecRequest) -> ExecResult: ...

    @abstractmethod
    async def _spawn(self, request: SpawnRequest) -> SandboxProcess: ...

    @abstractmethod
    async def _read(self, path: str, limit: int) -> bytes:
        """Reads a file; more than `limit` bytes are an error or `limit` + 1 of them."""

    @abstractmethod
    async def _write(self, path: str, contents: bytes) -> None: ...

    @abstractmethod
    async def _list_dir(self, path: str) -> list[FileInfo]: ...

    @abstractmethod
    async def _stat(self, path: str) -> FileInfo: ...

    @abstractmethod
    async def _realpath(self, path: str) -> str: ...

    @abstractmethod
    async def _remove(self, path: str) -> None: ...

    async def _make_dir(self, path: str) -> None:
        """Makes a directory and those above it; nothing happens where it exists.

        A backend may have a better way than the command.
        """
        result = await self.exec(["mkdir", "-p", "--", path])
        if not result.success:
            msg = f"the directory {path} cannot be made: {result.stderr.strip() or result.status}"
            raise SandboxError(msg)

    @abstractmethod
    async def _chmod(self, path: str, mode: int) -> None: ...

    # -- shared steps -----------------------------------------------------------------------------

    async def _upload_file(self, source: anyio.Path, path: str) -> None:
        mode = (await source.stat()).st_mode
        await self.write_file(path, await source.read_bytes())
        if mode & 0o111:
            await self._chmod(_path(path), 0o755)

    def _check_user(self, user: str | None) -> None:
        if user is not None and Capability.USERS not in self.capabilities:
            msg = f"the {self.name} sandbox cannot run commands as another user"
            raise SandboxUnsupportedError(msg)


SandboxOpener: TypeAlias = AbstractAsyncContextManager[Sandbox]
"""What `Sandbox.open` returns: enter it to open the sandbox."""


def _argv(cmd: Command) -> tuple[bytes, ...]:
    if isinstance(cmd, str | bytes):
        msg = f'cmd is a list of a program and its arguments, not one text: ["sh", "-c", {cmd!r}]'
        raise SandboxInputError(msg)
    if not cmd or not cmd[0]:
        msg = "cmd needs a program to run"
        raise SandboxInputError(msg)
    return tuple(_bytes(each, "an argument of the command") for each in cmd)


def _bytes(value: str | bytes, what: str) -> bytes:
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError as error:
        msg = f"{what} cannot be encoded: {error}"
        raise SandboxInputError(msg) from error
    if b"\0" in encoded:
        msg = f"{what} holds a zero byte, which no operating system can pass on"
        raise SandboxInputError(msg)
    return encoded


def _utf8(text: str, what: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        msg = f"{what} cannot be encoded as UTF-8: {error.reason}; hand it over as bytes"
        raise SandboxInputError(msg) from error


def _path(path: str) -> str:
    if not path:
        msg = "a path must not be empty"
        raise SandboxInputError(msg)
    _bytes(path, "a path")
    return path


def _environment(env: Mapping[str, str] | None) -> dict[str, str]:
    for name, value in (env or {}).items():
        if not name or "=" in name:
            msg = f"{name!r} cannot be the name of an environment variable"
            raise SandboxInputError(msg)
        _bytes(name, "the name of an environment variable")
        _bytes(value, f"the environment variable {name}")
    return dict(env or {})
