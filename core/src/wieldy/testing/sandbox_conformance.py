"""What every sandbox backend promises, as tests.

    from wieldy.testing.sandbox_conformance import SandboxConformance

    class TestMine(SandboxConformance):
        def open_sandbox(self):
            return MySandbox.open(MyConfig(...))

Run it with pytest. Inside the sandbox only /bin/sh is needed. A check of something that the backend
does not claim in `capabilities`, or that needs a program which is not there, is skipped and says so.
Codes such as SE06 name the case, in the project's list of cases, that a check is for.
"""

# Tests assert, and say the values that they expect.
# ruff: noqa: S101, PLR2004

import os
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from ..exceptions import (
    SandboxError,
    SandboxInputError,
    SandboxLimitError,
    SandboxUnavailable,
    SandboxUnsupportedError,
)
from ..sandboxes import (
    Capability,
    Ending,
    ExecResult,
    ExecTimeout,
    FileInfo,
    Output,
    Sandbox,
    SandboxProcess,
    TerminalSize,
)
from ..sandboxes.sandbox import SandboxOpener

MIB = 1024 * 1024

# A process that can be seen to live without any program but the shell: it writes a file again and
# again, until it is killed. Without `sleep` it just does so more often.
_BEAT = "while :; do echo beat > {name}; sleep 0.02 2>/dev/null; done"
# How long to look for a beat that should not come.
_SILENCE = 0.2
# Long enough for a shell to start on a busy machine.
_SOON = 0.5
# A sandbox that hangs fails here, not at the time-out of the whole test run.
_HANG = 30


def beat(name: str) -> str:
    """Returns a shell command that lives until it is killed, and shows it by writing a file."""
    return _BEAT.format(name=name)


_BLOCKED = 3 * _HANG


def _blocked(*_: object) -> None:
    msg = (
        f"the test took {_BLOCKED} seconds: the backend blocks the event loop (waiting calls belong into worker "
        "threads, and what is no plain file must not be opened)"
    )
    raise TimeoutError(msg)


class _Suite:
    """What the groups of checks share."""

    def open_sandbox(self) -> SandboxOpener:
        """Returns what opens the sandbox to check, for instance `MySandbox.open(config)`.

        It is called once for each test, and may be called again while the first one is open.
        """
        msg = (
            "define `def open_sandbox(self)` in your test class: it returns what opens your sandbox"
        )
        raise NotImplementedError(msg)

    @pytest.fixture(autouse=True)
    def alarm(self) -> Iterator[None]:
        """Ends a test in which the backend blocks the event loop: no timeout of the loop could."""
        measured = threading.current_thread() is threading.main_thread()
        if not measured or signal.getitimer(signal.ITIMER_REAL)[0]:  # somebody else has set one
            yield
            return
        before = signal.signal(signal.SIGALRM, _blocked)
        signal.setitimer(signal.ITIMER_REAL, _BLOCKED)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @pytest.fixture
    async def box(self) -> AsyncIterator[Sandbox]:
        """The open sandbox; each test has its own."""
        async with self.open_sandbox() as box:
            yield box

    @staticmethod
    async def sh(
        box: Sandbox,
        script: str,
        *args: str | bytes,
        timeout: float | None = _HANG,  # noqa: ASYNC109 - it is what is tested
    ) -> ExecResult:
        """Runs a shell script with arguments `$1`, `$2`, ..."""
        return await box.exec(["/bin/sh", "-c", script, "sh", *args], timeout=timeout)

    async def need(self, box: Sandbox, *programs: str) -> None:
        """Skips a test where a program is not there."""
        for program in programs:
            if not (await self.sh(box, 'command -v "$1"', program)).success:
                pytest.skip(f"this sandbox has no program {program!r}")

    @staticmethod
    def claim(box: Sandbox, capability: Capability) -> None:
        """Skips a test of what the backend does not claim."""
        if capability not in box.capabilities:
            pytest.skip(f"the {box.name} sandbox does not claim {capability.value!r}")

    @staticmethod
    async def beats(box: Sandbox, name: str) -> bool:
        """Tells whether the process that writes a file is alive; it must have been until now."""
        with anyio.fail_after(_HANG):
            while not await _exists(box, name):  # noqa: ASYNC110 - a sandbox does not tell
                await anyio.sleep(0.01)
        await box.remove(name)
        with anyio.move_on_after(_SILENCE):
            while not await _exists(box, name):  # noqa: ASYNC110 - a sandbox does not tell
                await anyio.sleep(0.01)
            return True
        return False


class _CommandChecks(_Suite):
    """How a command is started, what it gets, and how it ends."""

    @pytest.mark.parametrize("status", [0, 1, 7, 124, 125, 126, 127, 137, 255])
    async def test_exit_status_is_the_commands_own(self, box: Sandbox, status: int) -> None:
        """Whatever status a command exits with is its result, also with a timeout set (SE08)."""
        result = await self.sh(box, f"exit {status}", timeout=20)
        assert (result.returncode, result.ending) == (status, Ending.EXITED)
        assert result.success == (status == 0)

    async def test_death_by_a_signal_is_a_result(self, box: Sandbox) -> None:
        """A command that kills itself at once is a result and no timeout (SE24)."""
        result = await self.sh(box, "kill -9 $$", timeout=20)
        assert (result.returncode, result.ending) == (-signal.SIGKILL, Ending.SIGNALLED)

    async def test_missing_program(self, box: Sandbox) -> None:
        """A program that is not there is a result with 127 that names it on stderr (SE02)."""
        result = await box.exec(["no-such-program", "x"])
        assert (result.returncode, result.ending) == (127, Ending.NOT_STARTED)
        assert result.stdout == ""
        assert "no-such-program" in result.stderr

    async def test_missing_program_by_path(self, box: Sandbox) -> None:
        """A path that does not exist is the same as a name that is not found (SE02)."""
        result = await box.exec(["./no/such/program"])
        assert (result.returncode, result.ending) == (127, Ending.NOT_STARTED)
        assert "no/such/program" in result.stderr

    async def test_not_executable(self, box: Sandbox) -> None:
        """A file that cannot be executed is a result with 126 that names it on stderr."""
        await box.write_file("plain", "no program\n")
        result = await box.exec(["./plain"])
        assert (result.returncode, result.ending) == (126, Ending.NOT_STARTED)
        assert "plain" in result.stderr

    async def test_arguments_are_exact(self, box: Sandbox) -> None:
        """Arguments arrive byte for byte, and no shell reads them."""
        args = ["", " ", "a b", "-n", "*", "$HOME", "`id`", "'", '"', "\\", "a\nb\n", "ü", ";", "~"]
        result = await self.sh(box, 'for each; do printf "%s|" "$each"; done', *args, b"\xff\xfe")
        assert result.stdout_bytes == "".join(f"{each}|" for each in args).encode() + b"\xff\xfe|"

    async def test_huge_argument(self, box: Sandbox) -> None:
        """An argument of 1 MiB works or is a clear error, and the sandbox still works (SE18)."""
        with suppress(SandboxError):
            assert (await self.sh(box, 'echo "${#1}"', "x" * MIB)).stdout == f"{MIB}\n"
        assert (await self.sh(box, "echo on")).stdout == "on\n"

    async def test_environment_of_one_command(self, box: Sandbox) -> None:
        """A variable is set for the one command only, with its exact value."""
        value = "a b\n\"c\" $d 'ü'"
        script = ["/bin/sh", "-c", 'printf %s "$WIELDY_TEST"']
        first = await box.exec(script, env={"WIELDY_TEST": value})
        second = await box.exec(script)
        assert (first.stdout, second.stdout) == (value, "")

    async def test_host_environment_stays_out(self, box: Sandbox) -> None:
        """A variable of the host that nobody let through does not reach a command."""
        result = await self.sh(box, 'printf %s "${PYTEST_CURRENT_TEST-none}"')
        assert result.stdout == "none"

    async def test_working_directory_is_shared_with_the_file_calls(self, box: Sandbox) -> None:
        """A command and the file calls start at the same directory."""
        await self.sh(box, "echo from a command > made")
        assert await box.read_file("made") == "from a command\n"
        assert (await self.sh(box, "pwd")).stdout == await box.realpath(".") + "\n"

    async def test_working_directory_of_one_command(self, box: Sandbox) -> None:
        """A command runs in the directory that was asked for, relative or absolute."""
        await box.write_file("sub dir/x", "")
        path = await box.realpath("sub dir")
        for cwd in ("sub dir", path):
            result = await box.exec(["/bin/sh", "-c", "pwd"], cwd=cwd)
            assert result.stdout == path + "\n"

    async def test_missing_working_directory(self, box: Sandbox) -> None:
        """A directory that is not there is an error that names it, not a result of the command."""
        with pytest.raises(SandboxError, match="no-such-directory"):
            await box.exec(["/bin/sh", "-c", "echo ran"], cwd="no-such-directory")

    async def test_working_directory_that_is_a_file(self, box: Sandbox) -> None:
        """A file in the place of the working directory is an error that names it."""
        await box.write_file("a-file", "")
        with pytest.raises(SandboxError, match="a-file"):
            await box.exec(["/bin/sh", "-c", "echo ran"], cwd="a-file")

    async def test_unknown_user(self, box: Sandbox) -> None:
        """A user that does not exist, or any where users are not claimed, is an error (SE15)."""
        unclaimed = Capability.USERS not in box.capabilities
        with pytest.raises(SandboxUnsupportedError if unclaimed else SandboxError):
            await box.exec(["/bin/sh", "-c", "echo ran"], user="no-such-user")

    async def test_many_at_once(self, box: Sandbox) -> None:
        """A hundred commands at once each have their own result (SE20)."""
        results: dict[int, str] = {}

        async def run(number: int) -> None:
            results[number] = (await self.sh(box, 'echo "$1"', str(number))).stdout

        async with anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(run, number)
        assert results == {number: f"{number}\n" for number in range(100)}


class _StreamChecks(_Suite):
    """What a command reads and writes."""

    async def test_streams_are_apart(self, box: Sandbox) -> None:
        """What goes to stdout and to stderr comes back apart and complete."""
        result = await self.sh(box, "echo out; echo err >&2; printf more")
        assert (result.out, result.err) == (Output(b"out\nmore"), Output(b"err\n"))

    async def test_bytes_are_exact(self, box: Sandbox) -> None:
        """Bytes that are not UTF-8 come back as they are, and replaced in the text (SE17)."""
        result = await self.sh(box, r"printf 'a\377\000\r\nb'")
        assert result.stdout_bytes == b"a\xff\x00\r\nb"
        assert result.stdout == "a\ufffd\x00\r\nb"

    async def test_no_input_is_an_empty_one(self, box: Sandbox) -> None:
        """Without input a command reads the end of file at once."""
        result = await self.sh(box, 'read line || echo "end"')
        assert result.stdout == "end\n"

    @pytest.mark.parametrize("given", ["two\nlines ü\n", b"two\nlines \xc3\xbc\n"])
    async def test_input_arrives(self, box: Sandbox, given: str | bytes) -> None:
        """Text and bytes arrive on the standard input, and then the end of file."""
        script = 'while read -r line; do echo "<$line>"; done'
        result = await box.exec(["/bin/sh", "-c", script], input=given)
        assert result.stdout == "<two>\n<lines ü>\n"

    async def test_large_input(self, box: Sandbox) -> None:
        """Ten megabytes of input arrive and come back, byte for byte (SE10)."""
        await self.need(box, "cat")
        data = bytes(range(256)) * (10 * MIB // 256)
        with anyio.fail_after(_HANG):
            result = await box.exec(["cat"], input=data, output_limit=11 * MIB)
        assert result.stdout_bytes == data

    @pytest.mark.parametrize("script", ["exit 3", "read line; exit 3"])
    async def test_input_that_is_not_read(self, box: Sandbox, script: str) -> None:
        """A command need not read its input to the end."""
        with anyio.fail_after(_HANG):
            result = await box.exec(["/bin/sh", "-c", script], input=b"line\n" * MIB)
        assert (result.returncode, result.ending) == (3, Ending.EXITED)

    async def test_output_above_the_limit(self, box: Sandbox) -> None:
        """Above the limit the first and the last bytes are kept, and the rest is counted."""
        script = "i=1000; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done"
        result = await box.exec(["/bin/sh", "-c", script], output_limit=20)
        assert result.out == Output(b"1000\n1001\n", b"1998\n1999\n", 4980)
        assert result.dropped == 4980

    async def test_limit_of_one_stream_only(self, box: Sandbox) -> None:
        """Each stream has the whole limit for itself."""
        script = "printf 1234567890; printf abcdefgh >&2"
        result = await box.exec(["/bin/sh", "-c", script], output_limit=8)
        assert (result.out, result.err) == (Output(b"1234", b"7890", 2), Output(b"abcdefgh"))

    async def test_output_at_the_limit(self, box: Sandbox) -> None:
        """Output of exactly the limit is complete."""
        result = await box.exec(["/bin/sh", "-c", "printf 123456789"], output_limit=9)
        assert result.out == Output(b"123456789")

    async def test_no_output_wanted(self, box: Sandbox) -> None:
        """With a limit of 0 nothing is kept and everything is counted."""
        result = await box.exec(["/bin/sh", "-c", "printf 123456789"], output_limit=0)
        assert result.out == Output(b"", b"", 9)

    async def test_background_child_keeps_the_output_open(self, box: Sandbox) -> None:
        """The result is there when the command ends, though a child holds its output (SE06)."""
        with anyio.fail_after(_HANG):
            result = await self.sh(box, f"{{ {beat('alive')}; }} & echo started", timeout=None)
        assert (result.out, result.returncode) == (Output(b"started\n"), 0)
        assert result.background_left

    async def test_nothing_left_in_the_background(self, box: Sandbox) -> None:
        """A command that left no child behind is not said to have."""
        assert not (await self.sh(box, "echo x; (echo y)")).background_left

    async def test_background_child_may_go_on_writing(self, box: Sandbox) -> None:
        """A child left behind is not ended by what it writes after the result was taken."""
        block = "x" * 1000
        script = f"while :; do echo {block}; echo beat > alive; sleep 0.01 2>/dev/null; done & :"
        await self.sh(box, script)
        await anyio.sleep(_SOON)
        assert await self.beats(box, "alive")


class _TimeoutChecks(_Suite):
    """What a timeout and a cancellation kill, and what they leave."""

    async def test_result_so_far(self, box: Sandbox) -> None:
        """A timeout is an error that carries what the command wrote until then."""
        with pytest.raises(ExecTimeout) as caught:
            await self.sh(box, f"echo begun; echo on err >&2; {beat('alive')}", timeout=_SOON)
        result = caught.value.result
        assert (result.returncode, result.ending) == (None, Ending.TIMED_OUT)
        assert (result.out, result.err) == (Output(b"begun\n"), Output(b"on err\n"))
        assert _SOON <= result.seconds < _SOON + 10

    async def test_nothing_is_run_twice(self, box: Sandbox) -> None:
        """A command that ran out of time was run once (SE07)."""
        with pytest.raises(ExecTimeout):
            await self.sh(box, f"echo line >> lines; {beat('alive')}", timeout=_SOON)
        assert await box.read_file("lines") == "line\n"

    async def test_command_is_killed(self, box: Sandbox) -> None:
        """A command that ran out of time is gone when the error comes."""
        with pytest.raises(ExecTimeout):
            await self.sh(box, beat("alive"), timeout=_SOON)
        assert not await self.beats(box, "alive")

    async def test_child_is_killed(self, box: Sandbox) -> None:
        """What the command started is gone too."""
        with pytest.raises(ExecTimeout):
            await self.sh(box, f"{{ {beat('child')}; }} & {beat('main')}", timeout=_SOON)
        assert not await self.beats(box, "child")

    async def test_child_that_ignores_signals_is_killed(self, box: Sandbox) -> None:
        """A process and its child that ignore polite signals are gone too (SE05)."""
        script = f"trap '' TERM INT HUP; {{ {beat('child')}; }} & {beat('main')}"
        with pytest.raises(ExecTimeout):
            await self.sh(box, script, timeout=_SOON)
        assert not await self.beats(box, "child")
        assert not await self.beats(box, "main")

    async def test_child_in_a_session_of_its_own_is_killed(self, box: Sandbox) -> None:
        """A child that made a session of its own is gone too."""
        await self.need(box, "setsid")
        script = f'setsid /bin/sh -c "$1" & {beat("main")}'
        with pytest.raises(ExecTimeout):
            await self.sh(box, script, beat("child"), timeout=_SOON)
        assert not await self.beats(box, "child")

    async def test_child_with_an_empty_environment_is_killed(self, box: Sandbox) -> None:
        """A child in a session of its own that dropped its environment is gone too."""
        await self.need(box, "setsid", "env")
        script = f'env -i "$(command -v setsid)" /bin/sh -c "$1" & {beat("main")}'
        with pytest.raises(ExecTimeout):
            await self.sh(box, script, beat("child"), timeout=_SOON)
        assert not await self.beats(box, "child")

    async def test_hidden_daemon_is_killed(self, box: Sandbox) -> None:
        """A daemon with a session and environment of its own and no parent is gone too."""
        self.claim(box, Capability.KILLS_DAEMONS)
        await self.need(box, "setsid", "env")
        script = f'(env -i "$(command -v setsid)" /bin/sh -c "$1" &) ; {beat("main")}'
        with pytest.raises(ExecTimeout):
            await self.sh(box, script, beat("daemon"), timeout=_SOON)
        assert not await self.beats(box, "daemon")

    async def test_endless_output_does_not_stop_the_clock(self, box: Sandbox) -> None:
        """A command that writes without end runs out of time like any other."""
        with anyio.fail_after(_HANG), pytest.raises(ExecTimeout) as caught:
            await box.exec(
                ["/bin/sh", "-c", "while :; do echo 12345678901234567890; done"],
                timeout=_SOON,
                output_limit=1000,
            )
        assert len(caught.value.result.stdout_bytes) <= 1000

    async def test_endless_output_leaves_room_for_others(self, box: Sandbox) -> None:
        """A command that writes without end does not keep another one from its result."""
        flood = "while :; do echo 12345678901234567890; done"
        with anyio.fail_after(_HANG):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.sh, box, flood)
                await anyio.sleep(0.1)
                result = await self.sh(box, "echo on")
                tasks.cancel_scope.cancel()
        assert result.stdout == "on\n"

    @pytest.mark.parametrize("seconds", [0, -1, float("nan")])
    async def test_time_that_makes_no_sense(self, box: Sandbox, seconds: float) -> None:
        """A timeout is more than 0 seconds; anything else is refused before anything runs."""
        with pytest.raises(SandboxInputError):
            await box.exec(["/bin/sh", "-c", "echo ran > file"], timeout=seconds)
        assert await box.list_dir(".") == []

    async def test_text_that_cannot_be_encoded(self, box: Sandbox) -> None:
        """A text that UTF-8 cannot carry is refused as an input and as contents."""
        with pytest.raises(SandboxInputError):
            await box.exec(["/bin/sh", "-c", "cat"], input="\ud800")
        with pytest.raises(SandboxInputError):
            await box.write_file("file", "\ud800")

    async def test_sandbox_works_after_a_timeout(self, box: Sandbox) -> None:
        """A timeout ends one command and not the sandbox."""
        with pytest.raises(ExecTimeout):
            await self.sh(box, beat("alive"), timeout=_SOON)
        assert (await self.sh(box, "echo on")).stdout == "on\n"

    async def test_earlier_background_child_is_left_alone(self, box: Sandbox) -> None:
        """A timeout does not touch what an earlier command left running."""
        await self.sh(box, f"{{ {beat('earlier')}; }} >/dev/null 2>&1 &")
        with pytest.raises(ExecTimeout):
            await self.sh(box, beat("later"), timeout=_SOON)
        assert await self.beats(box, "earlier")

    async def test_cancellation_kills(self, box: Sandbox) -> None:
        """A cancellation goes on to the caller, and the command with its children is gone (SE19)."""
        with anyio.move_on_after(_SOON) as scope:
            await self.sh(box, f"{{ {beat('child')}; }} & {beat('main')}")
        assert scope.cancelled_caught
        assert not await self.beats(box, "child")
        assert not await self.beats(box, "main")


class _ProcessChecks(_Suite):
    """What can be done with a process that runs."""

    @staticmethod
    async def read_all(process: SandboxProcess) -> bytes:
        """Reads the standard output to its end."""
        return b"".join([part async for part in process.stdout])

    async def test_conversation(self, box: Sandbox) -> None:
        """Lines are answered while the process runs; closing stdin is the end of file."""
        script = 'while read -r line; do echo "<$line>"; done; echo end'
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script]) as process:
                await process.stdin.send(b"one\n")
                assert await process.stdout.receive() == b"<one>\n"
                await process.stdin.aclose()
                assert await self.read_all(process) == b"end\n"
                assert await process.wait() == 0

    async def test_stderr_is_apart(self, box: Sandbox) -> None:
        """A process on pipes has a standard error of its own."""
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", "echo out; echo err >&2"]) as process:
                assert process.stderr is not None
                assert b"".join([part async for part in process.stderr]) == b"err\n"
                assert await self.read_all(process) == b"out\n"

    async def test_directory_and_environment(self, box: Sandbox) -> None:
        """A process runs in the directory and with the variables that were asked for."""
        await box.write_file("sub/x", "")
        script = ["/bin/sh", "-c", 'pwd; echo "$WIELDY_TEST"']
        with anyio.fail_after(_HANG):
            async with await box.spawn(script, cwd="sub", env={"WIELDY_TEST": "v"}) as process:
                output = await self.read_all(process)
        assert output.decode() == await box.realpath("sub") + "\nv\n"

    async def test_everyone_learns_of_the_end(self, box: Sandbox) -> None:
        """Several tasks may wait for one process, and one may ask again."""
        statuses: list[int] = []
        async with await box.spawn(["/bin/sh", "-c", "read line; exit 7"]) as process:

            async def wait() -> None:
                statuses.append(await process.wait())

            with anyio.fail_after(_HANG):
                async with anyio.create_task_group() as tasks:
                    for _ in range(3):
                        tasks.start_soon(wait)
                    await anyio.wait_all_tasks_blocked()
                    await process.stdin.aclose()
            assert [*statuses, await process.wait()] == [7, 7, 7, 7]

    async def test_signal(self, box: Sandbox) -> None:
        """A signal reaches the process; after its end a signal does nothing."""
        script = f"trap 'exit 5' TERM; echo ready; {beat('alive')}"
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script]) as process:
                assert await process.stdout.receive() == b"ready\n"
                await process.signal(signal.SIGTERM)
                assert await process.wait() == 5
                await process.signal(signal.SIGTERM)

    async def test_kill_while_it_writes(self, box: Sandbox) -> None:
        """After a kill the stream ends and the status is that of SIGKILL (SE23)."""
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", "while :; do echo x; done"]) as process:
                await process.stdout.receive()
                await process.kill()
                await self.read_all(process)
                assert await process.wait() == -signal.SIGKILL

    async def test_kill_takes_the_children_too(self, box: Sandbox) -> None:
        """A kill ends what the process started."""
        script = f"{{ {beat('child')}; }} & {beat('main')}"
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script]) as process:
                await anyio.sleep(_SOON)
                await process.kill()
                assert not await self.beats(box, "child")

    async def test_end_of_the_block_kills(self, box: Sandbox) -> None:
        """At the end of the block the process and what it started are gone."""
        script = f"{{ {beat('child')}; }} & {beat('main')}"
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script]) as process:
                await anyio.sleep(_SOON)
        assert not await self.beats(box, "child")
        assert not await self.beats(box, "main")
        assert await process.wait() == -signal.SIGKILL

    async def test_end_of_the_block_kills_what_outlived_the_process(self, box: Sandbox) -> None:
        """What a process left running when it ended is gone at the end of the block."""
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", f"{{ {beat('child')}; }} &"]) as process:
                assert await process.wait() == 0
                assert await self.beats(box, "child")
        assert not await self.beats(box, "child")

    async def test_closing_wakes_a_reader(self, box: Sandbox) -> None:
        """Closing a process does not leave a task waiting for its output."""
        outcomes: list[str] = []
        process = await box.spawn(["/bin/sh", "-c", "read line"])

        async def read() -> None:
            try:
                await process.stdout.receive()
            except (anyio.EndOfStream, anyio.ClosedResourceError):
                outcomes.append("woken")

        with anyio.fail_after(_HANG):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(read)
                await anyio.wait_all_tasks_blocked()
                await process.aclose()
                await process.aclose()
        assert outcomes == ["woken"]

    async def test_closing_a_stream_wakes_its_reader(self, box: Sandbox) -> None:
        """Closing one stream of a process that goes on wakes the task that reads it."""
        async with await box.spawn(["/bin/sh", "-c", "read line; exit 7"]) as process:

            async def read() -> None:
                with pytest.raises(anyio.ClosedResourceError):
                    await process.stdout.receive()

            with anyio.fail_after(_HANG):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(read)
                    await anyio.wait_all_tasks_blocked()
                    await process.stdout.aclose()
                await process.stdin.aclose()
                assert await process.wait() == 7

    async def test_reading_from_what_was_closed(self, box: Sandbox) -> None:
        """A stream of a closed process says that it is closed."""
        async with await box.spawn(["/bin/sh", "-c", "echo x"]) as process:
            pass
        with pytest.raises(anyio.ClosedResourceError):
            await process.stdout.receive()
        with pytest.raises(anyio.ClosedResourceError):
            await process.stdin.send(b"x")

    async def test_missing_program_cannot_be_spawned(self, box: Sandbox) -> None:
        """A process that cannot be started is an error that names the program."""
        with pytest.raises(SandboxError, match="no-such-program"):
            await box.spawn(["no-such-program"])

    async def test_missing_directory_cannot_be_spawned_in(self, box: Sandbox) -> None:
        """A working directory that is not there is an error that names it."""
        with pytest.raises(SandboxError, match="no-such-directory"):
            await box.spawn(["/bin/sh"], cwd="no-such-directory")

    async def test_pipes_have_no_size(self, box: Sandbox) -> None:
        """A process on pipes cannot be resized."""
        async with await box.spawn(["/bin/sh", "-c", "read line"]) as process:
            with pytest.raises(SandboxUnsupportedError):
                await process.resize(TerminalSize(30, 100))


class _TerminalChecks(_Suite):
    """Processes on a pseudo-terminal."""

    @staticmethod
    async def screen(process: SandboxProcess) -> str:
        """Reads all that is shown, with plain line ends."""
        shown = b"".join([part async for part in process.stdout])
        return shown.decode().replace("\r\n", "\n")

    async def test_unclaimed_terminal(self, box: Sandbox) -> None:
        """Where terminals are not claimed, asking for one is an error."""
        if Capability.PTY in box.capabilities:
            pytest.skip("this sandbox has pseudo-terminals")
        with pytest.raises(SandboxUnsupportedError):
            await box.spawn(["/bin/sh"], pty=True)

    async def test_all_streams_are_the_terminal(self, box: Sandbox) -> None:
        """The process sees a terminal on all three streams, and it is its controlling one."""
        self.claim(box, Capability.PTY)
        script = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo hello > /dev/tty; echo err >&2"
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script], pty=True) as process:
                assert process.stderr is None
                assert await self.screen(process) == "hello\nerr\n"
                assert await process.wait() == 0

    async def test_size(self, box: Sandbox) -> None:
        """The terminal has the size that was asked for, and can be given another one."""
        self.claim(box, Capability.PTY)
        await self.need(box, "stty")
        script = "stty size; read line; stty size"
        size = TerminalSize(rows=31, columns=101)
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script], pty=size) as process:
                assert await process.stdout.receive() == b"31 101\r\n"
                await process.resize(TerminalSize(rows=42, columns=99))
                await process.stdin.send(b"\n")
                assert (await self.screen(process)).split("\n") == ["", "42 99", ""]

    async def test_interrupt_key(self, box: Sandbox) -> None:
        """Ctrl-C interrupts what runs on the terminal."""
        self.claim(box, Capability.PTY)
        script = f"trap 'echo stopped; exit 9' INT; echo ready; {beat('alive')}"
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script], pty=True) as process:
                assert await process.stdout.receive() == b"ready\r\n"
                await process.stdin.send(b"\x03")
                assert "stopped\n" in await self.screen(process)
                assert await process.wait() == 9

    async def test_arguments_and_environment_on_a_terminal(self, box: Sandbox) -> None:
        """Arguments and variables arrive on a terminal as exactly as without."""
        self.claim(box, Capability.PTY)
        script = 'printf "%s|" "$@" "${LC_CTYPE-none}" "$WIELDY_TEST"'
        command: list[str | bytes] = ["/bin/sh", "-c", script, "sh", "", "a b", "ü", b"\xff"]
        env = {"WIELDY_TEST": "v", "LANG": "C", "LC_CTYPE": "C"}
        with anyio.fail_after(_HANG):
            async with await box.spawn(command, pty=True, env=env) as process:
                shown = b"".join([part async for part in process.stdout])
        assert shown == b"|a b|\xc3\xbc|\xff|C|v|"

    async def test_no_variable_is_added_on_a_terminal(self, box: Sandbox) -> None:
        """A command on a terminal has no locale that it would not have without."""
        self.claim(box, Capability.PTY)
        command = ["/bin/sh", "-c", 'printf %s "${LC_CTYPE-none}"']
        with anyio.fail_after(_HANG):
            async with await box.spawn(command, pty=True, env={"LANG": "C"}) as process:
                shown = await self.screen(process)
        assert shown == (await box.exec(command, env={"LANG": "C"})).stdout

    async def test_missing_program_on_a_terminal(self, box: Sandbox) -> None:
        """A program that is not there is an error that names it, on a terminal too."""
        self.claim(box, Capability.PTY)
        with anyio.fail_after(_HANG), pytest.raises(SandboxError, match="no-such-program"):
            await box.spawn(["no-such-program"], pty=True)

    async def test_end_of_the_block_kills_on_a_terminal(self, box: Sandbox) -> None:
        """At the end of the block what ran on the terminal is gone."""
        self.claim(box, Capability.PTY)
        script = f"trap '' HUP; {{ {beat('child')}; }} & {beat('main')}"
        with anyio.fail_after(_HANG):
            async with await box.spawn(["/bin/sh", "-c", script], pty=True):
                await anyio.sleep(_SOON)
        assert not await self.beats(box, "child")
        assert not await self.beats(box, "main")


class _FileChecks(_Suite):
    """What the file calls promise."""

    @pytest.mark.parametrize(
        "text", ["", "a", "no end of line", "a\r\nb\nc\rd\n", "ü → 🙂\n", "\ufeffbom", "\x00\x01"]
    )
    async def test_text_comes_back(self, box: Sandbox, text: str) -> None:
        """Text comes back as it was written, line ends included (SF01, SF09)."""
        await box.write_file("text", text)
        assert await box.read_file("text") == text

    async def test_bytes_come_back(self, box: Sandbox) -> None:
        """Any bytes come back as they were written, of a small and of a large file."""
        for data in (b"", bytes(range(256)), bytes(range(256)) * 20_000):
            await box.write_file("bytes", data)
            assert await box.read_file("bytes", text=False) == data

    async def test_shorter_contents_leave_no_remains(self, box: Sandbox) -> None:
        """A file has exactly the new contents (SF06)."""
        await box.write_file("file", "a long text\n" * 100)
        await box.write_file("file", "short")
        assert await box.read_file("file") == "short"

    async def test_writing_leaves_nothing_else_behind(self, box: Sandbox) -> None:
        """After writing, the file is all that is new in its directory."""
        await box.write_file("dir/file", "one")
        await box.write_file("dir/file", "two")
        assert [info.name for info in await box.list_dir("dir")] == ["file"]

    @pytest.mark.parametrize(
        "name",
        ["a b", "-rf", "--", "a\nb", "a=b", "*", "$HOME", "'", '"', "\\", "ü", ".hidden", "~"],
    )
    async def test_names(self, box: Sandbox, name: str) -> None:
        """A file may have any name (SF08)."""
        await box.write_file(name, "contents")
        assert await box.read_file(name) == "contents"
        assert [info.name for info in await box.list_dir(".")] == [name]
        assert (await box.stat(name)).size == 8
        await box.remove(name)
        assert await box.list_dir(".") == []

    async def test_name_that_is_not_text(self, box: Sandbox) -> None:
        """A name that is not UTF-8 works by Python's surrogate escapes."""
        name = "caf\udce9"
        await box.write_file(name, "contents")
        assert [info.name for info in await box.list_dir(".")] == [name]
        result = await self.sh(box, 'read -r line < "$1" || echo "$line"', b"caf\xe9")
        assert result.stdout == "contents\n"

    async def test_missing_parents_are_made(self, box: Sandbox) -> None:
        """Writing makes the directories that are missing."""
        await box.write_file("a/b/c/file", "x")
        assert await box.read_file("a/b/c/file") == "x"

    async def test_absolute_paths(self, box: Sandbox) -> None:
        """An absolute path is taken as it is."""
        path = await box.realpath("file")
        await box.write_file(path, "x")
        assert await box.read_file("file") == "x"

    async def test_read_limit(self, box: Sandbox) -> None:
        """A file above the limit is an error; one at the limit is read whole (SF07)."""
        await box.write_file("file", "0123456789")
        assert await box.read_file("file", limit=10) == "0123456789"
        with pytest.raises(SandboxLimitError):
            await box.read_file("file", limit=9)

    async def test_text_that_is_not_utf_8(self, box: Sandbox) -> None:
        """Bytes that are not UTF-8 are an error where text was asked for (SF10)."""
        await box.write_file("file", b"caf\xe9")
        with pytest.raises(UnicodeDecodeError):
            await box.read_file("file")

    async def test_nothing_there(self, box: Sandbox) -> None:
        """What does not exist cannot be read, looked at, listed or removed."""
        for call in (box.read_file, box.stat, box.list_dir, box.remove):
            with pytest.raises(FileNotFoundError):
                await call("missing")

    async def test_directory_in_the_place_of_a_file(self, box: Sandbox) -> None:
        """A directory cannot be read or written (SF05)."""
        await box.write_file("dir/file", "x")
        with pytest.raises(IsADirectoryError):
            await box.read_file("dir")
        with pytest.raises(IsADirectoryError):
            await box.write_file("dir", "x")
        assert [info.name for info in await box.list_dir("dir")] == ["file"]

    async def test_file_in_the_place_of_a_directory(self, box: Sandbox) -> None:
        """A file has nothing below it and cannot be listed (SF05)."""
        await box.write_file("file", "x")
        for path in ("file/below", "file/far/below"):
            with pytest.raises(NotADirectoryError):
                await box.write_file(path, "y")
        with pytest.raises(NotADirectoryError):
            await box.list_dir("file")
        assert await box.read_file("file") == "x"

    async def test_no_permission(self, box: Sandbox) -> None:
        """A file that may not be read or written is an error of its own kind (SF05)."""
        await self.need(box, "chmod")
        await box.write_file("file", "x")
        await self.sh(box, "chmod 0 file")
        if (await self.sh(box, "[ -r file ]")).success:
            pytest.skip("commands in this sandbox run as a user who may do everything")
        with pytest.raises(PermissionError):
            await box.read_file("file")
        with pytest.raises(PermissionError):
            await box.write_file("file", "y")

    async def test_mode_of_a_new_file(self, box: Sandbox) -> None:
        """A new file has the same mode as one that a command makes."""
        await self.sh(box, "echo x > by-command")
        await box.write_file("by-call", "x")
        assert (await box.stat("by-call")).mode == (await box.stat("by-command")).mode

    async def test_mode_stays(self, box: Sandbox) -> None:
        """A file that is written again keeps its mode."""
        await self.need(box, "chmod")
        await box.write_file("file", "one")
        await self.sh(box, "chmod 751 file")
        await box.write_file("file", "two")
        assert (await box.stat("file")).mode == 0o751

    async def test_link_stays_a_link(self, box: Sandbox) -> None:
        """Writing to a link writes its target, also one that is not there yet."""
        await self.need(box, "ln")
        await box.write_file("dir/target", "old")
        await self.sh(box, "ln -s dir/target link; ln -s dir/new dangling")
        for link, target in (("link", "dir/target"), ("dangling", "dir/new")):
            await box.write_file(link, "new")
            assert (await box.stat(link)).kind == "symlink"
            assert await box.read_file(target) == "new"

    async def test_all_or_nothing(self, box: Sandbox) -> None:
        """Whoever reads while a file is written sees the old or the new contents."""
        contents = ["a" * 200_000, "b" * 300_000]
        await box.write_file("file", contents[0])
        seen: set[str] = set()

        async def write() -> None:
            for number in range(10):
                await box.write_file("file", contents[number % 2])

        async def read() -> None:
            for _ in range(10):
                seen.add(await box.read_file("file"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            tasks.start_soon(read)
        assert seen <= set(contents)

    async def test_pipe_in_the_place_of_a_file(self, box: Sandbox) -> None:
        """A named pipe is an error and does not hang."""
        await self.need(box, "mkfifo")
        await self.sh(box, "mkfifo pipe")
        with anyio.fail_after(_HANG):
            with pytest.raises(OSError, match="regular"):
                await box.read_file("pipe")
            with pytest.raises(OSError, match="regular"):
                await box.write_file("pipe", "x")

    async def test_list(self, box: Sandbox) -> None:
        """A directory is listed by name, hidden files included, without following links (SF13)."""
        await box.write_file("dir/b", "12345")
        await box.write_file("dir/.a", "")
        await box.write_file("dir/c/d", "")
        found = [(info.name, info.kind) for info in await box.list_dir("dir")]
        assert found == [(".a", "file"), ("b", "file"), ("c", "directory")]

    async def test_stat(self, box: Sandbox) -> None:
        """A file is described by its name, kind, size, mode and age (SF13)."""
        await box.write_file("dir/file", "12345")
        info = await box.stat("dir/file")
        assert info == FileInfo("file", "file", 5, info.mode, info.mtime)
        assert info.mode & 0o600 == 0o600
        assert info.mtime > 1_500_000_000
        assert (await box.stat("dir")).kind == "directory"

    async def test_links_are_not_followed(self, box: Sandbox) -> None:
        """Looking at a link, listing it and removing it are about the link."""
        await self.need(box, "ln")
        await box.write_file("dir/file", "x")
        await self.sh(box, "ln -s dir link")
        assert (await box.stat("link")).kind == "symlink"
        kinds = {info.name: info.kind for info in await box.list_dir(".")}
        assert kinds == {"dir": "directory", "link": "symlink"}
        await box.remove("link")
        assert await box.read_file("dir/file") == "x"

    async def test_real_path(self, box: Sandbox) -> None:
        """A path is made absolute, without `..`, whether it exists or not."""
        await box.write_file("dir/file", "x")
        here = await box.realpath(".")
        assert here.startswith("/")
        assert await box.realpath("dir/../dir/./file") == f"{here}/dir/file"
        assert await box.realpath("not/there") == f"{here}/not/there"

    async def test_remove(self, box: Sandbox) -> None:
        """A file is removed, and a directory with all that is in it (SF13)."""
        await box.write_file("dir/a/b", "x")
        await box.write_file("dir/c", "x")
        await box.write_file("file", "x")
        await box.remove("file")
        await box.remove("dir")
        assert await box.list_dir(".") == []

    async def test_upload_and_download(self, box: Sandbox, host_tree: Path, tmp_path: Path) -> None:
        """A tree goes in and comes out the same, executables stay executable."""
        await box.upload(host_tree, "copy")
        assert (await box.stat("copy/run.sh")).mode & 0o111
        await box.download("copy", tmp_path / "target")
        assert await anyio.to_thread.run_sync(_tree, tmp_path / "target") == {
            "run.sh": b"contents \xff run.sh",
            "a/b c.txt": b"contents \xff a/b c.txt",
        }

    async def test_upload_of_special_entries(self, box: Sandbox, odd_tree: Path) -> None:
        """Empty directories are copied, links are followed, and what leads nowhere or to itself is left out."""
        await box.upload(odd_tree, "copy")
        found = {info.name: info.kind for info in await box.list_dir("copy")}
        assert found == {"empty": "directory", "file": "file", "link": "file"}

    async def test_upload_of_nothing(self, box: Sandbox, tmp_path: Path) -> None:
        """A source that does not exist is an error."""
        with pytest.raises(FileNotFoundError):
            await box.upload(tmp_path / "not-there", "copy")

    async def test_download_of_links(self, box: Sandbox, tmp_path: Path) -> None:
        """A link is downloaded as what it leads to; those inside of a tree are left out."""
        await self.need(box, "ln")
        await box.write_file("dir/file", "x")
        await self.sh(box, "ln -s dir/file link; ln -s /etc/hostname dir/outside")
        await box.download("link", tmp_path / "linked")
        await box.download("dir", tmp_path / "tree")
        found = await anyio.to_thread.run_sync(_tree, tmp_path)
        assert found == {"linked": b"x", "tree/file": b"x"}

    @pytest.mark.parametrize("path", [".", "..", "/", "dir/..", "./"])
    async def test_own_directory_is_not_removed(self, box: Sandbox, path: str) -> None:
        """The sandbox's own directory, and those above it, cannot be removed; nothing in it is."""
        await box.write_file("dir/file", "x")
        with pytest.raises(SandboxInputError):
            await box.remove(path)
        assert await box.read_file("dir/file") == "x"

    @pytest.fixture
    def odd_tree(self, tmp_path: Path) -> Path:
        """A directory on the host with what is no plain file."""
        source = tmp_path / "source"
        (source / "empty").mkdir(parents=True)
        (source / "file").write_text("x")
        (source / "link").symlink_to("file")
        (source / "nowhere").symlink_to("not-there")
        (source / "loop").symlink_to(".")
        os.mkfifo(source / "pipe")
        return source

    @pytest.fixture
    def host_tree(self, tmp_path: Path) -> Path:
        """A directory on the host, with an executable and a file further down."""
        for name, mode in (("run.sh", 0o755), ("a/b c.txt", 0o644)):
            path = tmp_path / "source" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"contents \xff " + name.encode())
            path.chmod(mode)
        return tmp_path / "source"


class _LifeChecks(_Suite):
    """How a sandbox opens and closes."""

    async def test_use_after_the_close(self) -> None:
        """After its block a sandbox is unavailable, whatever is asked of it."""
        async with self.open_sandbox() as box:
            pass
        with pytest.raises(SandboxUnavailable):
            await box.exec(["/bin/sh", "-c", "echo ran"])
        with pytest.raises(SandboxUnavailable):
            await box.spawn(["/bin/sh"])
        with pytest.raises(SandboxUnavailable):
            await box.read_file("file")
        with pytest.raises(SandboxUnavailable):
            await box.write_file("file", "x")

    async def test_closing_twice(self) -> None:
        """Closing again does nothing."""
        async with self.open_sandbox() as box:
            await box.aclose()
            await box.aclose()
        await box.aclose()

    async def test_closing_while_a_command_runs(self) -> None:
        """A command that runs when the sandbox is closed ends with the error that says so."""
        errors: list[SandboxUnavailable] = []

        async def run(box: Sandbox) -> None:
            try:
                await self.sh(box, beat("alive"))
            except SandboxUnavailable as error:
                errors.append(error)

        with anyio.fail_after(_HANG):
            async with self.open_sandbox() as box, anyio.create_task_group() as tasks:
                tasks.start_soon(run, box)
                await anyio.sleep(_SOON)
                await box.aclose()
        assert len(errors) == 1

    async def test_closing_ends_a_process(self) -> None:
        """A process that was never closed is ended by the close of the sandbox."""
        with anyio.fail_after(_HANG):
            async with self.open_sandbox() as box:
                process = await box.spawn(["/bin/sh", "-c", beat("alive")])
                await anyio.sleep(_SOON)
            assert await process.wait() == -signal.SIGKILL

    async def test_error_of_the_block_passes(self) -> None:
        """An error inside the block reaches the caller as it is, and the sandbox is closed."""
        with pytest.raises(ZeroDivisionError):
            async with self.open_sandbox() as box:
                raise ZeroDivisionError
        with pytest.raises(SandboxUnavailable):
            await box.exec(["/bin/sh", "-c", "echo ran"])

    async def test_two_at_once(self) -> None:
        """Two sandboxes are open at once, and closing one leaves the other."""
        async with self.open_sandbox() as first:
            async with self.open_sandbox() as second:
                assert (await self.sh(second, "echo second")).stdout == "second\n"
            assert (await self.sh(first, "echo first")).stdout == "first\n"


async def _exists(box: Sandbox, path: str) -> bool:
    try:
        await box.stat(path)
    except FileNotFoundError:
        return False
    return True


def _tree(root: Path) -> dict[str, bytes]:
    """Returns the contents of all files below a directory, by their relative paths."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


@pytest.mark.anyio
class SandboxConformance(
    _CommandChecks,
    _StreamChecks,
    _TimeoutChecks,
    _ProcessChecks,
    _TerminalChecks,
    _FileChecks,
    _LifeChecks,
):
    """All checks of a sandbox backend: subclass it, and say in `open_sandbox` what to check."""
