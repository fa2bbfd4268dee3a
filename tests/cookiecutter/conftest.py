"""Plugins that are made from the template, and processes that see one of them installed."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

TEMPLATE = Path(__file__).parents[2] / "cookiecutter"


def unmeasured(**variables: str) -> dict[str, str]:
    """Returns the environment of a program that is not measured, where tests are."""
    ours = {name: each for name, each in os.environ.items() if "COVERAGE" not in name}
    return {**ours, **variables}


def program(name: str) -> str:
    """Returns a program of the environment that runs the tests."""
    return str(Path(sys.executable).with_name(name))


@dataclass(frozen=True)
class Baked:
    """A project that was made from the template.

    Attributes:
        path: Its folder.
        site: A directory in which it is installed.
    """

    path: Path
    site: Path

    def files(self) -> list[str]:
        """Returns all files of the project."""
        found = (path.relative_to(self.path) for path in self.path.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in found)

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a program in the project's folder; it sees the project as installed."""
        return subprocess.run(
            [program(name), *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.path,
            env=unmeasured(PYTHONPATH=str(self.site)),
            timeout=100,
        )


@pytest.fixture(scope="session")
def bake(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., tuple[subprocess.CompletedProcess[str], Path]]:
    """Runs cookiecutter with answers; returns how it ended, and the folder that it wrote to."""

    def bake(
        *answers: str, said: str | None = None
    ) -> tuple[subprocess.CompletedProcess[str], Path]:
        target = tmp_path_factory.mktemp("target")
        home = tmp_path_factory.mktemp("home")
        ask = [] if said is not None else ["--no-input"]
        ended = subprocess.run(
            [program("cookiecutter"), *ask, "-o", str(target), str(TEMPLATE), *answers],
            check=False,
            capture_output=True,
            text=True,
            input=said,
            env=unmeasured(HOME=str(home)),  # it keeps answers in the home directory
            timeout=60,
        )
        return ended, target

    return bake


@pytest.fixture(scope="session")
def installed(bake, tmp_path_factory: pytest.TempPathFactory) -> Baked:
    """A project with a name of two words, installed from a copy, so that its folder stays as it is."""
    ended, target = bake("name=city-guide", "description=Says what there is to see in a city.")
    assert ended.returncode == 0, ended.stderr
    project = target / "wieldy-city-guide"
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--target", str(site)]
    install = [*pip, *options, str(project)]
    subprocess.run(install, check=True, capture_output=True, env=unmeasured())
    return Baked(project, site)
