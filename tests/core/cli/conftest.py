"""A `wieldy` command that knows nothing of the machine it runs on, in a process or inside the test."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from wieldy.cli.main import main

WIELDY = Path(sys.executable).with_name("wieldy")


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def environment(tmp_path):
    """The environment of a command: a fresh home, a directory for temporary files, and the PATH."""
    home, tmp = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    tmp.mkdir()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }


@pytest.fixture
def here(tmp_path):
    """The directory in which commands run."""
    path = tmp_path / "here"
    path.mkdir()
    return path


@pytest.fixture
def start(environment, here):
    """Starts the installed command in a process of its own."""

    def start(*arguments, env=None, **options):
        command = [WIELDY] if WIELDY.exists() else [sys.executable, "-m", "wieldy"]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [*command, *arguments], cwd=here, env=environment | (env or {}), **(pipes | options)
        )

    return start


@pytest.fixture
def wieldy(start):
    """Runs the installed command to its end."""

    def wieldy(*arguments, env=None, text=None):
        stdin = subprocess.DEVNULL if text is None else subprocess.PIPE
        with start(*arguments, env=env, stdin=stdin) as process:
            out, err = process.communicate(None if text is None else text.encode(), timeout=60)
        return Outcome(process.returncode, out.decode(), err.decode())

    return wieldy


@pytest.fixture
def inside(environment, here, monkeypatch, capsys):
    """Runs the command inside of the test, where a process would add nothing."""

    def inside(*arguments):
        monkeypatch.chdir(here)
        for name in ("WIELDY_ENV", "WIELDY_PLUGINS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TMPDIR", environment["TMPDIR"])
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        written = capsys.readouterr()
        return Outcome(ended.value.code, written.out, written.err)

    return inside


@pytest.fixture
def script(tmp_path):
    """Writes a scripted model; gives the name by which `--model` asks for it."""

    def script(*turns):
        path = tmp_path / "script.json"
        path.write_text(json.dumps(turns))
        return f"scripted/{path}"

    return script


@pytest.fixture
def submit():
    """Makes the turn of a script that submits an answer."""

    def submit(answer="done", **turn):
        calls = [{"function": "submit", "arguments": {"answer": answer}}]
        return {"tool_calls": calls, **turn}

    return submit


@pytest.fixture
def bash():
    """Makes the turn of a script that calls bash."""

    def bash(command, **turn):
        return {
            "tool_calls": [{"function": "bash", "arguments": {"command": command}}],
            **turn,
        }

    return bash


@pytest.fixture
def plugin(tmp_path):
    """Installs a plugin; gives the environment variables with which a command finds it."""
    site = tmp_path / "site"

    def plugin(name, source):
        info = site / f"wieldy_{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: wieldy-{name}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(f"[wieldy]\n{name} = wieldy_{name}\n")
        (site / f"wieldy_{name}.py").write_text(source)
        return {"PYTHONPATH": str(site)}

    return plugin
