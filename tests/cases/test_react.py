"""Cases of the groups react, submit, continue and overflow: the loop."""

import pytest

from wieldy import (
    AgentPrompt,
    AgentState,
    AgentSubmit,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ConfigError,
    ContentText,
    ModelOutput,
    PluginManager,
    ToolDef,
    ToolError,
    react,
    run,
    turn_limit,
    use_plugins,
)
from wieldy.models import ScriptedCall, ScriptedModel, ScriptedTurn


@pytest.fixture(autouse=True)
def _no_plugins():
    """These runs use no plugins: nothing is looked up by name."""
    with use_plugins(PluginManager()):
        yield


def calls(*written, content=""):
    """A turn that makes calls, each a name and its arguments."""
    return ScriptedTurn(
        content=content,
        tool_calls=[
            ScriptedCall(function=name, arguments=arguments) for name, arguments in written
        ],
    )


def submits(answer, content=""):
    return calls(("submit", {"answer": answer}), content=content)


async def noting():
    """Notes."""
    return "noted"


def spoken(state):
    """The conversation as pairs of role and text."""
    return [(message.role, message.text) for message in state.messages]


# -- react ------------------------------------------------------------------------------------------


async def test_braces_in_the_prompt():
    """RE03: braces in a prompt stay as they are."""
    state = await run(react(prompt="Use {x}.", model=ScriptedModel([submits("4")])), "go")
    assert state.messages[0].text.startswith("Use {x}.\n\n")


async def test_no_prompt():
    """RE04: without a prompt there is no system message."""
    state = await run(react(prompt=None, model=ScriptedModel([submits("4")])), "go")
    assert spoken(state) == [("user", "go"), ("assistant", "4")]


async def test_parts_of_the_prompt():
    """The system message has the parts that are given, in their order."""
    prompt = AgentPrompt(instructions="I.", assistant_prompt="A.", submit_prompt="S {submit}.")
    state = await run(react(prompt=prompt, model=ScriptedModel([submits("4")])), "go")
    assert state.messages[0] == ChatMessageSystem(content="I.\n\nA.\n\nS submit.")


async def test_assistant_prompt_that_names_the_submit_tool():
    """The submit prompt is left out where the assistant prompt already speaks of the submit tool."""
    prompt = AgentPrompt(assistant_prompt="End with {submit}.")
    state = await run(react(prompt=prompt, model=ScriptedModel([submits("4")])), "go")
    assert state.messages[0].text == "End with submit."


async def test_no_multi_agent_text():
    """RE05: without hand-off tools nothing is said of other agents."""
    state = await run(react(model=ScriptedModel([submits("4")])), "go")
    assert "agent" not in state.messages[0].text.lower()


async def test_text_without_submit_tool():
    """RE06: without a submit tool the agent ends when the model calls no tool."""
    model = ScriptedModel(["done"])
    state = await run(react(submit=False, model=model), "go")
    assert len(model.seen) == 1
    assert (state.output.completion, str(state.ended)) == ("done", "no_tool_call")


async def test_tool_source():
    """RE07: a tool that a source adds after the first turn is offered in the second."""

    class Growing:
        def __init__(self):
            self.asked = 0

        async def tools(self):
            self.asked += 1
            return [ToolDef(noting).as_tool()] if self.asked > 1 else []

    model = ScriptedModel(["hm", submits("4")])
    await run(react(tools=[Growing()], model=model), "go")
    assert [[tool.name for tool in offered] for offered in model.offered] == [
        ["submit"],
        ["noting", "submit"],
    ]


async def test_agent_as_model():
    """RE08: an agent stands in for the model; it is given the conversation and the tools."""
    given = []

    async def thinking(state: AgentState, tools) -> AgentState:
        given.append((len(state.messages), [tool.name for tool in tools]))
        state.output = ModelOutput.for_tool_call("own", "submit", {"answer": "4"})
        return state

    state = await run(react(model=thinking, prompt=None), "go")
    assert state.output.completion == "4"
    assert given == [(1, ["submit"])]


async def test_default_turn_limit():
    """A loop that never ends is stopped after the agent's limit of turns, and says so."""
    model = ScriptedModel(["hm"] * 10)
    state = await run(react(model=model, limits=[turn_limit(3)]), "go")
    assert len(model.seen) == 3
    assert str(state.ended) == "limit: limit of turns exceeded: 3 allowed, 4 needed"


async def test_same_agent_twice():
    """An agent can be run any number of times; no run knows of another."""
    agent = react(model=ScriptedModel([submits("1"), submits("2")]))
    first, second = await run(agent, "go"), await run(agent, "go")
    assert [first.output.completion, second.output.completion] == ["1", "2"]
    assert len(first.messages) == len(second.messages)


# -- submit -----------------------------------------------------------------------------------------


async def test_completion():
    """SU01: the completion is what the model said, a blank line, and the answer."""
    state = await run(react(prompt=None, model=ScriptedModel([submits("4", "I think")])), "go")
    assert state.output.completion == "I think\n\n4"
    assert spoken(state) == [("user", "go"), ("assistant", "I think\n\n4")]
    assert str(state.ended) == "submitted"


async def test_answer_only():
    """SU02: with answer_only the completion is the answer alone."""
    submit = AgentSubmit(answer_only=True)
    state = await run(react(submit=submit, model=ScriptedModel([submits("4", "I think")])), "go")
    assert state.output.completion == "4"


async def test_submit_with_another_call():
    """SU05: another call of the submitting turn is run and answered, and then the agent ends."""
    turn = calls(("submit", {"answer": "4"}), ("noting", {}))
    state = await run(react(prompt=None, tools=[noting], model=ScriptedModel([turn])), "go")
    assert spoken(state) == [("user", "go"), ("assistant", "4"), ("tool", "noted")]
    assert [call.function for call in state.messages[1].tool_calls] == ["noting"]


async def test_submit_with_invalid_arguments():
    """SU06: a submission that does not fit is an error to the model, and the loop goes on."""
    model = ScriptedModel([calls(("submit", {"anser": "4"})), submits("4")])
    state = await run(react(model=model), "go")
    assert state.output.completion == "4"
    assert "anser: unknown; did you mean answer?" in model.seen[1][-1].seen


async def test_own_submit_tool():
    """SU07: a submit tool of one's own may refuse an answer, and the model tries again."""
    tries = []

    async def hand_in(answer: str):
        """Hands in.

        Args:
            answer: The answer.
        """
        tries.append(answer)
        if len(tries) == 1:
            msg = "not yet"
            raise ToolError(msg)
        return answer

    turns = [calls(("hand_in", {"answer": each})) for each in ("3", "4")]
    state = await run(react(submit=AgentSubmit(tool=hand_in), model=ScriptedModel(turns)), "go")
    assert (state.output.completion, tries) == ("4", ["3", "4"])


async def test_large_answer():
    """SU08: an answer of 100 KB is complete."""
    state = await run(react(model=ScriptedModel([submits("x" * 100_000)])), "go")
    assert state.output.completion == "x" * 100_000


async def test_renamed_submit_tool():
    """SU09: the prompts name a renamed submit tool."""
    model = ScriptedModel(["hm", calls(("finish", {"answer": "4"}))])
    state = await run(react(submit=AgentSubmit(name="finish"), model=model), "go")
    assert "call the finish tool" in state.messages[0].text
    assert "call the finish tool" in model.seen[1][-1].text
    assert state.output.completion == "4"


async def test_content_in_parts():
    """SU10: the answer is added as a part where the model spoke in parts."""
    turn = submits("4", [ContentText(text="I think")])
    state = await run(react(model=ScriptedModel([turn])), "go")
    assert state.messages[-1].content == [ContentText(text="I think"), ContentText(text="4")]
    assert state.output.completion == "I think\n\n4"


async def test_submission_that_is_kept():
    """With keep_in_messages the submit call and its result stay in the conversation."""
    submit = AgentSubmit(keep_in_messages=True)
    state = await run(react(prompt=None, submit=submit, model=ScriptedModel([submits("4")])), "go")
    assert spoken(state) == [("user", "go"), ("assistant", "4"), ("tool", "4")]


# -- continue ---------------------------------------------------------------------------------------


async def test_default_nudge():
    """CO01: a turn without a call is answered with a nudge that names the submit tool."""
    model = ScriptedModel(["hm", submits("4")])
    await run(react(model=model), "go")
    nudge = model.seen[1][-1]
    assert (nudge.role, nudge.source) == ("user", "wieldy")
    assert "call the submit tool" in nudge.text


async def test_own_text():
    """CO02: an own text is said only where no tool was called."""
    model = ScriptedModel([calls(("noting", {})), "hm", submits("4")])
    await run(react(tools=[noting], model=model, on_continue="Use {submit}!"), "go")
    assert [seen[-1].text for seen in model.seen] == ["go", "noted", "Use submit!"]


def test_text_without_submit_tool_to_name():
    """CO06: an own text without a submit tool is refused when the agent is made."""
    with pytest.raises(ConfigError, match="needs a submit tool"):
        react(submit=False, on_continue="go on")


async def test_function_that_continues_after_calls():
    """CO07: where tools were called and the function says to go on, nothing is added."""
    model = ScriptedModel([calls(("noting", {})), submits("4")])

    async def on(state):
        return True

    await run(react(tools=[noting], model=model, on_continue=on), "go")
    assert model.seen[1][-1].text == "noted"


async def test_function_that_stops():
    """A function that returns False ends the agent, tools called or not."""

    async def stop(state):
        return False

    state = await run(
        react(tools=[noting], model=ScriptedModel([calls(("noting", {}))]), on_continue=stop), "go"
    )
    assert state.ended.reason == "stopped"


async def test_function_that_speaks():
    """A text that the function returns is always said, after calls too."""
    model = ScriptedModel([calls(("noting", {})), submits("4")])

    async def speak(state):
        return "Now {submit}."

    await run(react(tools=[noting], model=model, on_continue=speak), "go")
    assert model.seen[1][-1] == ChatMessageUser(content="Now submit.", source="wieldy")


async def test_function_that_gives_another_state():
    """A state that the function returns is used from then on."""
    model = ScriptedModel(["hm", submits("4")])

    async def forget(state):
        return AgentState(messages=[ChatMessageUser(content="anew")])

    await run(react(model=model, on_continue=forget), "go")
    assert model.seen[1] == [ChatMessageUser(content="anew")]


async def test_function_without_submit_tool():
    """Without a submit tool a function may keep an agent going that called no tool."""
    model = ScriptedModel(["hm", "done"])

    async def once(state):
        return len(model.seen) < 2

    state = await run(react(submit=False, model=model, on_continue=once), "go")
    assert (state.output.completion, state.ended.reason) == ("done", "stopped")


# -- overflow and refusal ---------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["model_length", "content_filter"])
async def test_model_that_cannot_go_on(reason):
    """OV01: where the window is exceeded, or the model refuses, the run ends with the reason, the turn not kept."""
    model = ScriptedModel([ScriptedTurn(content="half a", stop_reason=reason)])
    state = await run(react(prompt=None, model=model), "go")
    assert state.ended.reason == reason
    assert spoken(state) == [("user", "go")]


async def test_system_message_is_not_said_twice():
    """A state that an agent worked on already has its system message."""
    agent = react(model=ScriptedModel([submits("1"), submits("2")]))
    first = await run(agent, "go")
    second = await run(agent, [*first.messages, ChatMessageUser(content="more")])
    assert [message.role for message in second.messages].count("system") == 1


async def test_crash_keeps_the_record():
    """Where a tool crashes, the record still answers every call that the model made."""
    state = AgentState(messages=[ChatMessageUser(content="go")])

    async def crashing():
        """Crashes."""
        msg = "0"
        raise ZeroDivisionError(msg)

    agent = react(prompt=None, tools=[crashing], model=ScriptedModel([calls(("crashing", {}))]))
    with pytest.raises(ZeroDivisionError):
        await agent(state)
    assert isinstance(state.messages[1], ChatMessageAssistant)
    assert state.messages[2].tool_call_id == state.messages[1].tool_calls[0].id


async def test_model_input():
    """A tool decides how its earlier results are shown to the model again; the record keeps them whole."""

    def only_the_last(message_index, message_total, content):
        return content if message_index == message_total - 1 else "(old)"

    looking = ToolDef(noting, name="looking", model_input=only_the_last)
    model = ScriptedModel([calls(("looking", {})), calls(("looking", {})), submits("4")])
    state = await run(react(prompt=None, tools=[looking], model=model), "go")
    assert [m.text for m in model.seen[2] if m.role == "tool"] == ["(old)", "noted"]
    assert [m.text for m in state.messages if m.role == "tool"] == ["noted", "noted"]
