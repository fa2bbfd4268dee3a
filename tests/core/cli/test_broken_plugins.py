"""Plugins that fail, and plugins that add commands."""

import json

import pytest

BROKEN = "raise ImportError('no module named moon')\n"

HELLO = """\
import click
from wieldy import hookimpl
@click.command()
def {name}():
    click.echo('hello from the plugin')
    return 7
@hookimpl
def wieldy_cli(cli):
    cli.add_command({name})
"""


@pytest.mark.parametrize(
    "arguments",
    [("tools",), ("sandboxes",), ("call", "bash", '{"command": "true"}'), ("--help",)],
)
def test_a_broken_plugin_leaves_every_command_working(wieldy, plugin, arguments):
    """A plugin that raises at import costs one line of warning for a command, and nothing else."""
    outcome = wieldy(*arguments, env=plugin("broken", BROKEN))
    assert outcome.code == 0
    warning = "plugin wieldy-broken 1.0 (broken) is broken: ImportError: no module named moon"
    assert outcome.err == f"wieldy: warning: {warning}\n"


def test_the_list_of_plugins_has_the_broken_one(wieldy, plugin):
    """`wieldy plugins` lists a broken plugin with its cause, and does not warn of it on top."""
    outcome = wieldy("plugins", env=plugin("broken", BROKEN))
    assert (outcome.code, outcome.err) == (0, "")
    assert (
        "broken  (wieldy-broken 1.0)  broken\n  cause: ImportError: no module named moon\n"
        in outcome.out
    )


def test_strict_makes_a_broken_plugin_fatal(wieldy, plugin):
    """With WIELDY_PLUGINS=strict a broken plugin ends each command with one error."""
    env = plugin("broken", BROKEN) | {"WIELDY_PLUGINS": "strict"}
    outcome = wieldy("tools", env=env)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("wieldy: error: plugin wieldy-broken 1.0 (broken) is broken: ")
    assert outcome.err.count("no module named moon") == 1
    assert "--block-plugin NAME" in outcome.err


def test_strict_still_lists_plugins(wieldy, plugin):
    """With WIELDY_PLUGINS=strict `wieldy plugins` still tells what is broken."""
    env = plugin("broken", BROKEN) | {"WIELDY_PLUGINS": "strict"}
    outcome = wieldy("plugins", "--json", env=env)
    statuses = {each["name"]: each["status"] for each in json.loads(outcome.out)["plugins"]}
    assert outcome.code == 0
    assert statuses["broken"] == "broken"
    assert statuses["bash"] == "ok"


def test_another_value_of_the_variable_is_an_error(wieldy):
    """WIELDY_PLUGINS has one value that means something; another one is refused."""
    outcome = wieldy("tools", env={"WIELDY_PLUGINS": "strikt"})
    assert outcome.code == 1
    assert "WIELDY_PLUGINS can only be 'strict'" in outcome.err


def test_a_blocked_plugin_is_not_loaded(wieldy, plugin):
    """--block-plugin leaves a broken plugin out before it is imported, so that nothing warns."""
    outcome = wieldy("--block-plugin", "broken", "tools", env=plugin("broken", BROKEN))
    assert (outcome.code, outcome.err) == (0, "")


def test_a_plugin_adds_a_command(wieldy, plugin):
    """A command that a plugin adds works, is in the help, and what it returns is no exit code."""
    env = plugin("hello", HELLO.format(name="hello"))
    outcome = wieldy("hello", env=env)
    assert (outcome.code, outcome.out, outcome.err) == (0, "hello from the plugin\n", "")
    assert "  hello" in wieldy("--help", env=env).out


def test_a_command_cannot_be_replaced(wieldy, plugin):
    """A plugin whose command has the name of an existing one is broken, and that one stays."""
    env = plugin("thief", HELLO.format(name="tools"))
    outcome = wieldy("tools", env=env)
    assert outcome.code == 0
    assert "bash  (wieldy-bash " in outcome.out
    assert outcome.err == (
        "wieldy: warning: plugin wieldy-thief 1.0 (thief) is broken: PluginError: its command 'tools' "
        "would replace the one that exists\n"
    )


def test_a_plugin_that_fails_to_add_commands_is_broken(wieldy, plugin):
    """An exception in wieldy_cli makes its plugin broken; all other commands work."""
    source = (
        "from wieldy import hookimpl\n@hookimpl\ndef wieldy_cli(cli):\n    raise ValueError('no')\n"
    )
    env = plugin("clumsy", source)
    outcome = wieldy("plugins", env=env)
    assert outcome.code == 0
    assert "clumsy  (wieldy-clumsy 1.0)  broken\n  cause: ValueError: no\n" in outcome.out


def test_an_event_hook_that_fails_is_told_once(wieldy, plugin, script, bash, submit):
    """A plugin that fails at every event costs one line, and the run goes on."""
    source = "from wieldy import hookimpl\n@hookimpl\ndef wieldy_event(event):\n    raise ValueError('no')\n"
    model = script(bash("true"), submit("42"))
    outcome = wieldy(
        *("run", "x", "--model", model, "--tools", "bash", "--quiet"), env=plugin("clumsy", source)
    )
    assert (outcome.code, outcome.out) == (0, "42\n")
    assert outcome.err == (
        "wieldy: warning: wieldy_event of wieldy-clumsy 1.0 (clumsy) failed: ValueError: no\n"
    )
