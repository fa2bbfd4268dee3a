"""The {{ cookiecutter.name }} tool, called by a scripted model: the loop and all checks are real."""

from wieldy import react, run
from wieldy.testing import ScriptedCall, ScriptedModel, ScriptedTurn

from {{ cookiecutter.__package }} import {{ cookiecutter.__function }}


def calling(subject: object) -> ScriptedModel:
    """Makes a model that calls the tool once, then submits."""
    call = ScriptedCall(function="{{ cookiecutter.__function }}", arguments={"subject": subject})
    submit = ScriptedCall(function="submit", arguments={"answer": "done"})
    return ScriptedModel([ScriptedTurn(tool_calls=[call]), ScriptedTurn(tool_calls=[submit])])


async def test_a_model_gets_an_answer() -> None:
    """What the tool returns is what the model reads."""
    model = calling("world")
    state = await run(react(tools=[{{ cookiecutter.__function }}(greeting="Hi")], model=model), "Go!")
    assert model.seen[1][-1].text == "Hi, world!"
    assert state.output.completion == "done"


async def test_an_installed_tool_is_found_by_its_name() -> None:
    """Once the plugin is installed, its tool is offered by name."""
    model = calling("world")
    await run(react(tools=["{{ cookiecutter.__function }}"], model=model), "Go!")
    assert model.seen[1][-1].text == "Hello, world!"


async def test_an_error_is_told_to_the_model() -> None:
    """A mistake of the model is answered, and it may try again."""
    model = calling("")
    await run(react(tools=[{{ cookiecutter.__function }}()], model=model), "Go!")
    answer = model.seen[1][-1]
    assert answer.role == "tool"
    assert answer.seen == "subject is empty: say what the answer is to be about"


async def test_wrong_arguments_do_not_reach_the_tool() -> None:
    """Arguments that do not fit the schema are answered with what is wrong."""
    model = calling(5)
    await run(react(tools=[{{ cookiecutter.__function }}()], model=model), "Go!")
    answer = model.seen[1][-1]
    assert answer.role == "tool"
    assert answer.error is not None
    assert answer.error.type == "parsing"
