"""How the behaviour hooks are asked: who decides, in which order, and what an exception does."""

from itertools import permutations
from types import SimpleNamespace

import pytest

from wieldy import (
    Approval,
    ApprovalRequest,
    ChatMessageAssistant,
    ChatMessageUser,
    PluginManager,
    RunTerminatedError,
    ToolCall,
    execute_tools,
    hookimpl,
    tool,
    use_plugins,
)
from wieldy.events import ApprovalDecided, RunEnded

CALL = ToolCall(id="call", function="write", arguments={"text": "hello", "times": 2})
OTHER = CALL.model_copy(update={"arguments": {"text": "goodbye", "times": 1}})
REQUEST = ApprovalRequest(CALL, None, "", ())

APPROVALS = {
    "none": None,
    "escalate": Approval(decision="escalate"),
    "approve": Approval(decision="approve"),
    "modify": Approval(decision="modify", modified=OTHER),
    "reject": Approval(decision="reject", explanation="no"),
    "terminate": Approval(decision="terminate", explanation="enough"),
}
"""All that a plugin can answer, the least strict first."""


@pytest.fixture
def written():
    """What the tool wrote."""
    return []


@pytest.fixture
def write(written):
    """A tool that writes down its arguments."""

    @tool
    async def write(text: str, times: int) -> str:
        """Writes a text down.

        Args:
            text: The text.
            times: How often.
        """
        written.append((text, times))
        return text * times

    return write


def plugin(**functions):
    """Makes a plugin of functions by hook."""
    return SimpleNamespace(**{name: hookimpl(each) for name, each in functions.items()})


def sink(told):
    """Makes a plugin that writes down each event."""

    def record(event):
        told.append(event)

    return plugin(wieldy_event=record)


def managed(*plugins):
    """Makes a manager with plugins, which are called first, second, ..."""
    manager = PluginManager()
    for name, each in zip(("first", "second", "third"), plugins, strict=False):
        manager.register(each, name)
    return manager


def approving(*answers):
    """Makes a manager with a plugin for each answer."""
    return managed(*(plugin(wieldy_approve=lambda answer=answer: answer) for answer in answers))


async def answered(manager, *tools):
    """Returns the answer to the call, with the plugins of a manager."""
    message = ChatMessageAssistant(content="I write.", tool_calls=[CALL])
    conversation = [ChatMessageUser(content="Write!"), message]
    with use_plugins(manager):
        return (await execute_tools(conversation, list(tools))).messages[0]


# -- wieldy_approve -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names", list(permutations(APPROVALS, 2)), ids=lambda names: f"{names[0]}-{names[1]}"
)
async def test_the_strictest_answer_wins(names) -> None:
    """Terminate beats reject beats modify beats approve, whichever plugin is asked first."""
    decided = await approving(*(APPROVALS[name] for name in names)).approve(REQUEST)
    strictest = max(names, key=list(APPROVALS).index)
    if strictest in {"none", "escalate"}:
        assert decided is None
    else:
        assert decided == (APPROVALS[strictest], ("first", "second")[names.index(strictest)])


async def test_of_equal_answers_the_first_wins() -> None:
    """Where two plugins are equally strict, the explanation is that of the one asked first."""
    second = Approval(decision="reject", explanation="also no")
    assert await approving(APPROVALS["reject"], second).approve(REQUEST) == (
        APPROVALS["reject"],
        "first",
    )


async def test_a_plugin_that_asks_to_be_first_is_asked_first() -> None:
    """`tryfirst` and `trylast` decide on the order; else it is that of registration."""
    asked = []
    manager = managed(
        SimpleNamespace(
            wieldy_approve=hookimpl(trylast=True)(lambda request: asked.append("last"))
        ),
        plugin(wieldy_approve=lambda request: asked.append("plain")),
        SimpleNamespace(
            wieldy_approve=hookimpl(tryfirst=True)(lambda request: asked.append("first"))
        ),
    )
    await manager.approve(REQUEST)
    assert asked == ["first", "plain", "last"]


async def test_an_approver_may_be_async() -> None:
    """An async implementation is awaited before the next plugin is asked."""
    asked = []

    async def slow(request):
        asked.append("slow")
        return APPROVALS["reject"]

    def quick(request):
        asked.append("quick")
        return APPROVALS["approve"]

    manager = managed(plugin(wieldy_approve=slow), plugin(wieldy_approve=quick))
    assert await manager.approve(REQUEST) == (APPROVALS["reject"], "first")
    assert asked == ["slow", "quick"]


async def test_an_approver_sees_the_arguments_that_will_run(write, written) -> None:
    """The request has the checked call, what was said with it, and the conversation before."""
    requests = []

    def ask(request):
        requests.append(request)

    manager = managed(plugin(wieldy_approve=ask))
    await answered(manager, write)
    assert requests == [
        ApprovalRequest(CALL, None, "I write.", [ChatMessageUser(content="Write!")])
    ]
    assert written == [("hello", 2)]


@pytest.mark.parametrize("name", ["none", "escalate", "approve"])
async def test_without_an_objection_the_call_runs(write, written, name) -> None:
    """No opinion, a pass and an approval let the call run."""
    answer = await answered(approving(APPROVALS[name]), write)
    assert (answer.text, answer.error, written) == ("hellohello", None, [("hello", 2)])


async def test_a_rejected_call_is_answered_with_the_explanation(write, written) -> None:
    """The model reads why its call was rejected, and the tool does not run."""
    answer = await answered(approving(APPROVALS["reject"]), write)
    assert (answer.error.type, answer.error.message, written) == ("approval", "no", [])


async def test_a_rejection_without_explanation_names_the_plugin(write) -> None:
    """Where the plugin does not say why, the model reads who rejected."""
    answer = await answered(approving(Approval(decision="reject")), write)
    assert answer.error.message == "first rejected the call"


async def test_a_terminated_call_ends_the_run(write, written) -> None:
    """The explanation is that of the error which ends the run, and the tool does not run."""
    with pytest.raises(RunTerminatedError) as caught:
        await answered(approving(APPROVALS["terminate"]), write)
    assert (str(caught.value), written) == ("enough", [])


async def test_a_modified_call_runs_with_the_other_arguments(write, written) -> None:
    """A plugin may change the arguments; the answer is that of what ran."""
    answer = await answered(approving(APPROVALS["modify"]), write)
    assert (answer.text, answer.tool_call_id, written) == ("goodbye", "call", [("goodbye", 1)])


async def test_a_modification_is_checked_like_a_call(write, written) -> None:
    """Arguments that do not fit are refused wherever they come from, and the tool does not run."""
    wrong = CALL.model_copy(update={"arguments": {"text": "goodbye", "times": "many"}})
    answer = await answered(approving(Approval(decision="modify", modified=wrong)), write)
    assert answer.error.type == "approval"
    assert answer.error.message.startswith(
        "first modified the call to one that does not fit, so it was not run: "
    )
    assert "times" in answer.error.message
    assert written == []


@pytest.mark.parametrize(
    ("modified", "what"),
    [(None, "nothing"), (ToolCall(id="call", function="delete"), "a call of 'delete'")],
)
async def test_a_call_cannot_become_one_of_another_tool(write, written, modified, what) -> None:
    """A modification must name the same tool; any other is refused with an explanation."""
    answer = await answered(approving(Approval(decision="modify", modified=modified)), write)
    assert (answer.error.type, answer.error.message, written) == (
        "approval",
        f"first would modify the call of 'write' to {what}, so it was not run",
        [],
    )


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_an_approver_that_fails_rejects(write, written, caplog, kind) -> None:
    """An exception lets nothing through, whatever other plugins say; it is answered and logged."""

    def plain(request):
        msg = "the list is unreadable"
        raise OSError(msg)

    async def asynchronous(request):
        plain(request)

    failing = plain if kind == "plain" else asynchronous
    approving = plugin(wieldy_approve=lambda: APPROVALS["approve"])
    answer = await answered(managed(plugin(wieldy_approve=failing), approving), write)
    assert (answer.error.type, answer.error.message, written) == (
        "approval",
        "the approver of first failed: OSError: the list is unreadable",
        [],
    )
    assert caplog.messages == ["wieldy_approve of first failed"]


@pytest.mark.parametrize("given", [True, False, "approve", 1], ids=repr)
async def test_an_answer_that_is_no_approval_rejects(write, written, given) -> None:
    """True is no approval: what is not an `Approval` lets nothing through."""
    answer = await answered(approving(given), write)
    assert (answer.error.message, written) == (
        f"the approver of first did not return an Approval, but {given!r}",
        [],
    )


async def test_a_decision_is_reported(write) -> None:
    """Every decision is an event, with the plugin that made it."""
    events = []
    manager = approving(APPROVALS["reject"])
    manager.register(sink(events), "log")
    await answered(manager, write)
    decided = [each for each in events if isinstance(each, ApprovalDecided)]
    assert [(each.call, each.decision, each.approver, each.explanation) for each in decided] == [
        (CALL, "reject", "first", "no")
    ]


# -- wieldy_truncate_output ---------------------------------------------------------------------------


def shortening(*answers):
    """Makes a manager with a plugin for each answer."""
    return managed(*(plugin(wieldy_truncate_output=lambda each=each: each) for each in answers))


async def test_the_first_shortened_text_wins() -> None:
    """A plugin without an opinion passes; of those with one the first is taken."""
    assert await shortening(None, "short", "other").truncate_output(CALL, "long", 3) == "short"


async def test_without_plugins_nothing_is_shortened() -> None:
    """Where no plugin has an opinion, the built-in is left to decide."""
    assert await shortening(None).truncate_output(CALL, "long", 3) is None


async def test_a_truncation_is_told_of_call_text_and_limit() -> None:
    """The hook gets the call, the whole text and the bytes that the model may see; it may be async."""
    seen = []

    async def shorten(call, output, limit):
        seen.append((call, output, limit))
        return output[:limit]

    manager = managed(plugin(wieldy_truncate_output=shorten))
    assert await manager.truncate_output(CALL, "long", 3) == "lon"
    assert seen == [(CALL, "long", 3)]


async def test_a_truncation_that_fails_passes(caplog) -> None:
    """An exception is logged and the next plugin is asked."""

    def failing():
        msg = "no"
        raise ValueError(msg)

    shorten = plugin(wieldy_truncate_output=lambda output, limit: output[:limit])
    manager = managed(plugin(wieldy_truncate_output=failing), shorten)
    assert await manager.truncate_output(CALL, "long", 3) == "lon"
    assert caplog.messages == ["wieldy_truncate_output of first failed"]


@pytest.fixture
def long():
    """A tool whose result is longer than a model may see."""

    @tool(name="write", max_output=100)
    async def long(text: str, times: int) -> str:
        """Returns a long text.

        Args:
            text: Unused.
            times: Unused.
        """
        return "a" * 1000

    return long


async def test_a_shortened_text_is_what_the_model_reads(long) -> None:
    """What a plugin made of a long output is the answer."""
    assert (await answered(shortening("only a"), long)).text == "only a"


async def test_a_text_that_is_still_too_long_is_cut(long) -> None:
    """A plugin cannot show the model more than the limit: the built-in cuts what it made."""
    answer = await answered(shortening("b" * 500), long)
    assert answer.text == "b" * 35 + "\n[... 430 bytes left out ...]\n" + "b" * 35


async def test_a_short_text_is_not_shortened(write) -> None:
    """Plugins are asked only where a text is over the limit."""
    assert (await answered(shortening("no"), write)).text == "hellohello"


# -- wieldy_event -------------------------------------------------------------------------------------


async def test_every_sink_is_told_of_every_event(write) -> None:
    """All plugins that listen are told, in the order of the events."""
    first, second = [], []
    manager = managed(sink(first), sink(second))
    await answered(manager, write)
    assert [each.type for each in first] == ["tool_called", "tool_answered"]
    assert second == first


async def test_a_sink_that_fails_breaks_nothing(write, caplog) -> None:
    """An exception in a sink is logged; the call is answered and the other sinks are told."""

    def failing(event):
        msg = "the disk is full"
        raise OSError(msg)

    told = []
    manager = managed(plugin(wieldy_event=failing), sink(told))
    answer = await answered(manager, write)
    assert (answer.text, [each.type for each in told]) == (
        "hellohello",
        ["tool_called", "tool_answered"],
    )
    assert caplog.messages == ["wieldy_event of first failed"] * 2


def test_nobody_listens_without_a_sink() -> None:
    """Where no plugin has the hook, no event needs to be made."""
    assert (managed().listens, managed(sink([])).listens) == (False, True)


def test_an_event_is_handed_on_as_it_is() -> None:
    """A sink gets the very value that was emitted."""
    told = []
    event = RunEnded(agent="react", reason="submitted", seconds=1.5)
    managed(sink(told)).emit(event)
    assert told == [event]


# -- what approvers do to each other ------------------------------------------------------------------


async def test_an_approver_cannot_change_what_another_sees(write, written) -> None:
    """What one approver does to the call that it is given, no other sees, and the tool does not run with it."""
    seen, told = [], []

    def spoil(request):
        request.call.arguments["text"] = "harmless"

    def look(request):
        seen.append(request.call.arguments["text"])

    manager = managed(plugin(wieldy_approve=spoil), plugin(wieldy_approve=look), sink(told))
    await answered(manager, write)
    assert seen == ["hello"]
    assert written == [("hello", 2)]
    assert {event.call.arguments["text"] for event in told if event.type == "tool_called"} == {
        "hello"
    }


@pytest.mark.parametrize("order", [1, -1])
async def test_a_modified_call_is_put_to_every_approver(write, written, order) -> None:
    """A call that one plugin modified is put to all of them again, whichever is asked first."""

    def guard(request):
        if request.call.arguments["text"] == "goodbye":
            return Approval(decision="reject", explanation="no goodbyes")
        return Approval(decision="approve")

    plugins = [plugin(wieldy_approve=lambda: APPROVALS["modify"]), plugin(wieldy_approve=guard)][
        ::order
    ]
    answer = await answered(managed(*plugins), write)
    assert (answer.error.type, answer.error.message, written) == ("approval", "no goodbyes", [])


async def test_two_modifiers_that_agree(write, written) -> None:
    """Two plugins that each modify another argument come to a call with both changes."""

    def once(request):
        call = request.call
        changed = call.model_copy(update={"arguments": {**call.arguments, "times": 1}})
        return (
            Approval(decision="modify", modified=changed) if call.arguments["times"] != 1 else None
        )

    def politely(request):
        call = request.call
        changed = call.model_copy(update={"arguments": {**call.arguments, "text": "please"}})
        return (
            Approval(decision="modify", modified=changed)
            if call.arguments["text"] != "please"
            else None
        )

    await answered(managed(plugin(wieldy_approve=once), plugin(wieldy_approve=politely)), write)
    assert written == [("please", 1)]


async def test_two_modifiers_that_never_agree(write, written) -> None:
    """Plugins that modify each other's modifications for ever let nothing through."""
    count = iter(range(1000))

    def other(request):
        changed = {**request.call.arguments, "times": next(count)}
        call = request.call.model_copy(update={"arguments": changed})
        return Approval(decision="modify", modified=call)

    answer = await answered(managed(plugin(wieldy_approve=other)), write)
    assert "the approvers do not agree" in answer.error.message
    assert written == []


@pytest.mark.parametrize("hook", ["wieldy_approve", "wieldy_truncate_output", "wieldy_event"])
async def test_a_hook_that_exits(write, written, hook) -> None:
    """A plugin that calls sys.exit in a behaviour hook ends no run; an approver that does so rejects."""

    def leave():
        raise SystemExit(9)

    answer = await answered(managed(plugin(**{hook: leave})), write)
    assert (answer.error is not None) == (hook == "wieldy_approve")
