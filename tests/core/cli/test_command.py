"""The command itself: version, help, usage, and what it loads."""

import subprocess
import sys

import pytest

import wieldy as package
from wieldy.cli.text import duration, folded, visible


def test_the_version_is_told(inside):
    """--version writes the version."""
    outcome = inside("--version")
    assert (outcome.code, outcome.out) == (0, f"wieldy {package.__version__}\n")


def test_the_module_is_the_command(environment, here):
    """`python -m wieldy` does what `wieldy` does."""
    command = [sys.executable, "-m", "wieldy", "--version"]
    done = subprocess.run(command, cwd=here, env=environment, capture_output=True, check=True)
    assert done.stdout.startswith(b"wieldy ")


@pytest.mark.parametrize("command", ["run", "call", "demo", "tools", "plugins", "sandboxes"])
def test_every_command_has_help(inside, command):
    """--help of each command is there, with an example of how it is used."""
    outcome = inside(command, "--help")
    assert outcome.code == 0
    assert outcome.out.startswith(f"Usage: wieldy {command} [OPTIONS]")


def test_help_works_with_a_wrong_configuration(inside, here):
    """A configuration that cannot be read costs a warning in the help, and is an error elsewhere."""
    (here / "wieldy.toml").write_text("not toml")
    outcome = inside("--help")
    assert outcome.code == 0
    assert "wieldy: warning: cannot read" in outcome.err
    assert inside("tools").code == 1


def test_an_unknown_command_is_a_usage_error(inside):
    """A command that does not exist ends with exit code 2."""
    assert inside("rn").code == 2


def test_a_reader_that_goes_away_is_no_error(start):
    """A command whose output is not read to the end says nothing."""
    with start("tools") as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 141


def test_importing_wieldy_loads_neither_click_nor_rich():
    """Only the command line needs click and rich."""
    code = "import sys, wieldy, wieldy.config; print(*{'click', 'rich', 'wieldy.cli'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("a\r\nb", "a\nb"),
        ("10%\r20%", "10%\n20%"),
        ("\x1b]52;c;x\x07", r"\x1b]52;c;x\x07"),
        ("\x9b31m", r"\x9b31m"),
        ("rm \u202ecod\u202c", r"rm \u202ecod\u202c"),
        ("tab\tand line\n", "tab\tand line\n"),
        ("ü \U0001f600", "ü \U0001f600"),
    ],
)
def test_what_a_terminal_could_take_for_a_command_is_spelled_out(text, shown):
    """Control characters become escapes, colours go, and all other text stays."""
    assert visible(text) == shown


def test_folding_leaves_out_more_lines_than_the_notice_takes():
    """A text is folded only where that saves lines; very long lines are cut too."""
    assert folded("\n".join("abcde"), 4) == ["a", "b", "c", "d", "e"]
    assert folded("\n".join("abcdef"), 4) == ["a", "b", "… 2 more lines", "e", "f"]
    assert folded("x" * 500) == ["x" * 400 + "… 100 more characters"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0.01 s"), (0.123, "0.12 s"), (9.96, "10 s"), (59.7, "1 min 0 s"), (185, "3 min 5 s")],
)
def test_durations_are_short(seconds, shown):
    """A duration has two digits below ten seconds, and minutes from one on."""
    assert duration(seconds) == shown
