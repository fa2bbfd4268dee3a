"""`wieldy tools`, `wieldy plugins`, `wieldy sandboxes`."""

import json


def test_tools_are_listed_with_their_parameters_and_plugins(inside):
    """Every tool is listed with its plugin, its summary and its parameters."""
    lines = inside("tools").out.splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith("bash  (wieldy-bash "))
    assert lines[at + 1].startswith("  Runs a command")
    assert lines[at + 2].startswith("    command: string, required. ")


def test_tools_as_json_are_what_a_model_sees(inside):
    """With --json each tool has the schema that a model sees, and its plugin."""
    tools = {each["name"]: each for each in json.loads(inside("tools", "--json").out)}
    assert tools["bash"]["plugin"].startswith("wieldy-bash ")
    assert tools["bash"]["parameters"]["required"] == ["command"]


def test_one_tool_is_shown_with_its_schema(inside):
    """A name shows one tool: its whole description and its JSON schema."""
    out = inside("tools", "python").out
    _, _, schema = out.partition("parameters:\n")
    assert "Each call is a new process" in out
    assert json.loads(schema)["properties"]["code"]["type"] == "string"


def test_an_unknown_tool_is_one_line(inside):
    """A tool that is not installed is one line with near names and the package."""
    outcome = inside("tools", "bsh")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("wieldy: error: unknown tool 'bsh'; did you mean bash?")


TWIN = """\
from wieldy import hookimpl, tool
@tool
async def twin() -> None:
    '''Does nothing.'''
@hookimpl
def wieldy_tools():
    return [twin]
"""


def test_a_conflict_names_both_plugins(wieldy, plugin):
    """A tool that two plugins give is listed as unusable, with both; `wieldy plugins` says so too."""
    plugin("castor", TWIN)
    env = plugin("pollux", TWIN)
    tools = wieldy("tools", env=env).out
    assert "twin  (wieldy-castor 1.0 (castor) and wieldy-pollux 1.0 (pollux))" in tools
    assert "  unusable: " in tools
    assert "conflict: tool twin is given by wieldy-castor 1.0" in wieldy("plugins", env=env).out


def test_a_tool_that_cannot_be_made_does_not_hide_the_others(wieldy, plugin):
    """A factory that needs arguments is listed with the reason, beside all other tools."""
    env = plugin(
        "needy",
        "from wieldy import hookimpl, tool\n"
        "@tool\n"
        "def needy(key: str):\n"
        "    return None\n"
        "@hookimpl\n"
        "def wieldy_tools():\n"
        "    return [needy]\n",
    )
    outcome = wieldy("tools", env=env)
    assert outcome.code == 0
    assert "unusable: the tool 'needy' cannot be made: TypeError" in outcome.out
    assert "bash  (wieldy-bash " in outcome.out


def test_plugins_are_listed(inside):
    """Every plugin is listed with distribution, status, hooks and what it gives."""
    out = inside("plugins").out
    assert "bash  (wieldy-bash 0.1.0)  ok\n  hooks: wieldy_tools\n  tools: bash\n" in out


def test_plugins_as_json(inside):
    """With --json each plugin has its status and what it gives by kind."""
    listed = json.loads(inside("plugins", "--json").out)
    bash = next(each for each in listed["plugins"] if each["name"] == "bash")
    assert (bash["status"], bash["hooks"], bash["gives"]) == (
        "ok",
        ["wieldy_tools"],
        {"tools": ["bash"]},
    )
    assert listed["conflicts"] == {}


def test_a_blocked_plugin_is_listed_as_such(inside):
    """--block-plugin leaves a plugin out; it is listed as blocked, and gives nothing."""
    out = inside("--block-plugin", "wieldy-bash", "plugins").out
    assert "bash  (wieldy-bash 0.1.0)  blocked\n" in out
    outcome = inside("--block-plugin", "bash", "tools", "bash")
    assert outcome.code == 1
    assert "unknown tool 'bash'" in outcome.err


def test_a_name_to_block_that_no_plugin_has_is_told(inside):
    """--block-plugin with a name that does not exist warns, since nothing was blocked."""
    outcome = inside("--block-plugin", "bsh", "tools")
    assert outcome.code == 0
    assert outcome.err == "wieldy: warning: --block-plugin: no plugin is named bsh\n"


def test_sandboxes_are_listed(inside):
    """Every backend is listed with its plugin, its capabilities, its settings and whether it is usable."""
    local = next(
        each for each in json.loads(inside("sandboxes", "--json").out) if each["name"] == "local"
    )
    assert local["unusable"] is None
    assert "pty" in local["capabilities"]
    assert "workdir" in local["settings"]
    out = inside("sandboxes").out
    assert "local  (wieldy-sandbox-local 0.1.0 (sandbox-local))  usable\n" in out


def test_a_sandbox_that_cannot_be_used_says_why(wieldy, plugin):
    """A backend that cannot be used here is listed with the reason, also where it is a crash."""
    env = plugin(
        "far",
        "from wieldy import Sandbox, hookimpl\n"
        "class Far(Sandbox):\n"
        "    name = 'far'\n"
        "    @classmethod\n"
        "    async def unusable(cls):\n"
        "        return 'the moon is down: wait'\n"
        "class Odd(Sandbox):\n"
        "    name = 'odd'\n"
        "    @classmethod\n"
        "    async def unusable(cls):\n"
        "        raise ValueError('no idea')\n"
        "@hookimpl\n"
        "def wieldy_sandboxes():\n"
        "    return [Far, Odd]\n",
    )
    out = wieldy("sandboxes", env=env).out
    assert "far  (wieldy-far 1.0 (far))  not usable: the moon is down: wait\n" in out
    assert "odd  (wieldy-far 1.0 (far))  not usable: ValueError: no idea\n" in out
    assert "local  (" in out


def test_lint_of_plain_tools(inside):
    """With --lint each tool is shown as each provider sees it; where nothing is lost, the exit code is 0."""
    outcome = inside("tools", "bash", "--lint")
    assert (outcome.code, outcome.err) == (0, "")
    heads = [line for line in outcome.out.splitlines() if not line.startswith(" ")]
    assert heads == ["bash for anthropic: ok", "bash for openai: ok", "bash for google: ok"]
    assert json.loads(outcome.out.splitlines()[1])["input_schema"]["required"] == ["command"]


LOSSY = """\
from typing import Literal
from wieldy import hookimpl, tool

@tool
async def pick(size: Literal[1, 2]) -> None:
    '''Picks.

    Args:
        size: How large.
    '''

@tool(name="bad name")
async def bad() -> None:
    '''Does nothing.'''

@hookimpl
def wieldy_tools():
    return [pick, bad]
"""


def test_lint_of_what_is_lost(wieldy, plugin):
    """A lost enum and a bad name are said, and the exit code is 1."""
    outcome = wieldy("tools", "--lint", env=plugin("lossy", LOSSY))
    assert outcome.code == 1
    assert "pick for openai: ok" in outcome.out
    assert "pick for google: LOSSES" in outcome.out
    assert "  lost: size: enum" in outcome.out
    assert "bad name: 'bad name' cannot be the name of a tool" in outcome.out
    assert "2 problems" in outcome.err
