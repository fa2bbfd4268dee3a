"""Dummy distributions, built as wheels and really installed, and Python processes that see them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DUMMIES = HERE / "dummies"
SCRIPTS = HERE / "scripts"

BROKEN_PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "broken-{dashed}"
version = "0.1"

[project.entry-points.wieldy]
{dashed} = "broken_{name}{attribute}"

[tool.hatch.build.targets.wheel]
only-include = ["broken_{name}.py"]
"""


def _make(*command: str) -> None:
    """Runs a program that builds or installs; it is not measured, where tests are."""
    unmeasured = {name: each for name, each in os.environ.items() if "COVERAGE" not in name}
    subprocess.run(command, check=True, capture_output=True, env=unmeasured)


@dataclass(frozen=True)
class Site:
    """A directory with installed distributions.

    Attributes:
        path: The directory; what runs with it on its path sees the distributions as installed.
    """

    path: Path

    def environment(self, **variables: str) -> dict[str, str]:
        """Returns the environment of a process that sees the distributions."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("WIELDY_")}
        return {**ours, "PYTHONPATH": str(self.path), "PYTHONWARNINGS": "error", **variables}

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a command that sees the distributions."""
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=self.environment(**variables),
            cwd=self.path,
            timeout=60,
        )

    def script(self, name: str, *arguments: str, **variables: str) -> Any:
        """Runs one of the scripts, which must succeed; returns what it prints, read as JSON."""
        ended = self.run(sys.executable, str(SCRIPTS / name), *arguments, **variables)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    def agent(self, variables: dict[str, str] | None = None, **task: Any) -> Any:
        """Runs an agent; see `scripts/run_agent.py`."""
        return self.script("run_agent.py", json.dumps(task), **(variables or {}))


def _broken_sources(target: Path) -> list[Path]:
    """Writes the source folder of a distribution for each module that is broken, soon or late."""
    folders = []
    for module in sorted([*DUMMIES.glob("broken/*.py"), *DUMMIES.glob("late/*.py")]):
        name = module.stem
        folder = target / name
        folder.mkdir()
        attribute = ":plugin" if name == "no_such_object" else ""
        project = BROKEN_PROJECT.format(
            name=name, dashed=name.replace("_", "-"), attribute=attribute
        )
        (folder / "pyproject.toml").write_text(project)
        shutil.copy(module, folder / f"broken_{name}.py")
        folders.append(folder)
    return folders


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of all dummies."""
    sources = tmp_path_factory.mktemp("sources")
    shutil.copytree(DUMMIES, sources, dirs_exist_ok=True)
    broken = _broken_sources(tmp_path_factory.mktemp("broken"))
    folders = [path.parent for path in sorted(sources.glob("*/pyproject.toml"))]
    target = tmp_path_factory.mktemp("wheels")
    script = str(SCRIPTS / "build_wheels.py")
    _make(sys.executable, script, str(target), *map(str, folders + broken))
    return target


@pytest.fixture(scope="session")
def install(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Site]:
    """Installs the wheels whose names match into a new site."""

    def install(*patterns: str) -> Site:
        files = [str(path) for pattern in patterns for path in sorted(wheels.glob(pattern))]
        target = tmp_path_factory.mktemp("site")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        options = ["--no-deps", "--no-index", "--no-compile", "--target", str(target)]
        _make(*pip, *options, *files)
        return Site(target)

    return install


@pytest.fixture(scope="session")
def acme(install: Callable[..., Site]) -> Site:
    """Two distributions that implement every hook."""
    return install("acme_*")


@pytest.fixture(scope="session")
def twins(install: Callable[..., Site]) -> Site:
    """Two distributions that give the same names."""
    return install("twin_*")


@pytest.fixture(scope="session")
def broken(install: Callable[..., Site]) -> Site:
    """Every way in which a plugin can be broken where it is loaded, together with one that works."""
    return install("broken_[!c]*", "acme_toolbox*")


@pytest.fixture(scope="session")
def late(install: Callable[..., Site]) -> Site:
    """Plugins that are well where they are loaded and fail at the command line, and one that works."""
    return install("broken_cli_*", "acme_toolbox*")


@pytest.fixture(scope="session")
def wieldy() -> str:
    """The `wieldy` command of the environment that runs the tests."""
    return str(Path(sys.executable).with_name("wieldy"))
