"""Ctrl-C and its relatives: nothing is left behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from wieldy.events import Event


def wait_for(condition):
    """Waits until something is true, for half a minute at most."""
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def is_running(mark):
    """Tells whether a process has a text in its command line."""
    listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True)
    return mark in listed.stdout


@pytest.mark.parametrize(
    ("name", "code", "times"),
    [
        ("SIGINT", 130, 1),
        ("SIGTERM", 143, 1),
        ("SIGHUP", 129, 1),
        ("SIGQUIT", 131, 1),
        ("SIGINT", 130, 3),
    ],
)
def test_a_signal_ends_the_run_and_all_of_it(
    start, environment, here, script, bash, name, code, times
):
    """A signal, also one sent again and again, ends the command: the processes in the sandbox and its
    directory are gone, the log has its last line, and the exit code is 128 and the signal's number.
    """
    mark = f"77{os.getpid()}{code}{times}"  # seconds, and a number that no other command has
    model = script(bash(f"sleep {mark} & trap '' TERM; sleep {mark}"))
    log = here / "run.jsonl"
    arguments = ("run", "x", "--model", model, "--tools", "bash", "--log", str(log))
    with start(*arguments) as process:
        wait_for(lambda: is_running(f"sleep {mark}"))
        for _ in range(times):
            process.send_signal(signal.Signals[name])
            time.sleep(0.01)
        _, err = process.communicate(timeout=30)
    assert process.returncode == code
    assert f"wieldy: stopped by {name}\n" in err.decode()
    assert not is_running(f"sleep {mark}")
    assert not any(Path(environment["TMPDIR"]).iterdir())
    events = [TypeAdapter(Event).validate_json(line) for line in log.read_text().splitlines()]
    assert (events[-1].type, events[-1].reason) == ("run_ended", "cancelled")


def test_a_hang_up_that_is_ignored_stays_ignored(start, here, script, bash, submit):
    """Under nohup a hang-up does not end the run."""
    model = script(bash("touch started; sleep 0.5"), submit("42"))
    arguments = ("run", "x", "--model", model, "--tools", "bash", "--workdir", ".", "--quiet")
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    with start(*arguments, **ignoring) as process:
        wait_for(lambda: Path(here, "started").exists())
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, b"42\n")


def test_a_call_is_stopped_too(start, environment):
    """Ctrl-C ends `wieldy call` in the same way."""
    mark = f"78{os.getpid()}"
    with start("call", "bash", f'{{"command": "sleep {mark}"}}') as process:
        wait_for(lambda: is_running(f"sleep {mark}"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130
    assert not is_running(f"sleep {mark}")
    assert not any(Path(environment["TMPDIR"]).iterdir())


@pytest.mark.parametrize("delay", [0.03, 0.1, 0.2, 0.4])
def test_an_interrupt_while_the_command_is_loaded(start, delay):
    """Ctrl-C right after the start ends the command without a traceback."""
    with start("tools") as process:
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    # Before Python comes to our code, an interrupt is Python's own.
    assert process.returncode in {0, 130, -signal.SIGINT}
    assert b"wieldy/cli" not in err
