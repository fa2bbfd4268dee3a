"""Which answers the template refuses, and that it then leaves nothing behind."""

import pytest

MEANS_MORE = "means something else to Wieldy, to pytest or to the template; choose another one"
RULE = "must be lowercase letters and digits, a letter first, with single - or _ between"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", RULE),
        ("Weather", RULE),
        ("1weather", RULE),
        ("city--guide", RULE),
        ("../weather", RULE),
        ('wea"ther', RULE),
        ("wetter\u00fc", RULE),
        ("async", "is a keyword of Python; choose another one"),
        ("json", "is a module of Python's standard library; choose another one"),
        ("str", "is a function of Python's own; choose another one"),
        ("bash", "is that of a package of Wieldy; choose another one"),
        ("sandbox-local", "is that of a package of Wieldy; choose another one"),
        *((name, MEANS_MORE) for name in ("plugin", "submit", "tool", "test-runner")),
        ("x" * 51, "must have at most 50 characters"),
    ],
)
def test_a_bad_name_is_refused(bake, name, reason) -> None:
    """One line says what is wrong with the name, and nothing is written."""
    ended, target = bake(f"name={name}")
    lines = [line for line in (ended.stdout + ended.stderr).splitlines() if reason in line]
    assert lines == [f"ERROR: the name {name!r} {reason}"]
    assert ended.returncode != 0
    assert "Traceback" not in ended.stderr
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("description", ["", 'Says "hi".', "C:\\Users", "two\nlines"])
def test_a_bad_description_is_refused(bake, description) -> None:
    """A description must fit into a docstring and a line; one line says so, and nothing is written."""
    ended, target = bake(f"description={description}")
    said = ended.stdout + ended.stderr
    reason = "the description must be one line of text without double quotes and backslashes"
    assert [line for line in said.splitlines() if "description" in line] == [f"ERROR: {reason}"]
    assert ended.returncode != 0
    assert list(target.iterdir()) == []


def test_a_folder_that_exists_is_left_alone(bake, installed) -> None:
    """A project that is already there is not written over."""
    before = installed.files()
    ended, _ = bake("name=city-guide", "-o", str(installed.path.parent))
    assert ended.returncode != 0
    assert installed.files() == before


@pytest.mark.parametrize(
    "description", ["Says hi \N{WAVING HAND SIGN}.", "no full stop \N{EN DASH} at all"]
)
def test_any_characters_in_a_description(bake, description) -> None:
    """A description may hold any printable characters, and end as it likes."""
    ended, target = bake("name=greeter", f"description={description}")
    assert (ended.returncode, ended.stderr) == (0, "")
    written = (target / "wieldy-greeter" / "src" / "wieldy_greeter" / "greeter.py").read_text(
        encoding="utf-8"
    )
    assert description in written
