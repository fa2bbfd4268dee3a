"""Which answers the template refuses, and that it then leaves nothing behind."""

import pytest

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
        ("plugin", "is taken by a file of the template; choose another one"),
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
