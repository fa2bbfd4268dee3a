"""Cases of the groups errors, stages and truncation: from calls to answers."""

import os
import threading
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from wieldy import (
    ChatMessageAssistant,
    ContentImage,
    ContentText,
    PluginManager,
    ToolCall,
    ToolDef,
    ToolDefinitionError,
    ToolError,
    ToolParam,
    ToolParams,
    execute_tools,
    hookimpl,
    use_plugins,
)
from wieldy.events import use_events


def calls(*written):
    """An assistant message with calls, each a name and its arguments."""
    return [
        ChatMessageAssistant(
            tool_calls=[
                ToolCall(id=f"c{place}", function=name, arguments=arguments)
                for place, (name, arguments) in enumerate(written)
            ]
        )
    ]


async def answers(tools, *written, **options):
    return (await execute_tools(calls(*written), tools, **options)).messages


async def answer(function, **options):
    """The answer of a tool without parameters that is called once."""
    (message,) = await answers([function], (ToolDef(function).name, {}), **options)
    return message


def raises(error):
    async def failing():
        """Fails."""
        raise error

    return failing


def returns(value):
    async def giving():
        """Gives."""
        return value

    return giving


# -- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ToolError("no luck"), "unknown", "no luck"),
        (TimeoutError("too slow"), "timeout", "too slow"),
        (PermissionError(13, "Permission denied", "/x"), "permission", "Permission denied: /x"),
        (FileNotFoundError(2, "No such file", "/x"), "file_not_found", "No such file: /x"),
        (IsADirectoryError(21, "Is a directory", "/x"), "is_a_directory", "Is a directory: /x"),
        (NotADirectoryError(20, "Not a directory", "/x"), "unknown", "Not a directory: /x"),
        (ConnectionRefusedError(111, "Connection refused"), "unknown", "Connection refused"),
    ],
)
async def test_reported_errors(error, kind, message):
    """ER04: what a tool may run into is told to the model, with its kind."""
    told = (await answer(raises(error))).error
    assert (told.type, told.message) == (kind, message)


async def test_undecodable_bytes():
    """ER06: bytes that are not text are an error of their kind that names the encoding."""

    async def reading():
        """Reads."""
        return b"\xff".decode("utf-8")

    told = (await answer(reading)).error
    assert told.type == "unicode_decode"
    assert "utf-8" in told.message


async def test_zero_byte():
    """ER07: a zero byte in an argument that reaches the operating system is a parsing error."""

    def looking(path: str):
        """Looks.

        Args:
            path: Where.
        """
        return os.stat(path).st_size

    (message,) = await answers([looking], ("looking", {"path": "a\0b"}))
    assert message.error.type == "parsing"
    assert "zero byte" in message.error.message


async def test_unknown_tool():
    """ER09, PB17: a tool that does not exist is an error with near names, and the other calls run."""

    async def bash():
        """Runs."""
        return "ran"

    first, second = await answers([bash], ("bahs", {}), ("bash", {}))
    assert first.error.type == "parsing"
    assert first.error.message == "there is no tool 'bahs'; did you mean bash?; the tools are bash"
    assert second.text == "ran"


async def test_tool_that_cancels_itself(anyio_backend_name):
    """ER10: a cancellation that a tool raised itself is an error of that tool."""
    if anyio_backend_name == "trio":  # trio lets nobody make its exception
        return
    cancelled = anyio.get_cancelled_exc_class()
    first, second = await answers(
        [raises(cancelled()), returns("fine")], ("failing", {}), ("giving", {})
    )
    assert first.error.message == "failing cancelled itself"
    assert second.text == "fine"


async def test_sync_function():
    """ER11: a synchronous function is a tool that runs in a worker thread."""

    def where():
        """Tells."""
        return threading.current_thread() is threading.main_thread()

    assert (await answer(where)).text == "false"


@dataclass
class Point:
    x: int


class Model(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("text", "text"),
        (3, "3"),
        (2.5, "2.5"),
        (True, "true"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ([1, "a"], '[1, "a"]'),
        (Point(1), '{"x":1}'),
        (Model(x=1), '{"x":1}'),
        ([Point(1)], '[{"x":1}]'),
    ],
)
async def test_results(value, text):
    """ER12: None is empty, numbers and bools are JSON, and so are dicts, lists, dataclasses and models."""
    assert (await answer(returns(value))).text == text


async def test_mixed_content():
    """ER12: a list with content in it is content, texts among it too."""
    image = ContentImage(image="data:image/png;base64,AA==")
    assert (await answer(returns(["look", image, 3]))).content == [
        ContentText(text="look"),
        image,
        ContentText(text="3"),
    ]


async def test_result_that_json_cannot_carry():
    """A result that no model could be given is an error that names its type."""
    told = (await answer(returns(object()))).error
    assert told.message.startswith("the tool returned a object, which cannot be given to a model")


async def test_tool_that_ends_the_program():
    """A tool that calls sys.exit ends no program: it is an error of that tool, the others run."""
    tools = [ToolDef(raises(SystemExit(3)), parallel=True), ToolDef(returns("fine"), parallel=True)]
    first, second = await answers(tools, ("failing", {}), ("giving", {}))
    assert first.error.message == "failing tried to end the program: sys.exit(3)"
    assert second.text == "fine"


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [10**5000, nested(100_000), float("nan"), b"\xff"],
    ids=["huge", "deep", "not-a-number", "bytes"],
)
async def test_results_that_are_hard_to_write(value):
    """Whatever a tool returns is an answer or an error that the model reads, and never ends the run."""
    message = await answer(returns(value), max_output=1000)
    assert message.error is None or message.error.message.startswith("the tool returned a ")


async def test_result_with_half_a_surrogate_pair():
    """A text that UTF-8 cannot carry, such as an undecodable file name, is spelled out."""
    for value in ("bad\udcffname", [ContentText(text="bad\udcffname")], {"name": "bad\udcffname"}):
        message = await answer(returns(value))
        assert "bad\\udcffname" in message.text
        message.model_dump_json()


async def test_error_with_half_a_surrogate_pair():
    """The same in an error."""
    message = await answer(raises(FileNotFoundError(2, "No such file", "bad\udcffname")))
    assert message.error.message == "No such file: bad\\udcffname"


async def test_errors_of_a_tools_own_tasks():
    """ER04: errors from a task group of the tool are told as those that they are."""
    group = ExceptionGroup("tasks", [ToolError("one"), PermissionError(13, "Denied", "/x")])
    told = (await answer(raises(group))).error
    assert told.message == "one\nDenied: /x"


async def test_crash_in_a_tools_own_tasks():
    """An exception group with anything else in it fails the run."""
    with pytest.raises(ExceptionGroup):
        await answer(raises(ExceptionGroup("tasks", [ToolError("one"), ZeroDivisionError("0")])))


async def test_crash():
    """Any other exception fails the run as it is, with a note that names tool and call."""
    with pytest.raises(ZeroDivisionError) as error:
        await answer(raises(ZeroDivisionError("0")))
    assert error.value.__notes__ == ["in tool 'failing', call 'c0'"]


async def test_timeout_of_a_tool():
    """A tool that takes longer than its time is given up and answered."""

    async def sleeping():
        """Sleeps."""
        await anyio.sleep(60)

    told = (await answer(ToolDef(sleeping, timeout=0.05))).error
    assert (told.type, told.message) == ("timeout", "sleeping was given up after 0.05 s")


async def test_timeout_of_a_sync_tool(caplog):
    """ER11: a synchronous tool is answered in time, and that its thread goes on is reported."""
    stop = threading.Event()

    def sleeping():
        """Sleeps."""
        stop.wait(30)

    told = (await answer(ToolDef(sleeping, timeout=0.05))).error
    stop.set()
    assert told.type == "timeout"
    assert "its thread is still running" in caplog.text


# -- stages -----------------------------------------------------------------------------------------


class Journal:
    """Tools that note when they begin and end."""

    def __init__(self):
        self.lines = []
        self.running = 0
        self.most = 0

    def tool(self, name, *, parallel, seconds=0.02, error=None):
        async def noting():
            """Notes."""
            self.lines.append(f"{name}+")
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                await anyio.sleep(seconds)
                if error:
                    raise error
            finally:
                self.running -= 1
                self.lines.append(f"{name}-")
            return name

        return ToolDef(noting, name=name, parallel=parallel)


async def test_order_of_stages():
    """ST03: neighbours that are parallel run together, any other call alone."""
    journal = Journal()
    tools = [journal.tool("p", parallel=True), journal.tool("s", parallel=False)]
    messages = await answers(tools, ("p", {}), ("p", {}), ("s", {}), ("p", {}))
    assert journal.lines == ["p+", "p+", "p-", "p-", "s+", "s-", "p+", "p-"]
    assert [message.text for message in messages] == ["p", "p", "s", "p"]


async def test_model_order_of_answers():
    """Answers stand in the model's order, whichever call ends first."""
    journal = Journal()
    tools = [
        journal.tool("slow", parallel=True, seconds=0.1),
        journal.tool("fast", parallel=True, seconds=0),
    ]
    messages = await answers(tools, ("slow", {}), ("fast", {}))
    assert [message.text for message in messages] == ["slow", "fast"]
    assert journal.lines[-1] == "slow-"


async def test_failing_sibling():
    """ST05, PB21: an error of one parallel call leaves the others as they are."""
    journal = Journal()
    tools = [
        journal.tool("good", parallel=True),
        journal.tool("bad", parallel=True, error=ToolError("no")),
    ]
    first, second, third = await answers(tools, ("good", {}), ("bad", {}), ("good", {}))
    assert (first.text, second.error.message, third.text) == ("good", "no", "good")


async def test_crashing_sibling():
    """ST06, PB22: a crash cancels and awaits the siblings, starts nothing more, and surfaces as it is."""
    journal = Journal()
    tools = [
        journal.tool("slow", parallel=True, seconds=60),
        journal.tool("bad", parallel=True, error=ZeroDivisionError("0")),
        journal.tool("last", parallel=False),
    ]
    record = []
    with pytest.raises(ZeroDivisionError):
        await answers(tools, ("slow", {}), ("bad", {}), ("last", {}), record=record)
    assert sorted(journal.lines[:2]) == ["bad+", "slow+"]
    assert journal.lines[2:] == ["bad-", "slow-"]
    assert [message.error.message.partition(":")[0] for message in record] == [
        "interrupted",
        "interrupted",
        "not run",
    ]


async def test_cap_of_parallel_calls():
    """ST08: no more calls than the cap run at the same time."""
    journal = Journal()
    tools = [journal.tool("p", parallel=True)]
    await answers(tools, *[("p", {})] * 50, max_parallel=8)
    assert journal.most == 8


async def test_cancelled_turn():
    """ST09, PB31: after a cancellation every call has exactly one answer in the record."""
    journal = Journal()
    tools = [
        journal.tool("fast", parallel=True, seconds=0),
        journal.tool("slow", parallel=True, seconds=60),
        journal.tool("last", parallel=False),
    ]
    record = []
    with anyio.move_on_after(0.2):
        await answers(tools, ("fast", {}), ("slow", {}), ("last", {}), record=record)
    assert [message.tool_call_id for message in record] == ["c0", "c1", "c2"]
    assert [message.seen.partition(":")[0] for message in record] == [
        "fast",
        "interrupted",
        "not run",
    ]


async def test_two_calls_with_one_id():
    """ST10: two calls with the same identifier are both run and both answered."""
    message = ChatMessageAssistant(
        tool_calls=[
            ToolCall(id="same", function="echo", arguments={"text": text}) for text in ("a", "b")
        ]
    )

    async def echo(text: str):
        """Echoes.

        Args:
            text: The text.
        """
        return text

    result = await execute_tools([message], [echo])
    assert [(each.tool_call_id, each.text) for each in result.messages] == [
        ("same", "a"),
        ("same", "b"),
    ]


async def test_no_calls():
    """A conversation that does not end with calls needs no answers."""
    assert (await execute_tools([ChatMessageAssistant(content="hi")], [])).messages == []


async def test_two_tools_of_one_name():
    """Two tools of the same name are refused, with what to do."""
    with pytest.raises(ToolDefinitionError, match="two tools are named 'giving'"):
        await answers([returns(1), returns(2)], ("giving", {}))


# -- truncation -------------------------------------------------------------------------------------


def size(text):
    return len(text.encode())


async def test_cut_keeps_head_and_tail():
    """TR01, TR02: a cut text has at most the limit, notice included, and says what was left out."""
    cut = (await answer(returns("a" * 500 + "z" * 500), max_output=100)).text
    assert size(cut) <= 100
    assert cut.startswith("aaa")
    assert cut.endswith("zzz")
    kept = cut.partition("\n")[0] + cut.rpartition("\n")[2]
    assert f"[... {1000 - len(kept)} bytes left out ...]" in cut


@pytest.mark.parametrize("limit", range(1, 120, 7))
async def test_cut_between_characters(limit):
    """TR03: a cut never halves a character."""
    text = (
        "a\N{LATIN SMALL LETTER E WITH ACUTE}\N{CJK UNIFIED IDEOGRAPH-6F22}\N{GRINNING FACE}" * 200
    )
    cut = (await answer(returns(text), max_output=limit)).text
    assert size(cut) <= limit
    assert "\N{REPLACEMENT CHARACTER}" not in cut


async def test_smaller_limit_counts():
    """TR04: of the tool's and the caller's limits the smaller one counts."""
    small = ToolDef(returns("x" * 1000), max_output=50)
    (message,) = await answers([small], ("giving", {}), max_output=500)
    assert size(message.text) <= 50


async def test_no_limit():
    """TR05: a limit of 0 on the tool means never cut."""
    whole = ToolDef(returns("x" * 100_000), max_output=0)
    (message,) = await answers([whole], ("giving", {}), max_output=500)
    assert message.text == "x" * 100_000


async def test_default_limit():
    """TR06: 20 KiB are cut to 16 KiB."""
    cut = (await answer(returns("x" * 20 * 1024))).text
    assert 16 * 1024 - 40 < size(cut) <= 16 * 1024


async def test_content_is_cut_too():
    """TR07: text in content objects is cut like any other."""
    image = ContentImage(image="data:image/png;base64,AA==")
    message = await answer(returns([ContentText(text="x" * 1000), image]), max_output=100)
    assert size(message.content[0].text) <= 100
    assert message.content[1] == image


async def test_errors_are_cut_too():
    """The text of an error is cut like a result."""
    told = (await answer(raises(ToolError("x" * 1000)), max_output=100)).error
    assert size(told.message) <= 100


def test_negative_limit():
    """TR08: a negative limit is an error when the tool is defined."""
    with pytest.raises(ToolDefinitionError, match="must be 0 bytes or more"):
        ToolDef(returns(1), max_output=-1)


async def test_negative_limit_of_the_caller():
    """TR08: a negative limit of the caller is an error too."""
    with pytest.raises(ValueError, match="0 bytes or more"):
        await answer(returns(1), max_output=-1)


async def test_true_size_in_the_event():
    """The event of a cut result has the size of the whole."""
    heard = []
    with use_events(heard.append):
        await answer(returns("x" * 1000), max_output=100)
    assert heard[-1].bytes == 1000


@pytest.mark.parametrize("limit", [1000, 2049, 3000])
async def test_head_and_tail_are_balanced(limit):
    """TR01: head and tail have the same share, whatever number of bytes a character takes."""
    cut = (await answer(returns("\N{GRINNING FACE}" * 2000), max_output=limit)).text
    head, _, tail = cut.partition("\n[... ")
    tail = tail.partition(" ...]\n")[2]
    assert abs(len(head) - len(tail)) <= 1
    assert size(cut) > limit - 12


async def test_every_part_that_is_cut_says_so():
    """TR02, TR07: of several texts the short ones stay whole, and each that is cut has a notice of its own."""
    texts = ["a" * 100, "b" * 5000, "c" * 5000]
    message = await answer(returns([ContentText(text=text) for text in texts]), max_output=1000)
    parts = [part.text for part in message.content]
    assert parts[0] == texts[0]
    assert all("bytes left out" in part for part in parts[1:])
    assert sum(map(size, parts)) <= 1000


async def test_errors_have_the_tools_own_cap():
    """TR04: the tool's own limit counts for its errors too."""
    failing = ToolDef(raises(ToolError("x" * 1000)), max_output=50)
    (message,) = await answers([failing], ("failing", {}))
    assert size(message.error.message) <= 50


async def test_parse_error_is_answered():
    """A call whose text could not be read is answered with the reason, whatever else it holds."""
    call = ToolCall(id="1", function="giving", raw="{}", parse_error="cut off")
    result = await execute_tools([ChatMessageAssistant(tool_calls=[call])], [returns("ran")])
    assert (result.messages[0].error.type, result.messages[0].seen) == ("parsing", "cut off")


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), "\ud800", 10**5000, {1, 2}],
    ids=["nan", "inf", "surrogate", "huge", "set"],
)
async def test_arguments_that_are_no_json(value):
    """Arguments without a text are held to JSON as well."""

    async def keep(a: Any):
        """Keeps.

        Args:
            a: The value.
        """

    (message,) = await answers([keep], ("keep", {"a": value}))
    assert message.error.type == "parsing"


async def test_base_exception_of_a_parallel_call():
    """ST06: what surfaces is the original exception, also one that is no Exception, and no group."""

    class Stop(BaseException):
        pass

    tools = [ToolDef(raises(Stop("now")), parallel=True), ToolDef(returns("fine"), parallel=True)]
    with pytest.raises(Stop):
        await answers(tools, ("failing", {}), ("giving", {}))


async def test_source_that_fails():
    """Where the tools cannot even be listed, every call is answered in the record all the same."""

    class Broken:
        async def tools(self):
            msg = "gone"
            raise OSError(msg)

    record = []
    with pytest.raises(OSError, match="gone"):
        await answers([Broken()], ("giving", {}), record=record)
    assert [message.error.type for message in record] == ["cancelled"]


async def test_sink_that_fails(caplog):
    """A function that is told of events and fails breaks nothing."""

    def fail(event):
        msg = "full"
        raise OSError(msg)

    with use_events(fail):
        assert (await answer(returns("fine"))).text == "fine"
    assert "full" in caplog.text


@pytest.mark.parametrize("view", [ToolError("no"), ZeroDivisionError("0"), "text"])
async def test_viewer_that_fails(view):
    """A viewer that fails, or returns something else, decides nothing."""

    def viewer(call):
        call.arguments.clear()
        if isinstance(view, Exception):
            raise view
        return view

    async def echo(text: str):
        """Echoes.

        Args:
            text: The text.
        """
        return text

    with use_events(lambda event: None):
        (message,) = await answers([ToolDef(echo, viewer=viewer)], ("echo", {"text": "hi"}))
    assert message.text == "hi"


async def test_zero_byte_in_any_spelling():
    """ER07: a zero byte is found however the model wrote it."""

    def looking(path: str):
        """Looks.

        Args:
            path: Where.
        """
        return os.stat(path).st_size

    for raw in ('{"path": "a\\u0000b"}', '{"path": "a\0b"}', "a\0b"):
        message = ChatMessageAssistant(tool_calls=[ToolCall(id="1", function="looking", raw=raw)])
        (message,) = (await execute_tools([message], [looking])).messages
        assert message.error.type == "parsing"


async def test_foreign_arguments_are_the_tools_own():
    """What a tool does to arguments that came as JSON changes no conversation."""

    async def spoil(**arguments):
        arguments["items"].append("evil")
        return "done"

    parameters = ToolParams(properties={"items": ToolParam(type="array")})
    conversation = calls(("spoil", {"items": [1]}))
    await execute_tools(conversation, [ToolDef(spoil, "spoil", "Spoils.", parameters)])
    assert conversation[0].tool_calls[0].arguments == {"items": [1]}


async def test_malformed_arguments_in_the_record():
    """PB16: after malformed arguments the record holds valid ones for the provider, and the exact text besides."""
    written = '{"a":'
    call = ToolCall(id="1", function="giving", raw=written)
    message = ChatMessageAssistant(tool_calls=[call])
    result = await execute_tools([message], [returns("ran")])
    assert result.messages[0].error.type == "parsing"
    assert (message.tool_calls[0].arguments, message.tool_calls[0].raw) == ({}, written)


async def test_approver_sees_what_runs():
    """PB19: an approver sees the arguments as they will run: read, mended, canonical."""
    seen = []

    class Look:
        @hookimpl
        def wieldy_approve(self, request):
            seen.append(request.call.arguments)

    async def total(numbers: list[int]):
        """Adds up.

        Args:
            numbers: The numbers.
        """
        return sum(numbers)

    plugins = PluginManager()
    plugins.register(Look())
    call = ToolCall(id="1", function="total", raw='{"numbers": "[1, 2.0]"}')
    with use_plugins(plugins):
        result = await execute_tools([ChatMessageAssistant(tool_calls=[call])], [total])
    assert (seen, result.messages[0].text) == ([{"numbers": [1, 2]}], "3")
