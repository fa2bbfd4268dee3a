"""How a react agent takes the answer of its model."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..messages import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ContentText,
)
from ..models import ModelOutput
from ..tools import Tool, ToolDef, tool_def


@dataclass(frozen=True, slots=True)
class AgentSubmit:
    """The submit tool of a react agent.

    Attributes:
        name: Its name.
        description: What it is for, for the model.
        tool: A tool of your own in place of the built-in one; what it returns is the answer, and a
            `ToolError` from it is read by the model, which may then try again.
        answer_only: Whether the completion is the answer alone, without what the model said with it.
        answer_delimiter: What stands between what the model said and the answer.
        keep_in_messages: Whether the submit call and its result stay in the conversation.
    """

    name: str | None = None
    description: str | None = None
    tool: Tool | ToolDef | None = None
    answer_only: bool = False
    answer_delimiter: str = "\n\n"
    keep_in_messages: bool = False

    def definition(self) -> ToolDef:
        """Returns the tool in its normal form; its result, the answer, is never cut."""
        own = tool_def(self.tool or _submit)
        name = self.name or (own.name if self.tool else "submit")
        return ToolDef(own.as_tool(), name, self.description, max_output=0)


async def _submit(answer: str) -> str:
    """Submits the answer and ends the task.

    Args:
        answer: The answer, complete: nothing else is read.
    """
    return answer


def submitted(answers: Sequence[ChatMessage], name: str) -> str | None:
    """Returns the answer that a turn submitted; None where it did not, or the submit tool refused it."""
    for message in answers:
        if isinstance(message, ChatMessageTool) and message.function == name and not message.error:
            return message.text
    return None


def completed(output: ModelOutput, answer: str, submit: AgentSubmit) -> ModelOutput:
    """Returns the output of a submitting turn with the answer in its text and as its completion."""
    said = output.message
    if isinstance(said.content, str):
        content: object = _joined(said.content, answer, submit.answer_delimiter)
    else:
        content = [*said.content, ContentText(text=answer)]
    message = said.model_copy(update={"content": content})
    whole = _joined(said.text, answer, submit.answer_delimiter)
    completion = answer if submit.answer_only else whole
    return output.model_copy(update={"message": message, "completion": completion})


def without_submission(
    message: ChatMessageAssistant, answers: Sequence[ChatMessage], name: str
) -> list[ChatMessage]:
    """Returns a submitting turn without the submit call and its result; other calls stay."""
    kept = [call for call in message.tool_calls if call.function != name]
    others = [
        each
        for each in answers
        if not (isinstance(each, ChatMessageTool) and each.function == name)
    ]
    return [message.model_copy(update={"tool_calls": kept}), *others]


def _joined(said: str, answer: str, delimiter: str) -> str:
    return f"{said}{delimiter}{answer}" if said else answer
