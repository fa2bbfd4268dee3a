"""Files of the host, for the sandbox. Everything here blocks: call it in a thread."""

# Paths are taken as they were written: a Path would turn "a/" into "a".
# ruff: noqa: PTH103, PTH105, PTH108, PTH116, PTH118, PTH119, PTH120

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, TypeAlias

from wieldy.sandboxes import FileInfo

from .directories import remove_tree

_Kind: TypeAlias = Literal["file", "directory", "symlink", "other"]

_CHUNK = 1 << 20
# Where a new file cannot be put in the place of the old one, though the old one may be written: the
# directory is not writable, it is sticky, the file is a mount point, or the directory is read-only.
_IN_PLACE = frozenset({errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV, errno.EROFS})


def read(path: str, limit: int) -> bytes:
    """Reads a regular file, and at most one byte more than the limit.

    Raises:
        OSError: It is not there, may not be read, or is not a regular file.
    """
    _check_regular(os.stat(path), path)
    # Non-blocking, should it be something else by now: a pipe that nobody writes to would block.
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        _check_regular(os.fstat(fd), path)
        return b"".join(_chunks(fd, limit + 1))
    finally:
        os.close(fd)


def write(path: str, contents: bytes) -> None:
    """Writes a whole file: all of it or nothing, wherever the directory allows a new file.

    Raises:
        OSError: It may not be written, is a directory, or is no regular file.
    """
    if path.endswith("/"):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    target = os.path.realpath(path)
    old = _stat_or_none(target)
    if old is None:
        _make_parents(target)
    else:
        _check_regular(old, path)
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    try:
        _replace(target, contents, old)
    except OSError as error:
        if old is None or error.errno not in _IN_PLACE:
            raise
        _write_new_contents(target, contents)


def list_dir(path: str) -> list[FileInfo]:
    """Lists a directory; what vanishes meanwhile is left out."""
    found = []
    with os.scandir(path) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                found.append(_info(entry.name, entry.stat(follow_symlinks=False)))
    return found


def info(path: str) -> FileInfo:
    """Says what a file is, without following a link."""
    name = os.path.basename(path.rstrip("/")) or "/"
    return _info(name, os.lstat(path))


def remove(path: str) -> None:
    """Removes a file, a link or a directory with all that is in it."""
    if stat.S_ISDIR(os.lstat(path).st_mode):
        remove_tree(path)
    else:
        os.unlink(path)


def _chunks(fd: int, size: int) -> Iterator[bytes]:
    # The size that the file claims is no help: a file of /proc claims none.
    while size > 0:
        chunk = os.read(fd, min(size, _CHUNK))
        if not chunk:
            return
        yield chunk
        size -= len(chunk)


def _check_regular(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)


def _stat_or_none(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _make_parents(target: str) -> None:
    parent = os.path.dirname(target)
    try:
        os.makedirs(parent, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), parent) from None


def _replace(target: str, contents: bytes, old: os.stat_result | None) -> None:
    """Writes a file beside the target and gives it the target's name."""
    beside = os.path.join(os.path.dirname(target), f".wieldy-{secrets.token_hex(8)}")
    # Without a mode of its own: the umask of this process decides, as for any new file.
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            _write_all(fd, contents)
            if old is not None:
                _take_over(fd, old)
        finally:
            os.close(fd)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _take_over(fd: int, old: os.stat_result) -> None:
    """Gives a new file the owner and the mode of the one that it replaces."""
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


def _write_new_contents(target: str, contents: bytes) -> None:
    fd = os.open(target, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        _write_all(fd, contents)
    finally:
        os.close(fd)


def _write_all(fd: int, contents: bytes) -> None:
    rest = memoryview(contents)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _info(name: str, status: os.stat_result) -> FileInfo:
    return FileInfo(
        name=name,
        kind=_kind(status.st_mode),
        size=status.st_size,
        mode=stat.S_IMODE(status.st_mode),
        mtime=status.st_mtime,
    )


def _kind(mode: int) -> _Kind:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "symlink" if stat.S_ISLNK(mode) else "other"
