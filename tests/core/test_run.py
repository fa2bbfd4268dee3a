"""Running agents: limits, scope, termination, and what is told."""

import anyio
import pytest

from wieldy import (
    AgentState,
    Approval,
    ChatMessageUser,
    LimitExceededError,
    ModelError,
    PluginError,
    PluginManager,
    agent,
    agent_with,
    hookimpl,
    react,
    run,
    turn_limit,
    use_model,
    use_plugins,
)
from wieldy.events import use_events
from wieldy.limits import use_limits
from wieldy.models import ScriptedCall, ScriptedModel, ScriptedTurn
from wieldy.scope import current_scope, open_scope, store


class Ear:
    """A plugin that keeps all events."""

    def __init__(self):
        self.events = []

    @hookimpl
    def wieldy_event(self, event):
        self.events.append(event)


@pytest.fixture
def ear():
    """A run tells its events to this plugin, and to no other."""
    plugins = PluginManager()
    heard = Ear()
    plugins.register(heard, "ear")
    with use_plugins(plugins):
        yield heard


def submits(answer):
    return ScriptedTurn(tool_calls=[ScriptedCall(function="submit", arguments={"answer": answer})])


def works(*names):
    return ScriptedTurn(tool_calls=[ScriptedCall(function=name) for name in names])


async def noting():
    """Notes."""
    return "noted"


async def test_input_is_copied(ear):
    """A run leaves the conversation that it is given as it is."""
    conversation = [ChatMessageUser(content="go")]
    await run(react(model=ScriptedModel([submits("4")])), conversation)
    assert conversation == [ChatMessageUser(content="go")]


async def test_limits(ear):
    """LI09: with limits a run returns the state and the limit that ended it; a limit can be used again."""
    limits = [turn_limit(2)]
    for _ in range(2):
        state, error = await run(react(model=ScriptedModel(["hm"] * 5)), "go", limits)
        assert (error.kind, error.used, error.limit) == ("turns", 3, 2)
        assert state.ended.reason == "limit"
        assert [message.role for message in state.messages].count("assistant") == 2


async def test_limits_that_are_not_reached(ear):
    """With limits that were not reached a run returns None for the limit."""
    state, error = await run(react(model=ScriptedModel([submits("4")])), "go", [turn_limit(2)])
    assert (state.output.completion, error) == ("4", None)


async def test_outer_limit(ear):
    """LI03: of nested limits the outermost that is exceeded is reported, to whoever set it."""
    seen = []

    async def inner():
        """Runs an agent."""
        _, error = await run(react(model=ScriptedModel(["hm"] * 9)), "go", [turn_limit(5)])
        seen.append(error)
        return "done"

    outer = react(tools=[inner], model=ScriptedModel([works("inner"), submits("4")]))
    _, error = await run(outer, "go", [turn_limit(4)])
    assert seen == []
    assert error is not None
    assert error.limit == 4


async def test_inner_limit(ear):
    """LI03: a limit of an inner run ends that run alone."""
    seen = []

    async def inner():
        """Runs an agent."""
        _, error = await run(react(model=ScriptedModel(["hm"] * 9)), "go", [turn_limit(2)])
        seen.append(error.limit)
        return "done"

    outer = react(tools=[inner], model=ScriptedModel([works("inner"), submits("4")]))
    state, error = await run(outer, "go", [turn_limit(10)])
    assert (seen, error, state.output.completion) == ([2], None, "4")


async def test_termination():
    """AP07: an approver that terminates ends the run with its reason, and the tool is not run."""

    class Terminator:
        @hookimpl
        def wieldy_approve(self, request):
            return Approval(decision="terminate", explanation="enough")

    ran = []

    async def working():
        """Works."""
        ran.append(1)

    plugins = PluginManager()
    plugins.register(Terminator(), "terminator")
    with use_plugins(plugins):
        state = await run(react(tools=[working], model=ScriptedModel([works("working")])), "go")
    assert str(state.ended) == "terminated: enough"
    assert ran == []
    assert (state.messages[-1].error.type, state.messages[-1].seen) == ("approval", "enough")


async def test_events(ear):
    """A run tells what happens, in the order in which it happens."""
    await run(
        react(name="a", tools=[noting], model=ScriptedModel([works("noting"), submits("4")])), "go"
    )
    assert [event.type for event in ear.events] == [
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
    end = ear.events[-1]
    assert (end.agent, end.reason, end.completion) == ("a", "submitted", "4")


async def test_own_sink_besides_plugins(ear):
    """A function that asked for events hears them besides the plugins, also when it asked before them."""
    heard = []
    with use_events(heard.append), use_plugins(PluginManager()):
        await run(react(model=ScriptedModel([submits("4")])), "go")
    assert [event.type for event in heard][::3] == ["run_started", "tool_called"]
    assert len(heard) == 6


async def test_runs_in_events(ear):
    """Each event names its run, and a run inside of another names that as its parent."""

    async def inner():
        """Runs an agent."""
        return (await run(react(model=ScriptedModel([submits("3")])), "go")).output.completion

    await run(react(tools=[inner], model=ScriptedModel([works("inner"), submits("4")])), "go")
    (outer, nested) = [event for event in ear.events if event.type == "run_started"]
    assert (outer.parent, nested.parent) == ("", outer.run)
    assert {event.run for event in ear.events} == {outer.run, nested.run}


async def test_event_of_a_crash(ear):
    """The last event of a run that fails says so."""

    async def crashing():
        """Crashes."""
        msg = "0"
        raise ZeroDivisionError(msg)

    with pytest.raises(ZeroDivisionError):
        await run(react(tools=[crashing], model=ScriptedModel([works("crashing")])), "go")
    assert (ear.events[-1].reason, ear.events[-1].detail) == ("error", "ZeroDivisionError: 0")


async def test_event_of_a_cancellation(ear):
    """The last event of a run that is cancelled says so, and every call is answered before."""

    async def sleeping():
        """Sleeps."""
        await anyio.sleep(60)

    with anyio.move_on_after(0.2):
        await run(react(tools=[sleeping], model=ScriptedModel([works("sleeping")])), "go")
    assert ear.events[-1].reason == "cancelled"


async def test_installed_plugins_are_loaded():
    """Outside of use_plugins, a run loads the installed plugins, so that names can be used."""
    state = await run(react(tools=["bash"], model=ScriptedModel([submits("4")])), "go")
    assert state.output.completion == "4"


async def test_name_without_plugins():
    """A name that cannot be looked up, since no run is going on, is an error that says what to do."""
    with pytest.raises(PluginError, match="no plugins are loaded here"):
        await react(tools=["bash"], model=ScriptedModel([]))(AgentState())


async def test_current_model(ear):
    """An agent without a model of its own uses the current one."""
    with use_model(ScriptedModel([submits("4")])):
        state = await run(react(), "go")
    assert state.output.completion == "4"


async def test_no_model(ear):
    """An agent without any model is an error that says what to do."""
    with pytest.raises(ModelError, match="react\\(model=...\\)"):
        await run(react(), "go")


async def test_scope_is_of_one_run(ear):
    """What a tool stores lasts for one run, and is not seen by another."""

    async def counting():
        """Counts."""
        counter = store("counting", list)
        counter.append(1)
        return len(counter)

    agent = react(
        tools=[counting],
        model=ScriptedModel([works("counting", "counting"), submits("1")] * 2),
    )
    states = [await run(agent, "go"), await run(agent, "go")]
    texts = [[m.text for m in state.messages if m.role == "tool"] for state in states]
    assert texts == [["1", "2"], ["1", "2"]]


async def test_clean_up_at_the_end_of_a_run(ear):
    """What a tool asked to be cleaned up is cleaned up when the run ends, last asked first, cancelled or not."""
    done = []

    async def opening():
        """Opens."""

        async def close(name):
            await anyio.sleep(0.01)
            done.append(name)

        for name in ("a", "b"):
            current_scope().on_close(lambda name=name: close(name))
        await anyio.sleep(60)

    with anyio.move_on_after(0.2):
        await run(react(tools=[opening], model=ScriptedModel([works("opening")])), "go")
    assert done == ["b", "a"]


async def test_failing_clean_up(caplog):
    """A clean-up that fails is logged, and the others still run."""
    done = []

    async def fail():
        msg = "stuck"
        raise OSError(msg)

    async def work():
        done.append(1)

    async with open_scope() as scope:
        scope.on_close(work)
        scope.on_close(fail)
    assert done == [1]
    assert "stuck" in caplog.text


async def test_agent_decorator(ear):
    """`@agent` names what the function makes, and describes it by the function's first line."""

    @agent
    def helper():
        """Helps."""

        async def execute(state):
            return state

        return execute

    made = helper()
    assert (made.name, made.description) == ("helper", "Helps.")
    renamed = agent_with(made, name="other")
    assert (renamed.name, renamed.description, made.name) == ("other", "Helps.", "helper")


async def test_limit_of_an_outer_scope_passes_through(ear):
    """A run without limits of its own lets a limit that was set around it pass."""
    with use_limits([turn_limit(1)]), pytest.raises(LimitExceededError):
        await run(react(model=ScriptedModel(["hm"] * 3)), "go")
