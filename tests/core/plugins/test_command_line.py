"""The `wieldy` command with plugins that cannot be used."""

import json

import pytest

COMMANDS = [
    ["--help"],
    ["tools"],
    ["tools", "acme_shout", "--json"],
    ["plugins"],
    ["plugins", "--json"],
    ["sandboxes"],
    ["call", "acme_shout", '{"text": "hi"}'],
    ["acme-hello", "Ada"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_works_beside_broken_plugins(broken, wieldy, command) -> None:
    """A plugin that raises at import, or in a hook, leaves every command working."""
    came = broken.run(wieldy, *command)
    assert came.returncode == 0, came.stderr
    assert "Traceback" not in came.stderr


def test_the_list_of_plugins_names_the_broken_one_and_the_cause(broken, wieldy) -> None:
    """`wieldy plugins` has the distribution and the cause of each broken plugin."""
    came = broken.run(wieldy, "plugins")
    assert "broken-missing-import" in came.stdout
    assert "No module named 'acme_library_that_is_not_installed'" in came.stdout


def test_the_list_of_plugins_can_be_read_by_programs(broken, wieldy) -> None:
    """`wieldy plugins --json` has the status and the cause of each plugin."""
    plugins = json.loads(broken.run(wieldy, "plugins", "--json").stdout)["plugins"]
    found = {each["name"]: (each["status"], each["cause"]) for each in plugins}
    assert found["acme"] == ("ok", "")
    assert found["exits-at-import"] == ("broken", "SystemExit: no licence was found")


def test_a_command_warns_of_a_broken_plugin_in_one_line(broken, wieldy) -> None:
    """Each other command says once, on the standard error, which plugin is broken and why."""
    came = broken.run(wieldy, "tools")
    lines = [line for line in came.stderr.splitlines() if "missing-import" in line]
    expected = (
        "wieldy: warning: plugin broken-missing-import 0.1 (missing-import) is broken: "
        "ModuleNotFoundError: No module named 'acme_library_that_is_not_installed'"
    )
    assert lines == [expected]


def test_strict_makes_the_command_fail(broken, wieldy) -> None:
    """With WIELDY_PLUGINS=strict a command fails, without a traceback, and names the plugin."""
    came = broken.run(wieldy, "tools", WIELDY_PLUGINS="strict")
    assert came.returncode == 1
    assert "broken-missing-import" in came.stderr
    assert "Traceback" not in came.stderr


def test_a_blocked_plugin_is_listed_as_blocked(acme, wieldy) -> None:
    """A plugin that is left out is still listed, and its commands are not there."""
    listed = acme.run(wieldy, "--block-plugin", "acme", "plugins", "--json")
    found = {each["name"]: each["status"] for each in json.loads(listed.stdout)["plugins"]}
    assert (found["acme"], found["acme-bonus"]) == ("blocked", "ok")
    assert acme.run(wieldy, "--block-plugin", "acme", "acme-hello", "Ada").returncode == 2


def test_names_in_conflict_are_listed(twins, wieldy) -> None:
    """`wieldy plugins` says which names two plugins give, and the commands work."""
    listed = json.loads(twins.run(wieldy, "plugins", "--json").stdout)
    assert sorted(listed["conflicts"]["sandbox twin"]) == [
        "twin-left 1.0 (left)",
        "twin-right 1.0 (right)",
    ]
    assert twins.run(wieldy, "tools").returncode == 0


LATE = {
    "cli-exits": "SystemExit: no commands today",
    "cli-raises": "RuntimeError: no terminal",
    "cli-replaces": "PluginError: its command 'tools' would replace the one that exists",
}


@pytest.mark.parametrize("command", [["--help"], ["tools"], ["acme-hello", "Ada"]], ids=" ".join)
def test_every_command_works_beside_broken_commands(late, wieldy, command) -> None:
    """A plugin whose commands cannot be added takes no other command with it."""
    came = late.run(wieldy, *command)
    assert came.returncode == 0, came.stderr
    assert "Traceback" not in came.stderr


@pytest.fixture(scope="module")
def listed_late(late, wieldy):
    """What `wieldy plugins` says where the commands of plugins fail."""
    came = late.run(wieldy, "plugins", "--json")
    assert came.returncode == 0, came.stderr
    return {each["name"]: each for each in json.loads(came.stdout)["plugins"]}


@pytest.mark.parametrize("name", LATE)
def test_a_plugin_whose_commands_fail_is_broken(listed_late, name) -> None:
    """What goes wrong where commands are added is listed like any other cause."""
    assert (listed_late[name]["status"], listed_late[name]["cause"]) == ("broken", LATE[name])
