"""The directories of a sandbox: made at its start, removed at its end."""

import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wieldy.exceptions import SandboxUnavailable

_ATTEMPTS = 10
_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Directories:
    """Where a sandbox lives.

    Attributes:
        own: The private directory, removed at the end.
        work: Where commands run; in the private one, unless the user gave one.
        home: The home directory of commands, in the private one.
        tmp: The directory for their temporary files, in the private one.
    """

    own: str
    work: str
    home: str
    tmp: str


def make_directories(workdir: Path | None) -> Directories:
    """Makes the directories of a sandbox.

    Args:
        workdir: The directory in which commands shall run; None for one of the sandbox's own.

    Raises:
        SandboxUnavailable: The given directory does not exist, or none can be made.
    """
    if workdir is not None:
        workdir = workdir.expanduser().absolute()
        if not workdir.is_dir():
            msg = f"the workdir of the local sandbox is not a directory: {workdir}"
            raise SandboxUnavailable(msg)
    try:
        own = Path(tempfile.mkdtemp(prefix="wieldy-")).resolve()
        for name in ("work", "home", "tmp"):
            (own / name).mkdir()
    except OSError as error:
        msg = f"cannot make a directory for the local sandbox: {error}"
        raise SandboxUnavailable(msg) from error
    return Directories(
        own=str(own),
        work=str(own / "work" if workdir is None else workdir),
        home=str(own / "home"),
        tmp=str(own / "tmp"),
    )


def remove_tree(path: str) -> None:
    """Removes a directory with all that is in it, read-only directories too.

    A process that is still writing into it can make this fail; it is tried a few times.

    Raises:
        OSError: Something in it could not be removed.
    """
    for attempt in range(_ATTEMPTS):
        try:
            shutil.rmtree(path)
        except OSError:
            if not os.path.lexists(path):
                return
            if attempt == _ATTEMPTS - 1:
                raise
            _unlock(path)
            time.sleep(_PAUSE if attempt else 0)
        else:
            return


def _unlock(path: str) -> None:
    """Makes all directories of a tree writable for their owner; the walk comes to them later."""
    with suppress(OSError):
        Path(path).chmod(stat.S_IRWXU)
    for parent, names, _ in os.walk(path):
        for name in names:
            child = Path(parent, name)
            with suppress(OSError):
                if not child.is_symlink():
                    child.chmod(stat.S_IRWXU)
