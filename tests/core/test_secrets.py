"""Secrets are shown to nobody: not to the model, in no event, in no file."""

import pytest

from wieldy import (
    ChatMessageAssistant,
    ConfigError,
    ContentImage,
    ContentReasoning,
    ContentText,
    PluginManager,
    ToolCall,
    ToolError,
    execute_tools,
    hookimpl,
    react,
    run,
    sandbox,
    use_plugins,
    use_sandbox,
)
from wieldy.events import use_events
from wieldy.models import ScriptedCall, ScriptedModel, ScriptedTurn
from wieldy.secrets import masked, masked_parts, secrets_from_environment, use_secrets
from wieldy_sandbox_local import LocalSandbox

TOKEN = 'tok"en/4711'


@pytest.fixture
def _secret():
    with use_secrets([TOKEN]):
        yield


async def answer(function, **options):
    call = ToolCall(id="1", function=function.__name__)
    result = await execute_tools([ChatMessageAssistant(tool_calls=[call])], [function], **options)
    return result.messages[0]


@pytest.mark.usefixtures("_secret")
@pytest.mark.parametrize("form", [TOKEN, 'tok\\"en/4711', "tok%22en%2F4711"])
def test_forms(form):
    """A secret is masked as it is, as it stands in JSON, and percent-encoded."""
    assert masked(f"<{form}>") == "<[secret]>"


@pytest.mark.usefixtures("_secret")
@pytest.mark.parametrize("cut", range(len(TOKEN) + 1))
def test_split_secret(cut):
    """A secret that begins in one part and ends in another is masked in both."""
    parts = masked_parts([f"a{TOKEN[:cut]}", f"{TOKEN[cut:]}b"])
    assert "".join(parts) == "a[secret]b"


@pytest.mark.parametrize("order", [("abcd", "abcdefgh"), ("abcdefgh", "abcd")])
def test_one_secret_within_another(order):
    """Where one secret begins like another, nothing of the longer one is left, whichever came first."""
    with use_secrets(order[:1]), use_secrets(order[1:]):
        assert masked("abcdefgh abcd") == "[secret] [secret]"


def test_only_inside_the_block():
    """What is registered for a block of code is masked in it alone."""
    with use_secrets(["abcd"]):
        pass
    assert masked("abcd") == "abcd"


def test_short_secret():
    """A value too short to be masked is refused, and not shown."""
    with pytest.raises(ConfigError, match="at least 4 characters") as error, use_secrets(["xyz"]):
        pass
    assert "xyz" not in str(error.value)


def test_environment(monkeypatch):
    """Secrets may be taken from environment variables; one that is not set is none."""
    monkeypatch.setenv("A_TOKEN", "abcd")
    monkeypatch.delenv("B_TOKEN", raising=False)
    assert secrets_from_environment(["A_TOKEN", "B_TOKEN"]) == ["abcd"]


@pytest.mark.usefixtures("_secret")
async def test_results():
    """PB66, PB67: results of every tool are masked, content in parts too."""

    async def telling():
        """Tells."""
        return f"url https://{TOKEN}@host"

    async def parts():
        """Tells."""
        return [ContentText(text=TOKEN[:5]), ContentText(text=TOKEN[5:])]

    assert (await answer(telling)).text == "url https://[secret]@host"
    assert (await answer(parts)).text == "[secret]\n"


@pytest.mark.usefixtures("_secret")
async def test_errors():
    """Errors are masked."""

    async def failing():
        """Fails."""
        raise ToolError(f"bad token {TOKEN}")

    assert (await answer(failing)).error.message == "bad token [secret]"


@pytest.mark.usefixtures("_secret")
async def test_masked_before_cut():
    """A secret is masked before the text is cut, so that no half of one is left."""

    async def telling():
        """Tells."""
        return "x" * 45 + TOKEN + "y" * 500

    text = (await answer(telling, max_output=100)).text
    assert "tok" not in text


@pytest.mark.usefixtures("_secret")
async def test_events():
    """Every event is masked: what the user said, what the model said and called, and what was answered."""
    heard = []

    class Ear:
        @hookimpl
        def wieldy_event(self, event):
            heard.append(event.model_dump_json())

    async def echo(text: str):
        """Echoes.

        Args:
            text: The text.
        """
        return text

    turns = [
        ScriptedTurn(
            content=TOKEN, tool_calls=[ScriptedCall(function="echo", arguments={"text": TOKEN})]
        ),
        ScriptedTurn(tool_calls=[ScriptedCall(function="submit", arguments={"answer": TOKEN})]),
    ]
    plugins = PluginManager()
    plugins.register(Ear())
    with use_plugins(plugins):
        await run(react(tools=[echo], model=ScriptedModel(turns)), f"use {TOKEN}")
    assert len(heard) > 5
    assert "en/4711" not in "".join(heard)


@pytest.mark.usefixtures("_secret")
async def test_spilled_file():
    """TR02: what is cut is kept whole in the sandbox, masked, and the notice names the file."""

    async def telling():
        """Tells."""
        return f"{TOKEN} " * 1000

    async with use_sandbox(LocalSandbox.open()):
        text = (await answer(telling, max_output=1000)).text
        path = text.partition("the whole is in ")[2].partition(" ...]")[0]
        kept = await sandbox().read_file(path)
    assert kept == "[secret] " * 1000
    assert len(text.encode()) <= 1000


async def test_spilled_file_of_any_call():
    """PB42: the identifier of a call may have any length and any characters."""

    async def telling():
        """Tells."""
        return "x" * 1000

    async with use_sandbox(LocalSandbox.open()):
        call = ToolCall(id="../" * 400 + "\0", function="telling")
        message = ChatMessageAssistant(tool_calls=[call])
        (message,) = (await execute_tools([message], [telling], 500)).messages
        path = message.text.partition("the whole is in ")[2].partition(" ...]")[0]
        assert await sandbox().read_file(path) == "x" * 1000


@pytest.mark.parametrize("word", ["text", "tool", "message", "unknown", "call_", "user"])
async def test_secret_that_is_a_word_of_events(word):
    """A secret that is also the name of a field or a kind breaks no event."""
    heard = []

    async def telling():
        """Tells."""
        return f"<{word}>"

    turns = [
        ScriptedTurn(tool_calls=[ScriptedCall(function="telling")]),
        ScriptedTurn(tool_calls=[ScriptedCall(function="submit", arguments={"answer": "4"})]),
    ]
    with use_secrets([word]), use_plugins(PluginManager()), use_events(heard.append):
        state = await run(react(tools=[telling], model=ScriptedModel(turns)), "go")
    assert state.output.completion == "4"
    answered = [event for event in heard if event.type == "tool_answered"]
    assert answered[0].message.text == "<[secret]>"


@pytest.mark.parametrize(
    ("secrets", "text", "expected"),
    [
        (["abcdef", "defghi"], "<abcdefghi>", "<[secret]>"),
        (["aaaa"], "<aaaaaaa>", "<[secret]>"),
        (["abcd\n"], "<abcd>", "<[secret]>"),
    ],
)
def test_overlapping_secrets(secrets, text, expected):
    """Secrets that overlap are masked as one; a line end at the end of a value is no part of it."""
    with use_secrets(secrets):
        assert masked(text) == expected


@pytest.mark.usefixtures("_secret")
async def test_other_content():
    """What a tool returns as reasoning, or as the address of an image, is masked too."""

    async def parts():
        """Tells."""
        return [ContentReasoning(reasoning=TOKEN), ContentImage(image=f"https://host/?{TOKEN}")]

    assert "en/4711" not in (await answer(parts)).model_dump_json()


async def test_secret_spelled_in_escapes():
    """In events a call is not shown as the text that may spell a secret in another way."""
    heard = []

    async def keep(text: str):
        """Keeps.

        Args:
            text: The text.
        """

    call = ToolCall(id="1", function="keep", raw='{"text": "s3cr3t\\u002dvalue"}')
    with use_secrets(["s3cr3t-value"]), use_events(heard.append):
        await execute_tools([ChatMessageAssistant(tool_calls=[call])], [keep])
    called = next(event for event in heard if event.type == "tool_called")
    assert (called.call.arguments, called.call.raw) == ({"text": "[secret]"}, None)


async def test_long_secret_in_an_error():
    """A secret is masked before a value is shortened in an error."""
    secret = "s" + "3" * 100

    async def keep(number: int):
        """Keeps.

        Args:
            number: The number.
        """

    call = ToolCall(id="1", function="keep", arguments={"number": secret})
    with use_secrets([secret]):
        result = await execute_tools([ChatMessageAssistant(tool_calls=[call])], [keep])
    assert "33333" not in result.messages[0].seen
