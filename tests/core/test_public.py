"""The public surface: what `wieldy` exports, and what importing it does."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import wieldy

HEAVY = ("anthropic", "click", "docker", "paramiko", "rich", "yaml")


def run_python(code, *arguments):
    """What a fresh interpreter prints."""
    command = [sys.executable, *arguments, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("name", wieldy.__all__)
def test_exported(name):
    """Every name in `__all__` is there."""
    assert getattr(wieldy, name) is not None


def test_typed_names_are_the_exported_ones():
    """What a type checker sees in wieldy is what it exports."""
    tree = ast.parse(Path(wieldy.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = [alias.name for node in block.body for alias in node.names]
    assert sorted([*typed, "__version__"]) == wieldy.__all__


def test_unknown_name():
    """A name that does not exist is an AttributeError, as of any module."""
    with pytest.raises(AttributeError, match="module 'wieldy' has no attribute 'toll'"):
        wieldy.toll  # noqa: B018


def test_dir():
    """`dir(wieldy)` lists the public names, loaded or not."""
    assert set(wieldy.__all__) <= set(dir(wieldy))


def test_import_loads_nothing_heavy():
    """Importing wieldy, and all that it exports, loads no plugin's dependency and nothing of the command line."""
    code = (
        "import json, sys, wieldy; [getattr(wieldy, name) for name in wieldy.__all__];"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = json.loads(run_python(code))
    assert [name for name in HEAVY if name in loaded] == []


def test_import_does_no_io():
    """Importing wieldy opens no file but modules, starts no process and touches no network."""
    code = (
        "import sys\n"
        "seen = []\n"
        "def hook(event, args):\n"
        "    if event.startswith(('socket.', 'subprocess.')) or event in ('os.system', 'os.mkdir'):\n"
        "        seen.append(event)\n"
        "    if event == 'open' and not str(args[0]).endswith(('.py', '.pyc', '.so', '.zip')):\n"
        "        seen.append(f'open {args[0]}')\n"
        "import pydantic, anyio, jsonschema, pluggy, docstring_parser\n"
        "from pydantic import BaseModel\n"
        "class Loads(BaseModel): x: int  # pydantic looks for plugins of its own\n"
        "sys.addaudithook(hook)\n"
        "import wieldy\n"
        "[getattr(wieldy, name) for name in wieldy.__all__]\n"
        "print(seen)\n"
    )
    assert run_python(code).strip() == "[]"
