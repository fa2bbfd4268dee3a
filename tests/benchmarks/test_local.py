"""What a command in the local sandbox costs, next to starting the same program by hand."""

import os

import anyio
import pytest

from wieldy_sandbox_local import LocalSandbox

TRUE = "/bin/true"


def floor():
    """posix_spawn, a pipe, waitpid: nothing less runs a program and reads what it prints."""
    read_end, write_end = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, write_end, 1), (os.POSIX_SPAWN_CLOSE, read_end)]
    pid = os.posix_spawn(TRUE, [TRUE], os.environ, file_actions=actions)
    os.close(write_end)
    while os.read(read_end, 65536):
        pass
    os.waitpid(pid, 0)
    os.close(read_end)


@pytest.fixture
def anyio_backend():
    """Figures are those of one loop: the floor is the same for both."""
    return "asyncio"


async def test_command(compare_async):
    """A command costs at most 1.6 times the floor; the peer is anyio's own way."""

    async def by_hand():
        floor()

    async with LocalSandbox.open() as box:
        variants = {
            "posix_spawn + pipe + waitpid": by_hand,
            "local exec": lambda: box.exec([TRUE]),
            "anyio.run_process": lambda: anyio.run_process([TRUE]),
        }
        result = await compare_async("true on local", variants, rounds=400)
    assert result.ratio("local exec") <= 1.6
