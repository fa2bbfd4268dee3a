"""The README is true: its code runs as it stands."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wieldy.config import Config

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def execute(directory, file):
    return subprocess.run(
        [sys.executable, file],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_first_example(tmp_path):
    """The first example, saved as the README says, prints what the README says."""
    (tmp_path / "agent.py").write_text(blocks("python")[0])
    (tmp_path / "wieldy.toml").write_text(blocks("toml")[0])
    (tmp_path / "turns.json").write_text(blocks("json")[0])
    done = execute(tmp_path, "agent.py")
    assert (done.stdout, done.stderr, done.returncode) == ("3 words\n", "", 0)


@pytest.mark.parametrize("code", blocks("python")[1:], ids=lambda code: code.split("\n", 1)[0])
def test_python(tmp_path, code):
    """Every other Python block runs without an error."""
    (tmp_path / "example.py").write_text(code)
    done = execute(tmp_path, "example.py")
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize("text", blocks("toml"))
def test_toml(text):
    """Every TOML block is a valid configuration."""
    assert Config.model_validate(tomllib.loads(text)).environments


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_links(link):
    """Every link into the repository leads somewhere."""
    assert (ROOT / link).exists()


def test_make_targets():
    """The README's two commands are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^    make (\w+)", README, flags=re.MULTILINE)
    assert commands == ["demo", "test"]
    for command in commands:
        assert re.search(rf"^{command}:", makefile, flags=re.MULTILINE)
