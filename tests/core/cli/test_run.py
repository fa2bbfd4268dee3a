"""`wieldy run`: modes of output, settings, exit codes."""

from pydantic import TypeAdapter

from wieldy.events import Event


def test_quiet_writes_only_the_answer(inside, script, bash, submit):
    """With --quiet nothing but the answer is written."""
    model = script(bash("echo hi"), submit("42", content="I think."))
    outcome = inside("run", "task", "--model", model, "--tools", "bash", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "42\n", "")


def test_json_writes_one_event_per_line(inside, script, bash, submit):
    """With --json every line of the output is an event, from run_started to run_ended."""
    model = script(bash("echo hi"), submit())
    outcome = inside("run", "task", "--model", model, "--tools", "bash", "--json")
    events = [TypeAdapter(Event).validate_json(line) for line in outcome.out.splitlines()]
    assert [event.type for event in events] == [
        "run_started",
        "model_requested",
        "model_answered",
        "tool_called",
        "tool_answered",
        "model_requested",
        "model_answered",
        "tool_called",
        "tool_answered",
        "run_ended",
    ]
    assert events[-1].completion == "done"


def test_plain_lines_show_what_happens(inside, script, bash, submit):
    """Without a terminal a run is plain lines: what was said, called and answered, and the answer."""
    model = script(
        bash("echo hi", content="Let me see.", usage={"input_tokens": 1200, "output_tokens": 7}),
        submit("It said hi."),
    )
    lines = inside("run", "task", "--model", model, "--tools", "bash").out.splitlines()
    assert lines[0].startswith("[1] scripted/script.json · ")
    assert lines[0].endswith("1,200 tokens in, 7 out")
    assert lines[1:4] == ["    Let me see.", "  > bash", "      echo hi"]
    assert lines[4].startswith("  < ")
    assert lines[5] == "      hi"
    assert lines[-2].startswith("[end] submitted · 2 turns · ")
    assert lines[-1] == "It said hi."


def test_long_results_are_folded(inside, script, bash, submit):
    """Of a long result the first and last lines are shown, and how many are left out."""
    model = script(bash("seq 100"), submit())
    out = inside("run", "task", "--model", model, "--tools", "bash").out
    assert "      4\n      … 92 more lines\n      97\n" in out


def test_calls_that_run_together_are_shown_with_their_own_results(inside, script, submit):
    """Calls of one turn stand in their order, each followed by its result, whichever ended first."""
    calls = [
        {"function": "bash", "arguments": {"command": command}}
        for command in ("sleep 0.3; echo slow", "echo fast")
    ]
    model = script({"tool_calls": calls}, submit())
    out = inside("run", "task", "--model", model, "--tools", "bash").out
    places = [
        out.index(text) for text in ("sleep 0.3", "      slow\n", "echo fast", "      fast\n")
    ]
    assert places == sorted(places)


def test_a_failed_call_is_shown_as_an_error(inside, script, submit):
    """A call that is answered with an error is shown with what the model wrote, and the error."""
    model = script({"tool_calls": [{"function": "bsh", "arguments": {"x": [1]}}]}, submit())
    out = inside("run", "task", "--model", model, "--tools", "bash").out
    assert "  > bsh\n      x: [1]\n  < error, " in out
    assert "there is no tool 'bsh'; did you mean bash?" in out


def test_the_task_comes_from_standard_input(wieldy, script, submit):
    """A task of "-" is read from the standard input."""
    model = script(submit("seen", expects=["^from the input$"]))
    outcome = wieldy("run", "-", "--model", model, "--quiet", text="from the input")
    assert (outcome.code, outcome.out) == (0, "seen\n")


def test_an_empty_task_is_a_usage_error(inside):
    """A task without text ends with exit code 2."""
    outcome = inside("run", " ", "--model", "scripted/x")
    assert outcome.code == 2
    assert "the TASK is empty" in outcome.err


def test_no_model_is_one_line_that_says_what_to_do(inside):
    """Where no model is named anywhere, one line names the option and the file."""
    outcome = inside("run", "task")
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert "--model" in outcome.err
    assert "wieldy.toml" in outcome.err


def test_a_limit_ends_the_run_with_1(inside, script, bash):
    """A run that a limit ends has exit code 1, and one line says which limit."""
    model = script(*[bash("true")] * 3)
    outcome = inside(
        "run", "x", "--model", model, "--tools", "bash", "--limit", "turns=2", "--quiet"
    )
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == (
        "wieldy: the run ended without an answer: limit: limit of turns exceeded: 2 allowed, 3 needed\n"
    )


def test_a_refusal_ends_the_run_with_1(inside, script):
    """A run in which the model refuses has exit code 1 and the reason on the standard error."""
    model = script({"content": "I will not.", "stop_reason": "content_filter"})
    outcome = inside("run", "x", "--model", model, "--quiet")
    assert (outcome.code, outcome.out) == (1, "")
    assert "content_filter: I will not." in outcome.err


def test_a_wrong_limit_is_a_usage_error(inside):
    """A limit that does not exist ends with exit code 2 and names those that do."""
    outcome = inside("run", "x", "--limit", "trns=3")
    assert outcome.code == 2
    assert "did you mean turns?" in outcome.err


def test_quiet_and_json_exclude_each_other(inside):
    """--quiet and --json together are a usage error."""
    outcome = inside("run", "x", "--quiet", "--json")
    assert outcome.code == 2
    assert "choose one" in outcome.err


def test_workdir_is_where_commands_run(inside, here, script, bash, submit):
    """With --workdir commands run in that directory, and what they write there stays."""
    work = here / "work"
    work.mkdir()
    model = script(bash("echo kept > file"), submit())
    outcome = inside("run", "x", "--model", model, "--tools", "bash", "--workdir", work)
    assert outcome.code == 0
    assert (work / "file").read_text() == "kept\n"


def test_workdir_needs_a_backend_that_has_one(wieldy, plugin, script):
    """A backend without a `workdir` setting is refused by name when --workdir is given."""
    env = plugin(
        "bare",
        "from wieldy import Sandbox, hookimpl\n"
        "class Bare(Sandbox):\n"
        "    name = 'bare'\n"
        "@hookimpl\n"
        "def wieldy_sandboxes():\n"
        "    return [Bare]\n",
    )
    outcome = wieldy(
        "run", "x", "--model", script(), "--sandbox", "bare", "--workdir", ".", env=env
    )
    assert outcome.code == 1
    assert outcome.err == (
        "wieldy: error: the sandbox bare has no `workdir` to set: leave --workdir out\n"
    )


def test_an_unknown_sandbox_names_the_package(inside, script):
    """A sandbox that is not installed gives the command that installs it."""
    outcome = inside("run", "x", "--model", script(), "--sandbox", "docker")
    assert outcome.code == 1
    assert "pip install wieldy-sandbox-docker" in outcome.err


def test_an_unknown_model_provider_names_the_package(inside):
    """A model provider that is not installed gives the command that installs it."""
    outcome = inside("run", "x", "--model", "nowhere/model")
    assert outcome.code == 1
    assert "pip install wieldy-nowhere" in outcome.err


CONFIG = """\
default_environment = "one"

[environments.one]
model = "{model}"
tools = ["bash"]
sandbox = {{ backend = "local", env = {{ WHO = "one" }} }}

[environments.two]
model = "{model}"
tools = ["bash"]
sandbox = {{ backend = "local", env = {{ WHO = "two" }} }}
limits = {{ turns = 1 }}
"""


def test_the_configuration_says_what_options_do_not(inside, here, script, bash, submit):
    """Without options a run takes model, tools and sandbox of the default environment."""
    model = script(bash("echo $WHO"), submit("seen", expects=["^one$"]))
    (here / "wieldy.toml").write_text(CONFIG.format(model=model))
    outcome = inside("run", "x", "--quiet")
    assert (outcome.code, outcome.out) == (0, "seen\n")


def test_env_chooses_the_environment(inside, here, script, bash, submit):
    """--env takes the named environment, and options replace what it says: here, its limit."""
    model = script(bash("echo $WHO"), submit("seen", expects=["^two$"]))
    (here / "wieldy.toml").write_text(CONFIG.format(model=model))
    outcome = inside("run", "x", "--quiet", "--env", "two", "--limit", "turns=9")
    assert (outcome.code, outcome.out) == (0, "seen\n")


def test_wieldy_env_chooses_the_environment(wieldy, here, script, bash, submit):
    """WIELDY_ENV takes the named environment, its limits included."""
    model = script(bash("echo $WHO"), submit())
    (here / "wieldy.toml").write_text(CONFIG.format(model=model))
    outcome = wieldy("run", "x", "--quiet", env={"WIELDY_ENV": "two"})
    assert outcome.code == 1
    assert "limit of turns exceeded: 1 allowed" in outcome.err


def test_the_same_backend_keeps_its_settings(inside, here, script, bash, submit):
    """--sandbox with the backend of the environment keeps the environment's settings of it."""
    model = script(bash("echo $WHO"), submit("seen", expects=["^one$"]))
    (here / "wieldy.toml").write_text(CONFIG.format(model=model))
    outcome = inside("run", "x", "--quiet", "--sandbox", "local")
    assert (outcome.code, outcome.out) == (0, "seen\n")


def test_an_unknown_key_is_one_line_with_the_nearest_one(inside, here):
    """A key that the configuration does not have is one line that names the file and the nearest key."""
    (here / "wieldy.toml").write_text("[environments.a]\nmodl = 'x'\n")
    outcome = inside("run", "x")
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert "did you mean model?" in outcome.err


def test_control_characters_are_not_passed_on(inside, script, bash, submit):
    """Escape sequences of a tool or a model are spelled out, and colours are dropped."""
    model = script(
        bash(r"printf '\033]0;title\007 \033[31mred\033[0m\n'", content="\x1b[2Jcleared"),
        submit("bell \x07"),
    )
    out = inside("run", "x", "--model", model, "--tools", "bash").out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert r"\x1b[2Jcleared" in out
    assert r"      \x1b]0;title\x07 red" in out
    assert r"bell \x07" in out


def test_a_crash_is_one_line(wieldy, plugin, script):
    """An unexpected error is one line with its type, message and tool; --debug shows the traceback."""
    env = plugin(
        "crash",
        "from wieldy import hookimpl, tool\n"
        "@tool\n"
        "async def crash() -> None:\n"
        "    '''Fails.'''\n"
        "    raise RuntimeError('broken inside')\n"
        "@hookimpl\n"
        "def wieldy_tools():\n"
        "    return [crash]\n",
    )
    model = script({"tool_calls": [{"function": "crash"}]})
    arguments = ("run", "x", "--model", model, "--tools", "crash", "--quiet")
    outcome = wieldy(*arguments, env=env)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == (
        "wieldy: error: RuntimeError: broken inside (in tool 'crash', call 'call_1_1'); "
        "run again with --debug for the traceback\n"
    )
    assert "Traceback" in wieldy(*arguments, "--debug", env=env).err


def test_longer_messages_are_indented(inside, script):
    """The further lines of an error of several lines are indented, so that it is seen as one."""
    model = script({"expects": ["something else"]})
    outcome = inside("run", "the task", "--model", model, "--quiet")
    assert outcome.code == 1
    first, second = outcome.err.splitlines()
    assert first.startswith("wieldy: error: turn 1 of scripted/script.json expects to see")
    assert second == "    the task"


def test_a_reader_that_goes_away_stops_the_run_quietly(start, script, bash):
    """When nobody reads the output any more the run ends, as a program in a pipe does."""
    model = script(*[bash("sleep 0.1")] * 200)
    with start("run", "x", "--model", model, "--tools", "bash") as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 141
