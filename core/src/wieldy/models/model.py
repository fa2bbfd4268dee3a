"""What a model is asked and what it answers."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Self, TypeAlias, runtime_checkable

from pydantic import BaseModel, ConfigDict

from ..messages import ChatMessage, ChatMessageAssistant, ToolCall
from ..tools.choice import ToolChoice
from ..tools.tool_info import ToolInfo

StopReason: TypeAlias = Literal[
    "stop", "tool_calls", "max_tokens", "model_length", "content_filter", "unknown"
]
"""Why a model stopped: it was done ("stop"), wants tools ("tool_calls"), reached the limit of its
answer ("max_tokens") or of its window ("model_length"), or refused ("content_filter")."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelUsage(_Frozen):
    """How many tokens an answer took, as the provider counts them."""

    input_tokens: int = 0
    """Tokens of what the model read, those in a cache not counted."""
    output_tokens: int = 0
    """Tokens of what it wrote, its reasoning included."""
    input_tokens_cache_read: int = 0
    """Tokens that were read from the provider's cache."""
    input_tokens_cache_write: int = 0
    """Tokens that were written to the provider's cache."""

    @property
    def total_tokens(self) -> int:
        """All of them together."""
        read, written = self.input_tokens_cache_read, self.input_tokens_cache_write
        return self.input_tokens + self.output_tokens + read + written


class GenerateConfig(_Frozen):
    """How a model should answer; None leaves it to the provider."""

    max_tokens: int | None = None
    """How many tokens the answer may have."""
    temperature: float | None = None
    """How varied the answers are, 0 for the least."""


class ModelOutput(_Frozen):
    """One answer of a model."""

    model: str = ""
    """The model that answered."""
    message: ChatMessageAssistant = ChatMessageAssistant()
    """What it said, and the calls that it makes."""
    stop_reason: StopReason = "stop"
    """Why it stopped."""
    usage: ModelUsage = ModelUsage()
    """The tokens that it took."""
    completion: str = ""
    """The answer as text; `react` puts the submitted answer here."""

    @classmethod
    def of(
        cls,
        message: ChatMessageAssistant,
        *,
        stop_reason: StopReason | None = None,
        usage: ModelUsage | None = None,
    ) -> Self:
        """Makes an output of a message; the stop reason is read off it where none is given."""
        return cls(
            model=message.model or "",
            message=message,
            stop_reason=stop_reason or ("tool_calls" if message.tool_calls else "stop"),
            usage=usage or ModelUsage(),
            completion=message.text,
        )

    @classmethod
    def from_content(cls, model: str, content: str, stop_reason: StopReason = "stop") -> Self:
        """Makes an output of a text."""
        return cls.of(ChatMessageAssistant(content=content, model=model), stop_reason=stop_reason)

    @classmethod
    def for_tool_call(
        cls,
        model: str,
        tool_name: str,
        tool_arguments: dict[str, Any],
        content: str = "",
        tool_call_id: str = "call_1",
    ) -> Self:
        """Makes an output that calls one tool."""
        call = ToolCall(id=tool_call_id, function=tool_name, arguments=tool_arguments)
        return cls.of(ChatMessageAssistant(content=content, tool_calls=[call], model=model))


@runtime_checkable
class Model(Protocol):
    """Something that continues a conversation."""

    @property
    def name(self) -> str:
        """The full name, for instance "anthropic/claude-..."."""
        ...

    async def generate(
        self,
        input: Sequence[ChatMessage],  # noqa: A002 - the field's name for it
        tools: Sequence[ToolInfo] = (),
        tool_choice: ToolChoice = "auto",
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - frozen
    ) -> ModelOutput:
        """Continues a conversation.

        Args:
            input: The conversation so far.
            tools: The tools that the model may call.
            tool_choice: Which of them it may or must call.
            config: How it should answer.

        Raises:
            ModelError: It could not answer; the message says why and what to do.
        """
        ...


class ModelProvider(Protocol):
    """What a plugin registers under a prefix: makes the model of a name."""

    def __call__(self, name: str) -> Model:
        """Makes a model.

        Args:
            name: What stands behind the prefix: "claude-..." of "anthropic/claude-...".

        Raises:
            ModelError: There is no such model, or something it needs is missing, for instance a key.
        """
        ...
