"""A model that answers from a script: for tests, demos and examples."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ..exceptions import ScriptError
from ..messages import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    Content,
    ToolCall,
)
from ..tools.choice import ToolChoice
from ..tools.tool_info import ToolInfo
from .model import GenerateConfig, ModelOutput, ModelUsage, StopReason


class ScriptedCall(BaseModel):
    """One tool call of a scripted turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: str
    """The name of the tool."""
    arguments: dict[str, Any] = {}
    """The arguments."""
    raw: str | None = None
    """The arguments as the text that a model would write, in place of `arguments`."""
    id: str | None = None
    """The identifier; made of the turn and the place where none is given."""


class ScriptedTurn(BaseModel):
    """One answer of a scripted model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    expects: list[str] = []
    """Regular expressions that must be found, in any order, in what the tools answered last (or, before
    any tool was called, in the last message)."""
    content: str | list[Content] = ""
    """What it says."""
    tool_calls: list[ScriptedCall] = []
    """What it calls."""
    stop_reason: StopReason | None = None
    """Why it stops; read off the calls where none is given."""
    usage: ModelUsage = ModelUsage()
    """The tokens that it claims to have used."""


ScriptEntry: TypeAlias = (
    ScriptedTurn | ModelOutput | str | Callable[[list[ChatMessage]], ModelOutput]
)
"""A turn; or a whole output; or a text to say; or a function of the conversation."""


class ScriptedModel:
    """Answers from a script, one entry a turn, whatever it is asked.

    Args:
        turns: The answers in order.
        name: The name that its outputs carry.

    Attributes:
        seen: The conversations that it was given, one a turn, for tests to look at.
        offered: The tools that it was offered, one list a turn.
    """

    def __init__(self, turns: Iterable[ScriptEntry], name: str = "scripted") -> None:
        self._turns = list(turns)
        self._name = name
        self.seen: list[list[ChatMessage]] = []
        self.offered: list[list[ToolInfo]] = []

    @property
    def name(self) -> str:
        """The name that its outputs carry."""
        return self._name

    async def generate(
        self,
        input: Sequence[ChatMessage],  # noqa: A002 - the protocol's name
        tools: Sequence[ToolInfo] = (),
        tool_choice: ToolChoice = "auto",  # noqa: ARG002 - the script decides
        config: GenerateConfig = GenerateConfig(),  # noqa: ARG002, B008 - frozen
    ) -> ModelOutput:
        """Returns the next answer of the script.

        Raises:
            ScriptError: The script is at its end, or what it expects was not to be seen.
        """
        conversation = list(input)
        at = len(self.seen)
        self.seen.append(conversation)
        self.offered.append(list(tools))
        if at >= len(self._turns):
            msg = f"the script of {self._name} has {len(self._turns)} turns and was asked for one more"
            raise ScriptError(msg)
        return self._output(self._turns[at], conversation, at)

    def _output(self, entry: ScriptEntry, conversation: list[ChatMessage], at: int) -> ModelOutput:
        if isinstance(entry, ModelOutput):
            return entry
        if isinstance(entry, str):
            return ModelOutput.from_content(self._name, entry)
        if not isinstance(entry, ScriptedTurn):
            return entry(conversation)
        seen = _last_seen(conversation)
        for pattern in entry.expects:
            if not re.search(pattern, seen):
                msg = f"turn {at + 1} of {self._name} expects to see {pattern!r}, but saw:\n{seen}"
                raise ScriptError(msg)
        calls = [_call(each, at, place) for place, each in enumerate(entry.tool_calls)]
        message = ChatMessageAssistant(content=entry.content, tool_calls=calls, model=self._name)
        return ModelOutput.of(message, stop_reason=entry.stop_reason, usage=entry.usage)


def scripted_model(name: str) -> ScriptedModel:
    """Makes a scripted model of a JSON file: a list of turns; `scripted/FILE` names it.

    Raises:
        ScriptError: The file cannot be read, or is not a list of turns.
    """
    try:
        turns = TypeAdapter(list[ScriptedTurn]).validate_json(Path(name).read_bytes())
    except OSError as error:
        msg = f"cannot read the script {name!r}: {error.strerror}"
        raise ScriptError(msg) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        msg = f"{name} is not a script, a JSON list of turns: {where}: {first['msg']}"
        raise ScriptError(msg) from error
    return ScriptedModel(turns, f"scripted/{Path(name).name}")


def _call(call: ScriptedCall, turn: int, place: int) -> ToolCall:
    return ToolCall(
        id=call.id or f"call_{turn + 1}_{place + 1}",
        function=call.function,
        arguments=call.arguments,
        raw=call.raw,
    )


def _last_seen(conversation: list[ChatMessage]) -> str:
    answers: list[str] = []
    for message in reversed(conversation):
        if not isinstance(message, ChatMessageTool):
            break
        answers.insert(0, message.seen)
    if answers:
        return "\n".join(answers)
    return conversation[-1].text if conversation else ""
