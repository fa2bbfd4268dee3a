"""The scripted model."""

import json

import pytest

from wieldy import ChatMessageTool, ChatMessageUser, ModelOutput, ToolCallError
from wieldy.exceptions import ScriptError
from wieldy.models import ScriptedCall, ScriptedModel, ScriptedTurn, scripted_model


async def test_entries():
    """A turn, a text, an output and a function of the conversation are all answers."""
    model = ScriptedModel(
        [
            ScriptedTurn(content="a", tool_calls=[ScriptedCall(function="f")]),
            "b",
            ModelOutput.from_content("own", "c"),
            lambda conversation: ModelOutput.from_content("own", conversation[0].text),
        ]
    )
    go = [ChatMessageUser(content="go")]
    outputs = [await model.generate(go) for _ in range(4)]
    assert [output.message.text for output in outputs] == ["a", "b", "c", "go"]
    assert [output.stop_reason for output in outputs] == ["tool_calls", "stop", "stop", "stop"]


async def test_end_of_the_script():
    """One question more than the script has turns is an error."""
    with pytest.raises(ScriptError, match="has 0 turns and was asked for one more"):
        await ScriptedModel([]).generate([])


async def test_expectation():
    """A turn that does not see what it expects is an error that shows what it saw."""
    model = ScriptedModel([ScriptedTurn(expects=["3 passed"])])
    with pytest.raises(ScriptError, match=r"expects to see '3 passed', but saw:\n2 passed"):
        await model.generate([ChatMessageUser(content="2 passed")])


async def test_expectation_of_all_last_results():
    """A turn sees all answers of the last turn, errors too, and nothing before."""
    model = ScriptedModel([ScriptedTurn(expects=["one", "denied"]), ScriptedTurn(expects=["old"])])
    error = ToolCallError(type="permission", message="denied")
    conversation = [
        ChatMessageUser(content="old"),
        ChatMessageTool(tool_call_id="1", function="f", content="one"),
        ChatMessageTool(tool_call_id="2", function="f", error=error),
    ]
    await model.generate(conversation)
    with pytest.raises(ScriptError):
        await model.generate(conversation)


def test_file(tmp_path):
    """A script may stand in a JSON file."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"content": "hi"}]))
    assert scripted_model(str(script)).name == "scripted/script.json"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read the script"),
        ("{", "is not a script"),
        ('[{"contents": "hi"}]', "0.contents"),
    ],
)
def test_bad_file(tmp_path, text, message):
    """A file that is missing, or is no script, is an error that says where."""
    script = tmp_path / "script.json"
    if text is not None:
        script.write_text(text)
    with pytest.raises(ScriptError, match=message):
        scripted_model(str(script))
