"""The wheels, each in an environment with nothing but what it declares."""

import json

import pytest

IMPORT_ALL = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
names = [each.name for each in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    if not name.endswith("__main__") and not name.startswith(tuple(sys.argv[2:])):
        importlib.import_module(name)
print(json.dumps(names))
"""

STATUSES = """
import json
from wieldy import PluginManager
found = PluginManager.load().plugins()
print(json.dumps({each.distribution: [each.status, each.cause] for each in found}))
"""

LOADED = """
import sys
{statement}
print(*{{name.partition(".")[0] for name in sys.modules}})
"""

NEEDS_PYTEST = "wieldy.testing"
"""Not imported here: what plugin authors use in their tests, where they have pytest."""


@pytest.fixture(scope="module")
def demo(venv):
    """An environment as `pip install wieldy[demo]` makes it."""
    return venv("wieldy[demo]")


def test_the_extra_brings_all_that_the_demo_needs(demo) -> None:
    """`wieldy[demo]` brings core, bash, python and the local sandbox, all well, and nothing else."""
    assert json.loads(demo.run("python", "-c", STATUSES).stdout) == {
        "wieldy": ["ok", ""],
        "wieldy-bash": ["ok", ""],
        "wieldy-python": ["ok", ""],
        "wieldy-sandbox-local": ["ok", ""],
    }


def test_the_demo_solves_its_task_from_wheels(demo) -> None:
    """Where nothing but these wheels is installed, the demo succeeds."""
    came = demo.run("wieldy", "demo")
    assert came.returncode == 0, came.stdout + came.stderr


@pytest.mark.parametrize("name", ["wieldy-bash", "wieldy-python", "wieldy-sandbox-local"])
def test_a_plugin_needs_only_what_it_declares(venv, name) -> None:
    """Alone with core and its declared dependencies, a plugin can be imported whole and is well."""
    environment = venv(name)
    imported = environment.run("python", "-W", "error", "-c", IMPORT_ALL, name.replace("-", "_"))
    assert imported.returncode == 0, imported.stderr
    came = environment.run("python", "-c", STATUSES)
    assert json.loads(came.stdout) == {"wieldy": ["ok", ""], name: ["ok", ""]}


def test_core_needs_only_what_it_declares(core_alone) -> None:
    """Alone with its declared dependencies, core can be imported whole and its built-ins are well."""
    imported = core_alone.run("python", "-W", "error", "-c", IMPORT_ALL, "wieldy", NEEDS_PYTEST)
    assert imported.returncode == 0, imported.stderr
    assert "wieldy.cli.main" in json.loads(imported.stdout)
    assert json.loads(core_alone.run("python", "-c", STATUSES).stdout) == {"wieldy": ["ok", ""]}


@pytest.mark.parametrize("statement", ["import wieldy", "from wieldy import *"])
def test_importing_core_loads_nothing_that_it_need_not(core_alone, statement) -> None:
    """Neither core nor any of its names loads what the command line needs, or what plugins need."""
    came = core_alone.run("python", "-c", LOADED.format(statement=statement))
    unwanted = {"anthropic", "click", "docker", "paramiko", "pytest", "rich", "yaml"}
    assert came.returncode == 0, came.stderr
    assert "wieldy" in came.stdout.split()
    assert sorted(unwanted & set(came.stdout.split())) == []


def test_a_missing_plugin_is_answered_with_the_package_to_install(core_alone) -> None:
    """With core alone, a tool of a plugin is one clear line that says what to install."""
    came = core_alone.run("wieldy", "call", "bash", '{"command": "true"}')
    assert came.returncode == 1
    assert "pip install wieldy-bash" in came.stderr
    assert "Traceback" not in came.stderr


def test_the_command_of_core_works_alone(core_alone) -> None:
    """Without any plugin the command line still lists plugins and tools."""
    for command in ("plugins", "tools", "sandboxes"):
        came = core_alone.run("wieldy", command)
        assert came.returncode == 0, came.stderr
