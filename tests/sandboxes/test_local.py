"""The local sandbox: the promises of every sandbox, and what is special to this one."""

import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import anyio
import pydantic
import pytest

from wieldy.exceptions import SandboxError, SandboxInputError, SandboxUnavailable
from wieldy.sandboxes import Capability, Ending, ExecTimeout, SandboxConfig
from wieldy.testing.sandbox_conformance import SandboxConformance, beat
from wieldy_sandbox_local import LocalConfig, LocalSandbox, plugin

MIB = 1024 * 1024
SEEN_OF_THE_HOST = {
    *("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "USER", "LOGNAME", "SHELL")
}

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
async def box():
    async with LocalSandbox.open() as box:
        yield box


def alive(pid):
    """Tells whether a process runs; one that is dead and not reaped yet does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in {"Z", "X"}


def with_variable(name):
    """Returns the processes that run and have a variable in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and alive(entry.name):
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if name.encode() in environment:
                found.append(int(entry.name))
    return found


def open_files():
    """Returns the numbers of the open file descriptors of this process."""
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


async def pid_in(box, path):
    """Waits until a command has written a process id into a file, and returns it."""
    with anyio.fail_after(10):
        while True:
            try:
                text = await box.read_file(path)
            except FileNotFoundError:
                text = ""
            if text.endswith("\n"):
                return int(text)
            await anyio.sleep(0.01)


class TestLocal(SandboxConformance):
    """The promises of every sandbox."""

    def open_sandbox(self):
        return LocalSandbox.open()


class LocalWithoutPidfd(LocalSandbox):
    """As on systems where a file descriptor does not tell of the end of a process."""

    use_pidfd = False


class TestWithoutPidfd:
    """The end of a process is learned from a thread."""

    @pytest.fixture
    async def box(self):
        async with LocalWithoutPidfd.open() as box:
            yield box

    async def test_exit_status(self, box):
        """The exit status of a command is its result."""
        result = await box.exec(["sh", "-c", "echo out; exit 3"])
        assert (result.returncode, result.stdout) == (3, "out\n")

    async def test_background_child(self, box):
        """The result is there when the command ends, though a child holds its output (SE06)."""
        with anyio.fail_after(10):
            result = await box.exec(["sh", "-c", "sleep 60 & echo out"])
        assert (result.stdout, result.background_left) == ("out\n", True)

    @linux
    async def test_timeout(self, box):
        """A timeout kills the process tree."""
        with pytest.raises(ExecTimeout):
            await box.exec(["sh", "-c", "sleep 60 & sleep 60"], env={"NOPIDFD1": "1"}, timeout=0.2)
        assert with_variable("NOPIDFD1") == []

    @linux
    async def test_cancellation(self, box):
        """A cancellation kills the process tree."""
        with anyio.move_on_after(0.2) as scope:
            await box.exec(["sh", "-c", "sleep 60 & sleep 60"], env={"NOPIDFD2": "1"})
        assert scope.cancelled_caught
        assert with_variable("NOPIDFD2") == []

    async def test_many_at_once(self, box):
        """Fifty commands at once each have their own result."""
        results = {}

        async def run(number):
            results[number] = (await box.exec(["sh", "-c", f"exit {number}"])).returncode

        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(run, number)
        assert results == {number: number for number in range(50)}

    async def test_process(self, box):
        """Several tasks learn of the end of a process."""
        statuses = []

        async def wait():
            statuses.append(await process.wait())

        process = await box.spawn(["sh", "-c", "read line; exit 7"])
        async with process, anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await process.stdin.aclose()
        assert statuses == [7, 7]


class TestEnvironment:
    """What a command sees of the host's environment."""

    @staticmethod
    async def seen(config=None, env=None):
        """Returns the environment of a command, without the cookie of the sandbox."""
        async with LocalSandbox.open(config) as box:
            result = await box.exec(["env", "-0"], env=env)
        pairs = [line.partition("=") for line in result.stdout.split("\0")[:-1]]
        return {name: value for name, _, value in pairs if not name.startswith("WIELDY_BOX_")}

    async def test_allow_list(self):
        """A command sees the variables of a short list, and a home and a TMPDIR of its own."""
        of_the_host = {
            name for name in os.environ if name in SEEN_OF_THE_HOST or name.startswith("LC_")
        }
        assert set(await self.seen()) == of_the_host | {"PATH", "HOME", "TMPDIR"}

    async def test_pass_env(self):
        """A variable is let through by its name, HOME too; one that is not set stays unset."""
        config = LocalConfig(pass_env=["PYTEST_CURRENT_TEST", "HOME", "NO_SUCH_VARIABLE"])
        seen = await self.seen(config)
        assert "test_pass_env" in seen["PYTEST_CURRENT_TEST"]
        assert seen["HOME"] == os.environ["HOME"]
        assert "NO_SUCH_VARIABLE" not in seen

    async def test_configured_variables(self):
        """Variables of the configuration win over the host's, those of a command over both."""
        config = LocalConfig(env={"TERM": "dumb", "A": "configured", "B": "configured"})
        seen = await self.seen(config, env={"B": "of the command"})
        assert (seen["TERM"], seen["A"], seen["B"]) == ("dumb", "configured", "of the command")

    async def test_programs_are_found_by_the_path_of_the_command(self, box):
        """The PATH that a command is given decides which program it is."""
        await box.write_file("bin/greet", "#!/bin/sh\necho hello\n")
        await box.exec(["chmod", "755", "bin/greet"])
        path = await box.realpath("bin")
        result = await box.exec(["greet"], env={"PATH": path})
        assert result.stdout == "hello\n"

    def test_impossible_variable(self):
        """A name that cannot be one of a variable is refused with the configuration."""
        with pytest.raises(pydantic.ValidationError):
            LocalConfig(env={"A=B": "x"})


class TestDirectories:
    """Where a sandbox lives and what is left of it."""

    async def test_own_directory_is_removed(self):
        """A sandbox without a given directory leaves nothing behind, read-only parts included."""
        async with LocalSandbox.open() as box:
            own = Path(await box.realpath(".")).parent
            await box.exec(["sh", "-c", "mkdir -p a/b; echo x > a/b/c; chmod 500 a/b a"])
            assert own.is_dir()
        assert not own.exists()

    async def test_given_directory_stays(self, tmp_path):
        """A given directory is used, and left as it is at the end."""
        async with LocalSandbox.open(LocalConfig(workdir=tmp_path)) as box:
            await box.write_file("file", "x")
            assert await box.realpath(".") == str(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["file"]

    async def test_home_and_temporary_files_are_private(self, tmp_path):
        """HOME and TMPDIR are outside a given directory, private, and gone at the end."""
        async with LocalSandbox.open(LocalConfig(workdir=tmp_path)) as box:
            result = await box.exec(["sh", "-c", 'echo x > "$HOME/f"; mktemp; echo "$HOME"'])
            file, home = map(Path, result.stdout.split())
            own = home.parent
            assert own == file.parent.parent
            assert tmp_path not in own.parents
            assert own.stat().st_mode & 0o777 == 0o700
        assert not own.exists()

    async def test_missing_given_directory(self, tmp_path):
        """A given directory that does not exist is an error that names it."""
        with pytest.raises(SandboxUnavailable, match="missing"):
            async with LocalSandbox.open(LocalConfig(workdir=tmp_path / "missing")):
                pass

    async def test_working_directory_deleted_under_it(self, box):
        """Once its directory is gone, a command is a clear error and no missing program."""
        path = Path(await box.realpath("."))
        await box.exec(["sh", "-c", 'rmdir "$1"', "sh", str(path)])
        with pytest.raises(SandboxError, match=str(path)):
            await box.exec(["true"])

    async def test_directory_is_removed_though_somebody_writes(self):
        """A process that keeps writing into the directory does not save it."""
        async with LocalSandbox.open() as box:
            own = Path(await box.realpath(".")).parent
            writer = "i=0; while :; do mkdir -p d$i; echo > d$i/f; i=$((i+1)); done"
            await box.exec(["sh", "-c", f"{{ {writer}; }} >/dev/null 2>&1 &"])
            await anyio.sleep(0.2)
        assert not own.exists()

    async def test_cancelled_opening(self):
        """Opening that is cancelled leaves no directory behind."""
        program = """
import anyio
from wieldy_sandbox_local import LocalSandbox

async def stay():
    async with LocalSandbox.open():
        await anyio.sleep_forever()

async def main():
    for _ in range(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stay)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()

anyio.run(main, backend="trio")
"""
        env = {"PYTHONPATH": os.pathsep.join(sys.path)}
        async with LocalSandbox.open() as box:
            result = await box.exec(
                ["sh", "-c", '"$0" -c "$1" && ls -A "$TMPDIR"', sys.executable, program], env=env
            )
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")

    async def test_attach_command(self, box):
        """The command for a person starts a shell in the working directory."""
        result = await box.exec(
            ["sh", "-c", f"cd /; echo pwd | {box.attach_command()}"], env={"SHELL": "/bin/sh"}
        )
        assert result.stdout == await box.realpath(".") + "\n"


class TestStarting:
    """What happens where a program cannot be started."""

    async def test_message_for_a_missing_program(self, box):
        """The message on stderr says what could not be started and why (SE02)."""
        result = await box.exec(["nope"])
        assert result.stderr == "wieldy: cannot start 'nope': No such file or directory\n"

    async def test_exec_format(self, box):
        """A file in no known format is not executable: 126."""
        await box.write_file("garbage", b"\x00\x01\x02")
        await box.exec(["chmod", "755", "garbage"])
        result = await box.exec(["./garbage"])
        assert (result.returncode, result.ending) == (126, Ending.NOT_STARTED)
        assert result.stderr == "wieldy: cannot start './garbage': Exec format error\n"

    async def test_too_long(self, box):
        """A command line that the machine cannot take is an error that says what to do (SE18)."""
        with pytest.raises(SandboxError, match="hand large data over as `input`"):
            await box.exec(["true", *["x" * 100_000] * 100])

    async def test_wrong_configuration(self):
        """The settings of another backend are refused."""
        with pytest.raises(SandboxInputError, match="LocalConfig"):
            async with LocalSandbox.open(SandboxConfig()):
                pass

    async def test_usable_here(self):
        """The backend can be used where its tests run."""
        assert await LocalSandbox.unusable() is None

    def test_claims(self):
        """The backend claims terminals and nothing else."""
        assert LocalSandbox.capabilities == {Capability.PTY}

    def test_plugin(self):
        """The plugin gives the backend."""
        assert plugin.wieldy_sandboxes() == [LocalSandbox]


class TestStreams:
    """Large and endless streams."""

    async def test_fifty_megabytes_of_input(self, box):
        """Fifty megabytes of binary input are delivered (SE10)."""
        with anyio.fail_after(30):
            result = await box.exec(["cksum"], input=bytes(range(256)) * (50 * MIB // 256))
        assert result.stdout == "2794753710 52428800\n"

    async def test_memory_is_bounded(self, box):
        """A hundred megabytes of output take no more memory than the limit asks for."""
        tracemalloc.start()
        try:
            result = await box.exec(["head", "-c", str(100 * MIB), "/dev/zero"], output_limit=MIB)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert result.dropped == 99 * MIB
        assert peak < 6 * MIB

    async def test_memory_is_bounded_for_small_pieces(self, box):
        """Output in many small pieces takes no more memory than one in large pieces."""
        tracemalloc.start()
        try:
            script = "i=0; while [ $i -lt 50000 ]; do echo 1234567; i=$((i+1)); done"
            result = await box.exec(["sh", "-c", script], output_limit=100_000)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert result.dropped == 300_000
        assert peak < MIB

    @linux
    async def test_child_that_writes_without_end_is_read_calmly(self, box):
        """What a background child writes is thrown away without taking a whole processor."""
        await box.exec(["sh", "-c", "yes &"])
        before = sum(os.times()[:2])
        await anyio.sleep(0.5)
        assert sum(os.times()[:2]) - before < 0.4


@linux
class TestKilling:
    """What dies and what lives."""

    async def test_time_of_a_kill(self, box):
        """A process that ignores TERM is gone with its child well within a second (SE05)."""
        script = "trap '' TERM; sleep 60 & sleep 60; sleep 60"
        with pytest.raises(ExecTimeout) as caught:
            await box.exec(["sh", "-c", script], env={"KILLTIME": "1"}, timeout=0.2)
        assert with_variable("KILLTIME") == []
        assert caught.value.result.seconds < 1.2

    async def test_daemon_with_its_environment(self, box):
        """A daemon without a parent, in a session of its own, is found by its environment."""
        script = "(setsid sh -c 'echo $$ > pid; exec sleep 60' &) ; sleep 60"
        with pytest.raises(ExecTimeout):
            await box.exec(["sh", "-c", script], timeout=0.5)
        assert not alive(await pid_in(box, "pid"))

    async def test_orphan_in_the_session(self, box):
        """A process without parent and environment is found by the session of the command."""
        program = """
import os
if os.fork() == 0 and os.fork() == 0:
    os.setpgid(0, 0)
    with open("pid", "w") as file:
        print(os.getpid(), file=file)
    os.execve("/bin/sleep", ["sleep", "60"], {})
"""
        script = '"$0" -c "$1"; exec sleep 60'
        with pytest.raises(ExecTimeout):
            await box.exec(["sh", "-c", script, sys.executable, program], timeout=1)
        assert not alive(await pid_in(box, "pid"))

    async def test_fork_relay(self, box):
        """Processes that each start the next one, in a session of its own, and end at once do not
        outrun the kill."""
        await box.write_file("relay", "setsid sh relay &\n")
        script = "setsid sh relay & setsid sh relay & setsid sh relay & sleep 60"
        with anyio.fail_after(20), pytest.raises(ExecTimeout):
            await box.exec(["sh", "-c", script], env={"FORKRELAY": "1"}, timeout=0.3)
        for _ in range(5):
            assert with_variable("FORKRELAY") == []

    async def test_fork_storm(self, box):
        """Hundreds of processes in sessions of their own are gone after a timeout."""
        script = "i=0; while [ $i -lt 300 ]; do setsid sleep 60 & i=$((i+1)); done; sleep 60"
        with anyio.fail_after(20), pytest.raises(ExecTimeout):
            await box.exec(["sh", "-c", script], env={"FORKSTORM": "1"}, timeout=0.5)
        assert with_variable("FORKSTORM") == []

    async def test_many_cancellations(self, box):
        """Fifty commands that are cancelled at once are all gone."""
        with anyio.fail_after(20):
            with anyio.move_on_after(0.5):
                async with anyio.create_task_group() as tasks:
                    for _ in range(50):
                        tasks.start_soon(
                            lambda: box.exec(
                                ["sh", "-c", "setsid sleep 60 & sleep 60"], env={"CANCELS": "1"}
                            )
                        )
            assert with_variable("CANCELS") == []

    async def test_sandbox_inside_a_sandbox(self, box):
        """A timeout reaches what a sandbox inside the command has started."""
        program = """
import anyio
from wieldy_sandbox_local import LocalSandbox

async def main():
    async with LocalSandbox.open() as box:
        await box.exec(["sh", "-c", "(setsid sleep 60 &)"], env={"NESTED": "1"})
        open("ready", "w").close()
        await box.exec(["sleep", "60"])

anyio.run(main)
"""
        env = {"PYTHONPATH": os.pathsep.join(sys.path), "NESTED": "1"}
        with pytest.raises(ExecTimeout):
            await box.exec([sys.executable, "-c", program], env=env, timeout=3)
        assert (await box.stat("ready")).kind == "file"
        assert with_variable("NESTED") == []

    async def test_close_kills_what_is_left(self):
        """Closing ends background children, also those in a session of their own."""
        async with LocalSandbox.open() as box:
            await box.exec(
                ["sh", "-c", "sleep 60 & setsid sleep 60 & (setsid sleep 60 &)"],
                env={"LEFTOVER": "1"},
            )
            await anyio.sleep(0.1)
            assert len(with_variable("LEFTOVER")) == 3
        assert with_variable("LEFTOVER") == []

    async def test_close_kills_what_sits_in_its_directory(self):
        """Closing ends a daemon without parent and environment that sits in the own directory."""
        async with LocalSandbox.open() as box:
            script = "(env -i /usr/bin/setsid sh -c 'echo $$ > pid; exec /bin/sleep 60' &)"
            await box.exec(["sh", "-c", script])
            pid = await pid_in(box, "pid")
            assert alive(pid)
        assert not alive(pid)

    async def test_close_leaves_strangers_alone(self, box):
        """Closing one sandbox leaves the processes of another one."""
        await box.exec(["sh", "-c", "sleep 60 &"], env={"STRANGER": "1"})
        async with LocalSandbox.open() as other:
            await other.exec(["sh", "-c", "sleep 60 &"])
        assert len(with_variable("STRANGER")) == 1

    async def test_signalled_process_ends_its_stream(self, box):
        """A process on a terminal that is killed from outside ends with the signal's number."""
        with anyio.fail_after(10):
            async with await box.spawn(["sh", "-c", "echo $$; exec sleep 60"], pty=True) as process:
                os.kill(int(await process.stdout.receive()), signal.SIGKILL)
                assert [part async for part in process.stdout] == []
                assert await process.wait() == -signal.SIGKILL


@linux
class TestLeaks:
    """Nothing of a command stays in the host process."""

    async def test_file_descriptors(self, box):
        """However a command ends, its file descriptors are closed."""
        before = open_files()
        await box.exec(["true"])
        await box.exec(["cat"], input="x")
        await box.exec(["true"], input="x" * MIB)
        await box.exec(["no-such-program"], input="x")
        with pytest.raises(SandboxError):
            await box.exec(["true"], cwd="no-such-directory")
        with pytest.raises(ExecTimeout):
            await box.exec(["sleep", "60"], timeout=0.05)
        with anyio.move_on_after(0.05):
            await box.exec(["sleep", "60"])
        async with await box.spawn(["cat"]):
            pass
        async with await box.spawn(["cat"], pty=True):
            pass
        with pytest.raises(SandboxError):
            await box.spawn(["no-such-program"], pty=True)
        assert open_files() == before

    async def test_file_descriptors_of_background_children(self, box):
        """When a background child ends, the pipes that it held are closed."""
        before = open_files()
        assert (await box.exec(["sh", "-c", "sleep 0.2 &"])).background_left
        with anyio.fail_after(10):
            while open_files() != before:  # noqa: ASYNC110 - the system does not tell
                await anyio.sleep(0.05)

    async def test_file_descriptors_of_the_sandbox(self):
        """Closing a sandbox closes its file descriptors, with children left behind too."""
        async with LocalSandbox.open() as box:
            await box.exec(["true"])
        before = open_files()
        async with LocalSandbox.open() as box:
            await box.exec(["sh", "-c", "sleep 60 &"])
            await box.spawn(["cat"], pty=True)
        assert open_files() == before

    async def test_command_gets_three_file_descriptors(self, box):
        """A command has its three streams and no other open file of the host."""
        result = await box.exec(["ls", "/proc/self/fd"])
        assert result.stdout == "0\n1\n2\n3\n"


class TestFiles:
    """Files of the machine."""

    @linux
    async def test_file_of_proc(self, box):
        """A file that claims to be empty and is not, as those of /proc do, is read whole."""
        assert (await box.read_file("/proc/self/status")).startswith("Name:\t")

    async def test_device(self, box):
        """A device is no file: neither read without end nor replaced."""
        with pytest.raises(OSError, match="Not a regular file"):
            await box.read_file("/dev/zero", limit=10)
        with pytest.raises(OSError, match="Not a regular file"):
            await box.write_file("/dev/null", "x")
        assert (await box.stat("/dev/null")).kind == "other"

    async def test_name_of_a_directory(self, box):
        """A path that ends with a slash cannot be written as a file."""
        with pytest.raises(IsADirectoryError):
            await box.write_file("new/", "x")
        assert await box.list_dir(".") == []

    async def test_directory_that_takes_no_new_files(self, box):
        """A file that may be written in a directory that may not is written in place."""
        await box.write_file("dir/file", "old and long")
        await box.exec(["chmod", "500", "dir"])
        if (await box.exec(["test", "-w", "dir"])).success:
            pytest.skip("the user who runs the tests may do everything")
        await box.write_file("dir/file", "new")
        assert await box.read_file("dir/file") == "new"
        with pytest.raises(PermissionError):
            await box.write_file("dir/other", "x")

    async def test_reading_stops_at_the_limit(self, box):
        """Of a file that is far too large only the limit is read."""
        await box.exec(["truncate", "-s", "1T", "huge"])
        with pytest.raises(SandboxError, match="larger than the limit"):
            await box.read_file("huge", limit=1000)


async def test_commands_run_side_by_side(box):
    """Ten commands that each take a while take that while together."""
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(box.exec, ["sleep", "0.6"])


async def test_beat_of_the_suite_is_seen(box):
    """The suite's own proof of life works: a process that lives is said to live."""
    await box.exec(["sh", "-c", f"{{ {beat('alive')}; }} >/dev/null 2>&1 &"])
    assert await SandboxConformance.beats(box, "alive")


@pytest.mark.skipif(os.geteuid() != 0, reason="this is already a user who may not do everything")
def test_user_who_may_not_do_everything():
    """What depends on permissions is tested without root's power to ignore them too."""
    unprivileged = "--bounding-set=-dac_override,-dac_read_search"
    command = ["setpriv", unprivileged, sys.executable, "-m", "pytest", "-q", __file__]
    selected = "test_no_permission or test_directory_that_takes_no_new_files"
    done = subprocess.run([*command, "-k", selected], capture_output=True, text=True, timeout=100)
    assert "4 passed" in done.stdout, done.stdout
    assert "skipped" not in done.stdout
