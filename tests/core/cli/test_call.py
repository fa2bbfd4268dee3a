"""`wieldy call`: one tool call."""

import json


def test_the_result_is_written(inside):
    """A call writes what a model would read to the standard output."""
    outcome = inside("call", "bash", '{"command": "echo hi"}')
    assert (outcome.code, outcome.out, outcome.err) == (0, "hi\n", "")


def test_arguments_come_from_standard_input(wieldy):
    """Arguments of "-" are read from the standard input."""
    outcome = wieldy("call", "bash", "-", text='{"command": "echo from the input"}')
    assert (outcome.code, outcome.out) == (0, "from the input\n")


def test_arguments_that_do_not_fit_are_an_error(inside):
    """Arguments that do not fit give exit code 1 and what a model would read, on the standard error."""
    outcome = inside("call", "bash", '{"comand": "x"}')
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("wieldy: error: bash: ")
    assert "command: required, but missing" in outcome.err


def test_arguments_that_are_no_json_are_an_error(inside):
    """Arguments that cannot be read give exit code 1 and the place of the mistake."""
    outcome = inside("call", "bash", '{"command": ')
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("wieldy: error: bash: ")


def test_json_is_the_whole_answer(inside):
    """With --json the answer is one line of JSON, exactly as the model gets it."""
    outcome = inside("call", "bash", r'{"command": "printf \"\\033[1mx\""}', "--json")
    answer = json.loads(outcome.out)
    assert outcome.code == 0
    assert (answer["role"], answer["content"], answer["error"]) == ("tool", "\x1b[1mx", None)


def test_json_tells_errors_too(inside):
    """With --json an error is in the answer, and the exit code is 1."""
    outcome = inside("call", "bash", "{}", "--json")
    assert (outcome.code, outcome.err) == (1, "")
    assert json.loads(outcome.out)["error"]["type"] == "parsing"


def test_control_characters_are_spelled_out(inside):
    """A result with escape sequences cannot reach the terminal."""
    outcome = inside("call", "bash", r'{"command": "printf \"\\033]0;x\\007\""}')
    assert outcome.out == "\\x1b]0;x\\x07\n"


def test_an_unknown_tool_names_the_near_ones(inside):
    """A tool that is not installed is one line with near names."""
    outcome = inside("call", "bsh", "{}")
    assert outcome.code == 1
    assert "did you mean bash?" in outcome.err


def test_approvers_decide(wieldy, plugin):
    """An approver that is installed as a plugin rejects the call, as it would reject that of a model."""
    env = plugin(
        "strict",
        "from wieldy import Approval, hookimpl\n"
        "@hookimpl\n"
        "def wieldy_approve(request):\n"
        "    return Approval(decision='reject', explanation='not today')\n",
    )
    outcome = wieldy("call", "bash", '{"command": "echo hi"}', env=env)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "wieldy: error: bash: not today\n"
