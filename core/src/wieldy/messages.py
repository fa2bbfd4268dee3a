"""What is said between a user, a model and its tools. All values are frozen."""

import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ContentText(_Frozen):
    """A piece of text."""

    type: Literal["text"] = "text"
    text: str
    """The text itself."""


class ContentReasoning(_Frozen):
    """What a model thought before it answered."""

    type: Literal["reasoning"] = "reasoning"
    reasoning: str
    """The thought, or a summary of it; empty where the provider hides it."""
    signature: str | None = None
    """The provider's signature, which must go back to it unchanged."""
    redacted: bool = False
    """Whether the provider encrypted the thought."""


class ContentImage(_Frozen):
    """An image."""

    type: Literal["image"] = "image"
    image: str
    """Where it is: a `data:` URL with the image itself, or an `https:` URL."""


Content: TypeAlias = Annotated[
    ContentText | ContentReasoning | ContentImage, Field(discriminator="type")
]
"""One part of a message."""


class ToolCall(_Frozen):
    """One call that a model wrote."""

    id: str
    """The provider's identifier, by which the answer is matched to the call."""
    function: str
    """The name of the tool."""
    arguments: dict[str, Any] = {}
    """The arguments by parameter name; empty where the text could not be read."""
    raw: str | None = None
    """The text that the model wrote as arguments, where the provider gives one."""
    parse_error: str | None = None
    """Why the text could not be read as arguments; the call is then answered with it."""


ToolCallErrorType: TypeAlias = Literal[
    "parsing",
    "approval",
    "timeout",
    "permission",
    "file_not_found",
    "is_a_directory",
    "unicode_decode",
    "limit",
    "sandbox_unavailable",
    "cancelled",
    "unknown",
]
"""What kind of failure a model is told of."""


class ToolCallError(_Frozen):
    """Why a call has no result."""

    type: ToolCallErrorType
    """The kind of the failure."""
    message: str
    """What the model reads."""


class ToolCallContent(_Frozen):
    """A part of a view of a call, for people."""

    title: str = ""
    """A heading; empty for none."""
    format: Literal["text", "markdown"] = "text"
    """How `content` is written."""
    content: str = ""
    """The text; a command or code stands in a fenced block with its language."""

    @classmethod
    def code(cls, title: str, code: str, language: str) -> Self:
        """Makes a view of code.

        Args:
            title: A heading.
            code: The code.
            language: The language to highlight it as, for instance "bash".
        """
        longest = max((len(run) for run in re.findall("`+", code)), default=0)
        fence = "`" * max(3, longest + 1)
        return cls(title=title, format="markdown", content=f"{fence}{language}\n{code}\n{fence}")


class ToolCallView(_Frozen):
    """How a tool shows a call to people: in the live display and to a human approver."""

    call: ToolCallContent | None = None
    """The call itself."""


class ChatMessageBase(_Frozen):
    """What all messages have in common."""

    id: str | None = None
    """An identifier of the message, where something needs one."""
    content: str | list[Content] = ""
    """A text, or several parts."""

    @property
    def text(self) -> str:
        """The text of the message: its text parts, joined by newlines."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if isinstance(part, ContentText))


class ChatMessageSystem(ChatMessageBase):
    """Instructions that stand above the conversation."""

    role: Literal["system"] = "system"


class ChatMessageUser(ChatMessageBase):
    """What a user says, or a program in the user's place."""

    role: Literal["user"] = "user"
    source: str | None = None
    """Who wrote it, where it was not the user: the name of an agent, or "wieldy" for a nudge."""


class ChatMessageAssistant(ChatMessageBase):
    """What a model says, and the calls that it makes."""

    role: Literal["assistant"] = "assistant"
    tool_calls: list[ToolCall] = []
    """The calls, in the order in which the model wrote them."""
    model: str | None = None
    """The model that said it."""


class ChatMessageTool(ChatMessageBase):
    """The answer to one call."""

    role: Literal["tool"] = "tool"
    tool_call_id: str
    """The `id` of the call that it answers."""
    function: str
    """The name of the tool that was called."""
    error: ToolCallError | None = None
    """Why there is no result; the model then reads its message."""

    @property
    def seen(self) -> str:
        """What the model reads: the error where there is one, else the text of the result."""
        return self.error.message if self.error else self.text


ChatMessage: TypeAlias = Annotated[
    ChatMessageSystem | ChatMessageUser | ChatMessageAssistant | ChatMessageTool,
    Field(discriminator="role"),
]
"""One message of a conversation."""

MessageFilter: TypeAlias = Callable[[list[ChatMessage]], Awaitable[list[ChatMessage]]]
"""An async function that makes one conversation of another; it changes nothing in place."""
