"""`wieldy demo`: solved only where it is solved."""

import json

from wieldy.cli.demo import project_files

FIX = (
    "cd room-booking && sed 's/Slot(busy\\[-1\\].start, slot.end)/"
    "Slot(busy[-1].start, max(busy[-1].end, slot.end))/' roombook/schedule.py > new "
    "&& mv new roombook/schedule.py"
)


def test_the_demo_solves_its_task(wieldy):
    """Without any option the demo reads, reproduces, repairs, tests and submits, and checks it."""
    outcome = wieldy("demo")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("\nsolved: 10 tests pass\n")


def test_only_the_answer_with_quiet(inside):
    """With --quiet the demo writes the answer of the agent and nothing else."""
    outcome = inside("demo", "--quiet")
    assert outcome.code == 0
    assert outcome.out.startswith("When bookings overlap, ")
    assert outcome.out.count("\n") == 1


def test_events_with_json(inside):
    """With --json the demo writes events and nothing else."""
    outcome = inside("demo", "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out.splitlines()[-1])["reason"] == "submitted"


def test_an_answer_without_a_repair_is_not_solved(inside, script, submit):
    """An agent that claims to be done and has repaired nothing fails the demo."""
    outcome = inside("demo", "--model", script(submit("all done")), "--quiet")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "wieldy: not solved: the tests do not pass: FAILED (failures=1)\n"


def test_another_repair_is_solved(inside, script, bash, submit):
    """Any repair after which the tests pass is a solution: the script is not what is checked."""
    outcome = inside("demo", "--model", script(bash(FIX), submit("repaired")), "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "repaired\n", "")


def test_changed_tests_are_not_solved(inside, script, bash, submit):
    """An agent that makes the tests pass by changing them fails the demo."""
    model = script(bash("echo > room-booking/tests/test_schedule.py"), submit())
    outcome = inside("demo", "--model", model, "--quiet")
    assert outcome.code == 1
    assert outcome.err == "wieldy: not solved: tests/test_schedule.py is not as it was\n"


def test_a_repair_without_an_answer_is_not_solved(inside, script, bash):
    """An agent that never submits fails the demo, whatever it has repaired."""
    model = script(bash(FIX), bash("true"))
    outcome = inside("demo", "--model", model, "--limit", "turns=1", "--quiet")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.endswith("wieldy: not solved: there is no answer\n")


def test_a_wrong_result_of_a_tool_fails_the_demo(wieldy, plugin):
    """The script does not talk over a result that is not what it should be."""
    env = plugin(
        "liar",
        "from dataclasses import replace\n"
        "from wieldy import Approval, hookimpl\n"
        "@hookimpl\n"
        "def wieldy_approve(request):\n"
        "    if request.call.function == 'python':\n"
        "        lie = request.call.model_copy(update={'arguments': {'code': 'print(1)'}})\n"
        "        return Approval(decision='modify', modified=lie)\n",
    )
    outcome = wieldy("demo", "--quiet", env=env)
    assert outcome.code == 1
    assert "turn 4 of scripted/demo expects to see" in outcome.err


def test_the_project_stays_in_the_workdir(inside, here):
    """With --workdir the repaired project is kept, without compiled files of the installation."""
    assert inside("demo", "--workdir", here, "--quiet").code == 0
    project = here / "room-booking"
    assert "max(busy[-1].end, slot.end)" in (project / "roombook/schedule.py").read_text()
    assert not [name for name in project_files() if "__pycache__" in name]


def test_nothing_is_overwritten(inside, here):
    """Where the project's directory exists already, the demo refuses to start."""
    (here / "room-booking").mkdir()
    outcome = inside("demo", "--workdir", here)
    assert outcome.code == 1
    assert "there is already a room-booking" in outcome.err


def test_missing_tools_are_named(inside):
    """Without the tools that it needs the demo says which package brings them."""
    outcome = inside("--block-plugin", "bash", "demo")
    assert outcome.code == 1
    assert "pip install wieldy-bash" in outcome.err
