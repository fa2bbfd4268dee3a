"""What the template gives: a plugin that can be installed, and works at once."""

import json
import tomllib

import pytest
from packaging.requirements import Requirement

from wieldy import __version__

FOUND = """
import dataclasses, json
from wieldy import PluginManager
manager = PluginManager.load()
status = next(each for each in manager.plugins() if each.name == "city-guide")
print(json.dumps([dataclasses.asdict(status), manager.gives(status)]))
"""


def test_the_project_has_all_that_a_plugin_needs_and_no_more(installed) -> None:
    """The template writes these files, each with something in it (but for the mark that it is typed)."""
    assert installed.files() == [
        ".github/workflows/test.yml",
        ".gitignore",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "src/wieldy_city_guide/__init__.py",
        "src/wieldy_city_guide/city_guide.py",
        "src/wieldy_city_guide/plugin.py",
        "src/wieldy_city_guide/py.typed",
        "tests/test_city_guide.py",
    ]
    empty = [name for name in installed.files() if not (installed.path / name).read_text()]
    assert empty == ["src/wieldy_city_guide/py.typed"]


def test_nothing_of_the_template_is_left(installed) -> None:
    """No file has a placeholder in it, and only CI's own expression has braces."""
    left = [
        line.strip()
        for name in installed.files()
        for line in (installed.path / name).read_text().splitlines()
        if "{{" in line or "{%" in line or "cookiecutter" in line
    ]
    assert left == ["python-version: ${{ matrix.python }}"]


@pytest.mark.parametrize(
    ("name", "distribution", "package", "function"),
    [
        ("weather", "wieldy-weather", "wieldy_weather", "weather"),
        ("city-guide2", "wieldy-city-guide2", "wieldy_city_guide2", "city_guide2"),
        ("city_guide", "wieldy-city-guide", "wieldy_city_guide", "city_guide"),
    ],
)
def test_all_names_come_from_the_one_that_was_given(
    bake, name, distribution, package, function
) -> None:
    """Distribution, package, entry point and tool are named after the answer, each in its own form."""
    ended, target = bake(f"name={name}")
    assert ended.returncode == 0, ended.stderr
    project = tomllib.loads((target / distribution / "pyproject.toml").read_text())["project"]
    assert (project["name"], project["entry-points"]) == (
        distribution,
        {"wieldy": {name: f"{package}.plugin"}},
    )
    assert (target / distribution / "src" / package / f"{function}.py").is_file()


def test_it_asks_for_a_name_and_a_description(bake) -> None:
    """Two questions are asked, and the answers are used."""
    ended, target = bake(said="moon\nSays how full the moon is.\n")
    assert ended.returncode == 0, ended.stderr
    assert "[1/2] Name of the tool" in ended.stdout
    assert "[2/2] What it does, in one sentence" in ended.stdout
    text = (target / "wieldy-moon" / "pyproject.toml").read_text()
    assert tomllib.loads(text)["project"]["description"] == "Says how full the moon is."


def test_it_needs_a_wieldy_that_exists(installed) -> None:
    """The range of the dependency has the version of core that is tested with it."""
    project = tomllib.loads((installed.path / "pyproject.toml").read_text())["project"]
    (needed,) = map(Requirement, project["dependencies"])
    assert (needed.name, __version__ in needed.specifier) == ("wieldy", True)


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_it_is_clean(installed, command) -> None:
    """With its own settings, ruff has nothing to say."""
    came = installed.run("ruff", *command, "--no-cache")
    assert came.returncode == 0, came.stdout + came.stderr


def test_its_types_are_right(installed, tmp_path) -> None:
    """The strict mypy finds nothing, in the package and in its tests."""
    came = installed.run("mypy", "--strict", "--cache-dir", str(tmp_path), "src", "tests")
    assert came.returncode == 0, came.stdout + came.stderr


def test_its_tests_pass(installed) -> None:
    """The tests that come with it pass at once, on both event loops, and leave nothing behind."""
    before = installed.files()
    came = installed.run("python", "-B", "-m", "pytest", "-p", "no:cacheprovider", "-q")
    assert came.returncode == 0, came.stdout + came.stderr
    assert "8 passed" in came.stdout
    assert installed.files() == before


def test_it_is_found_where_it_is_installed(installed) -> None:
    """Installed, it is listed as a plugin that works, and gives its tool."""
    came = installed.run("python", "-c", FOUND)
    assert json.loads(came.stdout) == [
        {
            "name": "city-guide",
            "distribution": "wieldy-city-guide",
            "version": "0.1.0",
            "status": "ok",
            "hooks": ["wieldy_tools"],
            "cause": "",
        },
        {"tools": ["city_guide"]},
    ]


def test_its_tool_can_be_called(installed) -> None:
    """The call that its README shows works, with the description that was given."""
    listed = installed.run("wieldy", "tools", "city_guide")
    assert "Says what there is to see in a city." in listed.stdout
    came = installed.run("wieldy", "call", "city_guide", '{"subject": "world"}')
    assert came.returncode == 0, came.stderr
    assert "Hello, world!" in came.stdout
