"""The live display, on a real pseudo-terminal."""

import fcntl
import os
import pty
import re
import struct
import termios

import pytest


@pytest.fixture
def on_terminal(start):
    """Runs the command on a pseudo-terminal of some columns; gives its exit code and all it wrote."""

    def on_terminal(*arguments, columns=100, env=None):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        with start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
            os.close(theirs)
            written = b"".join(_pieces(ours))
        os.close(ours)
        return process.returncode, written.decode()

    return on_terminal


def _pieces(terminal):
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # on Linux, the end
            return
        if not piece:
            return
        yield piece


def plain(text):
    """Returns what is left of an output without the control sequences of a display."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_a_command_is_highlighted(on_terminal, script, bash, submit):
    """On a terminal the parts of a command have colours, and the cursor is shown again at the end."""
    model = script(bash("for x in 1 2; do echo line-$x; done", content="Look."), submit("**42**"))
    code, written = on_terminal("run", "x", "--model", model, "--tools", "bash")
    assert code == 0
    assert re.search(r"\x1b\[[0-9;]*m" + "for" + r"\x1b\[[0-9;]*m", written)
    assert "line-2" in plain(written)
    assert "42" in plain(written)
    assert "**42**" not in written
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")


def test_a_spinner_says_what_runs_and_how_long(on_terminal, script, bash, submit):
    """While a tool runs the last line names it, with the seconds since it started."""
    model = script(bash("sleep 0.5"), submit())
    _, written = on_terminal("run", "x", "--model", model, "--tools", "bash")
    assert re.search(r"bash · 0\.[1-5] s", plain(written))


@pytest.mark.parametrize("columns", [40, 12])
def test_narrow_terminals_wrap(on_terminal, columns):
    """The display works on a terminal of few columns: no crash, and the demo is solved."""
    code, written = on_terminal("demo", columns=columns)
    assert code == 0
    assert "solved: 10 tests pass" in " ".join(plain(written).split())


def test_no_sequence_of_a_tool_reaches_the_terminal(on_terminal, script, bash, submit):
    """Escape sequences in results, texts and answers are spelled out; square brackets are no markup."""
    model = script(
        bash(r"printf '\033]0;title\007[red]plain[/red]\n'", content="said \x1b]0;evil\x07 [bold]"),
        submit("answered \x1b]52;c;AA==\x07"),
    )
    code, written = on_terminal("run", "x", "--model", model, "--tools", "bash")
    assert code == 0
    assert "\x1b]" not in written
    assert "\x07" not in written
    assert r"\x1b]0;title\x07[red]plain[/red]" in plain(written)
    assert "[bold]" in plain(written)


def test_no_color_is_respected(on_terminal, script, bash, submit):
    """With NO_COLOR set nothing has a colour."""
    model = script(bash("for x in 1; do false; done"), submit())
    _, written = on_terminal("run", "x", "--model", model, "--tools", "bash", env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|38|48|9[0-7])[;m]", written)


def test_a_dumb_terminal_gets_plain_lines(on_terminal, script, submit):
    """A terminal that cannot move its cursor gets the lines that a file would get."""
    _, written = on_terminal("run", "x", "--model", script(submit()), env={"TERM": "dumb"})
    assert "\x1b" not in written
    assert "[end] submitted" in written


def test_an_error_is_red(on_terminal, script, submit):
    """What went wrong is red."""
    model = script({"tool_calls": [{"function": "bsh"}]}, submit())
    _, written = on_terminal("run", "x", "--model", model, "--tools", "bash")
    assert re.search(r"\x1b\[31m[^\x1b]*there is no tool 'bsh'", written)
