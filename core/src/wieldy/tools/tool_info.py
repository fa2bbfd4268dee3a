"""A tool as a model sees it: name, description and parameters, as JSON Schema."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    model_serializer,
)


class _Schema(BaseModel):
    """A part of a JSON Schema: keywords that are not declared here are kept as they are."""

    model_config = ConfigDict(frozen=True, extra="allow")

    @model_serializer(mode="wrap")
    def _only_what_was_given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        given = self.model_fields_set
        return {key: value for key, value in handler(self).items() if key in given}


class ToolParam(_Schema):
    """The JSON Schema of one parameter."""

    type: str | list[str] | None = None
    """The JSON type, or several; None where the schema says it otherwise (`anyOf`, `$ref`, ...)."""
    description: str | None = None
    """What the parameter means, for the model."""
    default: Any = None
    """The value that is used where the model gives none; see `model_fields_set` for whether it exists."""
    enum: list[Any] | None = None
    """The values that are allowed."""


class ToolParams(_Schema):
    """The JSON Schema of all parameters: an object. `$defs` and other keywords are kept."""

    type: Literal["object"] = "object"
    properties: dict[str, ToolParam] = {}
    """The parameters by name, in the order of the function."""
    required: list[str] = []
    """The names that must be given."""
    additionalProperties: bool | dict[str, Any] = False  # noqa: N815 - a keyword of JSON Schema
    """Whether other names are allowed, or the schema of their values."""

    def __init__(self, **keywords: Any) -> None:
        keywords = {
            "type": "object",
            "properties": {},
            "required": [],
            "additionalProperties": False,
        } | keywords
        super().__init__(**keywords)


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """What a provider is told of a tool.

    Attributes:
        name: The name by which the model calls it.
        description: What it does and when to use it, for the model.
        parameters: The JSON Schema of its arguments.
        spec: All of it as one dict, made once, since a conversation offers the same tools every turn. It is
            shared: who changes it takes `model_dump()`. As it is, it is OpenAI's `function`; its
            "parameters" are Anthropic's `input_schema`.
    """

    name: str
    description: str
    parameters: ToolParams = ToolParams()  # noqa: RUF009 - frozen
    spec: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parameters = self.parameters.model_dump()
        spec = {"name": self.name, "description": self.description, "parameters": parameters}
        object.__setattr__(self, "spec", spec)

    def model_dump(self) -> dict[str, Any]:
        """Returns `spec` as a dict of its own, down to the last value."""
        return deepcopy(self.spec)
