"""Every hook, reached through a distribution that is really installed."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from wieldy.plugins import hookspecs

T = TypeVar("T")

COVERED: set[str] = set()


def covers(hook: str) -> Callable[[T], T]:
    """Says which hook a test reaches."""
    COVERED.add(hook)
    return lambda test: test


def test_every_hook_has_a_test_here() -> None:
    """A hook without a test that calls it through an installed distribution fails the run."""
    specified = {name for name, value in vars(hookspecs).items() if hasattr(value, "wieldy_spec")}
    assert sorted(specified - COVERED) == [], "these hooks have no test"
    assert sorted(COVERED - specified) == [], "these hooks do not exist"


@covers("wieldy_tools")
def test_an_installed_tool_is_called_by_name(acme) -> None:
    """A tool of an installed plugin is found by its name alone, and what it returns is the answer."""
    came = acme.agent(tools=["acme_shout"], calls=[["acme_shout", {"text": "hi"}]])
    assert came == {
        "answers": ["HI"],
        "errors": [None],
        "ended": "submitted",
        "completion": "done",
    }


@covers("wieldy_sandboxes")
def test_an_installed_sandbox_is_opened_by_name(acme) -> None:
    """The backend that an environment names is opened with its settings, and tools run in it."""
    came = acme.agent(
        tools=["acme_run"],
        calls=[["acme_run", {"word": "ls"}]],
        sandbox={"backend": "acme-memory", "greeting": "pretended"},
    )
    assert came["answers"] == ["$ pretended ls"]


@covers("wieldy_models")
def test_an_installed_model_is_asked_by_prefix(acme) -> None:
    """The provider of the prefix makes the model of the name behind it, and that model is asked."""
    came = acme.agent(model="acme/polly")
    assert came["completion"] == "I am acme/polly"


@pytest.fixture(scope="module")
def factories(acme):
    """What came of factories that were looked up by name."""
    return acme.script("factories.py")


@covers("wieldy_approvers")
def test_an_installed_approver_is_made_by_name(factories) -> None:
    """The factory that a policy names makes an approver with its parameters."""
    assert factories["approver"] == ["reject", "not today"]


@covers("wieldy_compactions")
def test_an_installed_compaction_is_made_by_name(factories) -> None:
    """The strategy that a configuration names is made with its parameters."""
    assert factories["compaction"] == ["yes?"]


@covers("wieldy_message_filters")
def test_an_installed_message_filter_is_found_by_name(factories) -> None:
    """The filter that `truncation=` names makes another conversation."""
    assert factories["message_filter"] == ["hello"]


@covers("wieldy_cli")
def test_an_installed_command_is_part_of_the_command_line(acme, wieldy) -> None:
    """A command that a plugin adds to `wieldy` runs like one of its own."""
    came = acme.run(wieldy, "acme-hello", "Ada")
    assert (came.returncode, came.stdout) == (0, "hello Ada, from acme\n"), came.stderr


@covers("wieldy_approve")
@pytest.mark.parametrize(
    ("text", "answer", "error"),
    [("fine", "FINE", None), ("rude", "POLITE", None), ("forbidden", "", "acme forbids that")],
)
def test_an_installed_approver_decides_on_every_call(acme, text, answer, error) -> None:
    """What the hook answers happens: the call runs, runs with other arguments, or is rejected."""
    came = acme.agent(tools=["acme_shout"], calls=[["acme_shout", {"text": text}]])
    assert (came["answers"], came["errors"], came["ended"]) == ([answer], [error], "submitted")


@covers("wieldy_approve")
def test_an_installed_approver_ends_the_run(acme) -> None:
    """Where the hook says terminate, the run ends with its explanation and the tool does not run."""
    came = acme.agent(tools=["acme_shout"], calls=[["acme_shout", {"text": "the end"}]])
    assert (came["answers"], came["ended"]) == ([""], "terminated: acme has seen enough")


@covers("wieldy_truncate_output")
def test_an_installed_truncation_shortens_a_long_output(acme) -> None:
    """Where a result is too long, the model sees what the hook made of it."""
    came = acme.agent(tools=["acme_shout"], calls=[["acme_shout", {"text": "x" * 20_000}]])
    assert came["answers"] == ["acme: 20000 characters, 16384 allowed"]


@covers("wieldy_event")
def test_an_installed_sink_is_told_of_every_event(acme, tmp_path: Path) -> None:
    """The hook sees all that happens in a run, in order."""
    log = tmp_path / "log"
    calls = [["acme_shout", {"text": "hi"}]]
    acme.agent({"ACME_LOG": str(log)}, tools=["acme_shout"], calls=calls)
    turn = ["model_requested", "model_answered", "tool_called", "tool_answered"]
    assert log.read_text().split() == ["run_started", *turn, *turn, "run_ended"]
