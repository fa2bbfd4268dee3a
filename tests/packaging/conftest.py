"""The distributions as a releaser builds them, and fresh virtual environments to install them in.

Third-party packages are downloaded once (pip's cache keeps them), as `constraints.txt` pins them; every
environment is then filled from that folder alone, without an index.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "wieldy": "core",
    "wieldy-bash": "plugins/bash",
    "wieldy-python": "plugins/python",
    "wieldy-sandbox-local": "sandboxes/local",
}
"""The folder of each distribution."""

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


@dataclass(frozen=True)
class Built:
    """What a build of one distribution made.

    Attributes:
        name: The name of the distribution.
        sdist: The source archive.
        wheel: The wheel, which was built from the source archive.
    """

    name: str
    sdist: Path
    wheel: Path

    @property
    def module(self) -> str:
        """The name of its import package."""
        return self.name.replace("-", "_")

    def files(self) -> list[str]:
        """Returns the files in the wheel."""
        with zipfile.ZipFile(self.wheel) as archive:
            return sorted(archive.namelist())

    def source_files(self) -> list[str]:
        """Returns the files in the source archive, without the folder that they are in."""
        with tarfile.open(self.sdist) as archive:
            return sorted(name.partition("/")[2] for name in archive.getnames())

    def read(self, name: str) -> str:
        """Reads a file of the wheel's metadata."""
        with zipfile.ZipFile(self.wheel) as archive:
            found = next(each for each in archive.namelist() if each.endswith(f".dist-info/{name}"))
            return archive.read(found).decode()

    @property
    def metadata(self) -> Message:
        """The metadata of the wheel."""
        return Parser().parsestr(self.read("METADATA"))


@dataclass(frozen=True)
class Venv:
    """A virtual environment of its own, without pip.

    Attributes:
        path: Where it is.
    """

    path: Path

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment, in a fresh home directory."""
        home = self.path / "home"
        home.mkdir(exist_ok=True)
        ours = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        return subprocess.run(
            [str(self.path / "bin" / program), *arguments],
            check=False,
            capture_output=True,
            text=True,
            env=ours,
            cwd=home,
            timeout=100,
        )


def _make(*command: str) -> None:
    """Runs a program that builds or installs; it is not measured, where tests are."""
    unmeasured = {name: each for name, each in os.environ.items() if "COVERAGE" not in name}
    ended = subprocess.run(command, check=False, capture_output=True, text=True, env=unmeasured)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all distributions, so that a build leaves nothing in the repository."""
    tree = tmp_path_factory.mktemp("tree")
    unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist", ".*")
    for folder in FOLDERS.values():
        shutil.copytree(ROOT / folder, tree / folder, ignore=unwanted)
    return tree


@pytest.fixture(scope="session")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """All distributions, each built in two steps: the source archive, and from it the wheel."""
    made = {}
    for name, folder in FOLDERS.items():
        target = tmp_path_factory.mktemp(name)
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target)]
        _make(*build, str(tree / folder))
        (sdist,) = target.glob("*.tar.gz")
        (wheel,) = target.glob("*.whl")
        made[name] = Built(name, sdist, wheel)
    return made


@pytest.fixture(scope="session")
def wheelhouse(built: dict[str, Built], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our wheels, and those of everything that they declare to need."""
    house = tmp_path_factory.mktemp("wheelhouse")
    wheels = [str(each.wheel) for each in built.values()]
    options = ["--quiet", "--constraint", str(ROOT / "constraints.txt"), "--only-binary", ":all:"]
    _make(*PIP, "download", *options, "--dest", str(house), *wheels)
    return house


@pytest.fixture(scope="session")
def venv(wheelhouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Venv]:
    """Makes an environment with the given distributions and what they declare to need."""

    def venv(*requirements: str) -> Venv:
        path = tmp_path_factory.mktemp("venv")
        _make(sys.executable, "-m", "venv", "--without-pip", str(path))
        python = str(path / "bin" / "python")
        options = ["--quiet", "--no-index", "--find-links", str(wheelhouse), "--no-compile"]
        _make(*PIP, "--python", python, "install", *options, *requirements)
        return Venv(path)

    return venv


@pytest.fixture(scope="session")
def core_alone(venv: Callable[..., Venv]) -> Venv:
    """An environment with nothing but core and what it declares to need."""
    return venv("wieldy")
