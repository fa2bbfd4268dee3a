"""The processes of one sandbox: how they are started, and how all of them are ended."""

# Paths are taken as they were written: a Path would turn "a/" into "a".
# ruff: noqa: PTH118

import errno
import itertools
import logging
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio
import anyio.lowlevel

from wieldy.exceptions import SandboxError, SandboxUnavailable

from .child import Child
from .environment import COOKIE_PREFIX, encoded
from .killer import Killer
from .processes import Hunt

logger = logging.getLogger(__name__)

# What a shell answers with 127, "not found"; for every other reason it says 126.
_NOT_FOUND = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
_FEW = 4
_NO_ROOM = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})


class NotStartedError(Exception):
    """The program is not there or cannot be executed.

    Args:
        returncode: What a shell says then: 127 or 126.
        message: The reason, for people.
    """

    def __init__(self, returncode: int, message: str) -> None:
        super().__init__(message)
        self.returncode = returncode
        self.message = message


@dataclass(frozen=True, slots=True)
class Start:
    """What to start, and on which file descriptors.

    Attributes:
        argv: The program and its arguments.
        stdin: The file descriptor that becomes its standard input; the others alike.
        cwd: The directory to run in, relative to the sandbox's own; None for the sandbox's own.
        env: What to set on top of the sandbox's environment.
        pass_fds: Further file descriptors that it gets under the same number.
    """

    argv: Sequence[bytes]
    stdin: int
    stdout: int
    stderr: int
    cwd: str | None
    env: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()


class Children:
    """Starts the processes of one sandbox and knows those that run.

    Args:
        workdir: The sandbox's working directory.
        env: The environment of every process.
        own_directory: What has its working directory in here is the sandbox's too.
        use_pidfd: Whether to learn of the end of a process from a pidfd, where there is one.

    Attributes:
        closed: Whether nothing more may be started.
        null: A file descriptor of the null device, to be the standard input of processes.
    """

    def __init__(
        self, workdir: str, env: Mapping[bytes, bytes], own_directory: str, *, use_pidfd: bool
    ) -> None:
        self.workdir = workdir
        self.closed = False
        self._env = dict(env)
        self._own_directory = os.fsencode(own_directory)
        self._use_pidfd = use_pidfd
        self._cookie = COOKIE_PREFIX + secrets.token_hex(8).encode()
        self._marks = itertools.count(1)
        self._killer = Killer()
        self._live: set[Child] = set()
        self._turn = anyio.Lock()
        self.null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)

    def check_open(self) -> None:
        """Refuses to go on in a sandbox that was closed.

        Raises:
            SandboxUnavailable: It was closed.
        """
        if self.closed:
            msg = "the local sandbox is closed: its block has ended, open another one"
            raise SandboxUnavailable(msg)

    async def take_turn(self) -> None:
        """Waits for the moment to start a process: to be called before `start`.

        A start holds up the event loop for a millisecond. Where many come at once, others get their
        turn in between.
        """
        if len(self._live) < _FEW:
            await anyio.lowlevel.checkpoint_if_cancelled()
            return
        async with self._turn:
            await anyio.lowlevel.checkpoint()

    def environment(self, env: Mapping[str, str]) -> dict[bytes, bytes]:
        """Returns the environment of a process that sets some variables of its own."""
        return {**self._env, **encoded(env)}

    def start(self, start: Start) -> Child:
        """Starts a process in a session of its own.

        Raises:
            NotStartedError: The program is not there or cannot be executed.
            SandboxError: The directory is not there, or the machine cannot take another process.
            SandboxUnavailable: The sandbox is closed.
        """
        self.check_open()
        mark = b"%d" % next(self._marks)
        directory = self.workdir if start.cwd is None else os.path.join(self.workdir, start.cwd)
        try:
            popen = subprocess.Popen(  # noqa: S603 - to run commands is what it is for
                start.argv,
                stdin=start.stdin,
                stdout=start.stdout,
                stderr=start.stderr,
                cwd=directory,
                env={**self.environment(start.env), self._cookie: mark},
                start_new_session=True,
                pass_fds=start.pass_fds,
            )
            child = Child(popen, mark, use_pidfd=self._use_pidfd)
        except (OSError, RuntimeError) as error:
            raise _translated(error, start.argv, directory) from error
        self._live.add(child)
        return child

    def forget(self, child: Child) -> int | None:
        """Reaps a process that has ended and returns its exit status."""
        self._live.discard(child)
        child.close()
        return child.reap()

    async def kill(self, child: Child) -> None:
        """Kills a process and all that it started; returns when they are gone."""
        gone = await self._killer.kill(
            Hunt(
                cookie=self._cookie,
                roots=frozenset({child.pid}) if child.returncode is None else frozenset(),
                marks=frozenset({child.mark}),
            )
        )
        if not gone:
            logger.warning("what process %d started would not die within 5 seconds", child.pid)

    async def close(self) -> None:
        """Kills all that was ever started here and still runs; returns when it is gone."""
        self.closed = True
        gone = await self._killer.kill(
            Hunt(
                cookie=self._cookie,
                roots=frozenset(each.pid for each in self._live if each.returncode is None),
                marks=None,
                directory=self._own_directory,
            )
        )
        if not gone:
            logger.warning("some processes of a local sandbox would not die within 5 seconds")
        if self.null >= 0:
            os.close(self.null)
            self.null = -1


def limit_error(argv: Sequence[bytes], error: Exception) -> SandboxError:
    """Returns the error that says that the machine can take no more."""
    return SandboxError(
        f"cannot start {os.fsdecode(argv[0])!r}, the machine is at a limit: {error}"
    )


def _translated(
    error: OSError | RuntimeError, argv: Sequence[bytes], directory: str
) -> NotStartedError | SandboxError:
    program = os.fsdecode(argv[0])
    if not isinstance(error, OSError) or error.errno in _NO_ROOM:
        return limit_error(argv, error)
    if error.errno == errno.E2BIG:
        size = sum(len(each) + 1 for each in argv)
        return SandboxError(
            f"the command line of {program!r} is too long for this machine ({size} bytes); "
            "hand large data over as `input` or in a file"
        )
    # `subprocess` tells the two apart: an error of chdir has the directory as its file name, as text,
    # one of exec the program, as bytes.
    if isinstance(error.filename, str):
        return SandboxError(f"cannot run a command in {directory!r}: {error.strerror}")
    message = f"cannot start {program!r}: {error.strerror}"
    return NotStartedError(127 if error.errno in _NOT_FOUND else 126, message)
