"""`--log`: every event, one line each."""

import json

import pytest
from pydantic import TypeAdapter

from wieldy.cli.output import json_line
from wieldy.events import Event
from wieldy.messages import ToolCall


def read(path):
    return [TypeAdapter(Event).validate_json(line) for line in path.read_text().splitlines()]


def test_half_a_surrogate_pair_is_no_error():
    """Arguments that no encoding can carry are written all the same, as a question mark."""
    call = ToolCall(id="1", function="f", arguments={"text": "a\ud800"})
    assert json.loads(json_line(call))["arguments"] == {"text": "a?"}


def test_every_line_is_an_event(inside, here, script, bash, submit):
    """Each line of a log reads back as an event; the last one has the answer."""
    model = script(bash("echo hi"), submit("42"))
    inside("run", "x", "--model", model, "--tools", "bash", "--log", "run.jsonl", "--quiet")
    events = read(here / "run.jsonl")
    assert len(events) == 10
    assert (events[-1].type, events[-1].reason, events[-1].completion) == (
        "run_ended",
        "submitted",
        "42",
    )


def test_a_log_is_added_to(inside, here, script, submit):
    """A log that exists is kept: the next run is added, on a new line even after half a line."""
    log = here / "run.jsonl"
    log.write_text('{"half": ')
    inside("run", "x", "--model", script(submit()), "--log", log, "--quiet")
    first, *lines = log.read_text().splitlines()
    assert first == '{"half": '
    assert json.loads(lines[0])["type"] == "run_started"


def test_a_crash_leaves_a_complete_log(inside, here, script):
    """A run that fails writes its last line too, with the error."""
    log = here / "run.jsonl"
    inside("run", "x", "--model", script(), "--log", log, "--quiet")
    last = read(log)[-1]
    assert (last.type, last.reason) == ("run_ended", "error")
    assert "was asked for one more" in last.detail


@pytest.mark.parametrize("path", ["missing/run.jsonl", "."])
def test_a_log_that_cannot_be_written_is_an_error_before_the_run(inside, script, path):
    """Where the log cannot be opened nothing runs, and one line says why."""
    outcome = inside("run", "x", "--model", script(), "--log", path)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"wieldy: error: cannot write the log {path}: ")
    assert outcome.err.count("\n") == 1
