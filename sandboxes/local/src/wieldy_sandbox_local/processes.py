"""Which processes belong to a command, and their end.

A command gets a session of its own, and a variable in its environment (the cookie) that all it
starts inherits. A process belongs to it if it has the cookie, is in a session of one that belongs
to it, or has a parent that does. What escapes is a process that leaves all three behind: a daemon
that changes its session and its environment, and whose parent has ended.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

_PATIENCE = 5.0
_PAUSE = 0.002
_DEAD = frozenset({b"Z", b"X", b"x"})
_HAS_PROC = sys.platform == "linux"
# A process that is just starting another program shows no environment for a moment, and one forked
# during a scan may be missed by it. A second look makes up for both; where there was much to kill,
# it takes more.
_CLEAN_SCANS = 2
_MANY_SCANS = 6


@dataclass(frozen=True, slots=True)
class Hunt:
    """What to kill.

    Attributes:
        cookie: The name of the environment variable by which the processes of a sandbox are known.
        roots: Main processes of commands. None may have been reaped: that keeps their ids taken,
            and so their group and session theirs.
        marks: The values of the cookie to look for; None for every value.
        directory: Also kill what has its working directory in here.
    """

    cookie: bytes
    roots: frozenset[int] = frozenset()
    marks: frozenset[bytes] | None = frozenset()
    directory: bytes | None = None

    @staticmethod
    def together(hunts: Iterable["Hunt"]) -> "Hunt":
        """Makes one of several hunts in the same sandbox: one scan serves all of them."""
        hunts = list(hunts)
        marks = [hunt.marks for hunt in hunts]
        named = [mark for mark in marks if mark is not None]
        return Hunt(
            cookie=hunts[0].cookie,
            roots=frozenset().union(*(hunt.roots for hunt in hunts)),
            marks=frozenset().union(*named) if len(named) == len(marks) else None,
            directory=next((hunt.directory for hunt in hunts if hunt.directory), None),
        )


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    group: int
    session: int
    dead: bool
    marked: bool


def kill(hunt: Hunt) -> bool:
    """Kills what a hunt is after, until nothing of it is left. Blocks: call it in a thread.

    Returns:
        Whether all of it is gone; False where something would not die within five seconds.
    """
    if not _HAS_PROC:
        for root in hunt.roots:
            _send_kill(os.killpg, root)
        return True
    deadline = time.monotonic() + _PATIENCE
    sessions = hunt.roots
    scans = clean = 0
    while time.monotonic() < deadline:
        # The first scan has to see who is whose child, which a kill would change. Whoever is still
        # there later may be forking faster than a scan takes, and is killed as soon as it is seen.
        table = _process_table(hunt, at_sight=scans > 0)
        members = _members(hunt, table, sessions)
        scans += 1
        clean = clean + 1 if all(member.dead for member in members) else 0
        if clean >= (_CLEAN_SCANS if scans < _MANY_SCANS else _MANY_SCANS):
            return True
        _kill_members(members, table)
        sessions = hunt.roots | {member.session for member in members if _leads(member, table)}
        time.sleep(_PAUSE)
    return False


def _kill_members(members: list[_Process], table: dict[int, _Process]) -> None:
    # The kernel signals a whole group at once, so a group cannot outrun this by forking. Groups are
    # never shared with strangers, save where a stranger leads: then only the member is killed.
    known = {member.pid for member in members}
    for group in {member.group for member in members}:
        # Group 0 is how one of another pid namespace shows; to killpg it would mean our own.
        if group > 1 and (group in known or group not in table):
            _send_kill(os.killpg, group)
    for member in members:
        if not member.dead:
            _send_kill(os.kill, member.pid)


def _leads(member: _Process, table: dict[int, _Process]) -> bool:
    """Tells whether the session of a process was made by it or by one that is gone."""
    session = member.session
    return session > 1 and (session == member.pid or session not in table)


def _members(hunt: Hunt, table: dict[int, _Process], sessions: frozenset[int]) -> list[_Process]:
    own_session = os.getsid(0)
    candidates = [each for each in table.values() if each.session != own_session]
    children: dict[int, list[_Process]] = {}
    for process in candidates:
        children.setdefault(process.parent, []).append(process)
    found: dict[int, _Process] = {}
    queue = [
        each
        for each in candidates
        if each.marked
        or each.pid in hunt.roots
        or each.session in sessions
        or _is_inside(each.pid, hunt.directory)
    ]
    while queue:
        process = queue.pop()
        if process.pid not in found:
            found[process.pid] = process
            queue += children.get(process.pid, [])
    return list(found.values())


def _process_table(hunt: Hunt, *, at_sight: bool) -> dict[int, _Process]:
    cookie = re.compile(rb"(?:^|\0)" + re.escape(hunt.cookie) + rb"=([^\0]*)")
    table = {}
    for pid in _newest_first():
        found = cookie.search(_contents(f"/proc/{pid}/environ"))
        marked = found is not None and (hunt.marks is None or found[1] in hunt.marks)
        if marked and at_sight:
            _send_kill(os.kill, pid)
        process = _process(pid, marked=marked)
        if process is not None:
            table[pid] = process
    return table


def _newest_first() -> list[int]:
    """Returns all process ids, those given out last first: they are the first to be gone again."""
    names = os.listdir("/proc")  # noqa: PTH208 - a Path for each would cost more than the scan
    last = int(_contents("/proc/loadavg").split()[-1])
    pids = [int(name) for name in names if name.isdecimal()]
    return sorted(pids, key=lambda pid: (pid <= last, pid), reverse=True)


def _process(pid: int, *, marked: bool) -> _Process | None:
    # The name of the program stands in brackets and may itself hold brackets and spaces.
    fields = _contents(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if not fields:
        return None
    state, parent, group, session = fields[:4]
    return _Process(
        pid=pid,
        parent=int(parent),
        group=int(group),
        session=int(session),
        dead=state in _DEAD,
        marked=marked,
    )


def _is_inside(pid: int, directory: bytes | None) -> bool:
    if directory is None:
        return False
    try:
        path = os.readlink(b"/proc/%d/cwd" % pid)  # noqa: PTH115 - the path may be any bytes
    except OSError:
        return False
    return (path + b"/").startswith(directory + b"/")


def _contents(path: str) -> bytes:
    """Reads a file of /proc; nothing where the process is gone or another user's."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = []
        while part := os.read(fd, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(fd)


def _send_kill(send: Callable[[int, int], None], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        send(number, signal.SIGKILL)
