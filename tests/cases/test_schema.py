"""Cases of the group schema: from a Python function to what a model reads."""

from __future__ import annotations

import datetime
import enum
import json
from dataclasses import dataclass, field
from typing import Annotated, Literal, NotRequired, TypedDict

import pytest
from pydantic import Field

from wieldy import Tool, ToolDef, ToolDefinitionError, tool, tool_with
from wieldy.tools import PROVIDERS, rendition


def properties(function):
    """The schema of each parameter of a function, without its description."""
    schema = ToolDef(function).info.parameters.model_dump()["properties"]
    return {
        name: {k: v for k, v in each.items() if k != "description"} for name, each in schema.items()
    }


def parameters(function):
    return ToolDef(function).info.parameters.model_dump()


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Inner:
    number: int
    word: str = "none"


@dataclass
class Outer:
    inner: Inner
    tags: list[str] = field(default_factory=list)


class Opaque: ...


class Options(TypedDict):
    depth: int
    follow: NotRequired[bool]


def test_simple_types():
    """SC01: int, float, str and bool become JSON's types, in an object closed to other keys."""

    async def f(i: int, f: float, s: str, b: bool):
        """Does.

        Args:
            i: An int.
            f: A float.
            s: A str.
            b: A bool.
        """

    assert parameters(f) == {
        "type": "object",
        "properties": {
            "i": {"type": "integer", "description": "An int."},
            "f": {"type": "number", "description": "A float."},
            "s": {"type": "string", "description": "A str."},
            "b": {"type": "boolean", "description": "A bool."},
        },
        "required": ["i", "f", "s", "b"],
        "additionalProperties": False,
    }


def test_default():
    """SC02: a parameter with a default is not required, and shows the default."""

    async def f(a: int = 3, *, b: int):
        """Does.

        Args:
            a: One.
            b: Two.
        """

    assert parameters(f)["required"] == ["b"]
    assert properties(f)["a"] == {"type": "integer", "default": 3}


def test_optional_without_default():
    """SC03: an optional integer is an integer or null, and still required without a default."""

    async def f(a: int | None):
        """Does.

        Args:
            a: One.
        """

    assert properties(f)["a"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert parameters(f)["required"] == ["a"]


def test_literal():
    """SC04: a literal of two words is a text with two values."""

    async def f(a: Literal["x", "y"]):
        """Does.

        Args:
            a: One.
        """

    assert properties(f)["a"] == {"type": "string", "enum": ["x", "y"]}


@pytest.mark.parametrize("value", [1, "a"])
def test_mixed_literal(value):
    """SC05: a literal of a number and a text takes both."""

    async def f(a: Literal[1, "a"]):
        """Does.

        Args:
            a: One.
        """

    assert properties(f)["a"] == {"enum": [1, "a"]}
    assert ToolDef(f).read({"a": value})[1] == {"a": value}


def test_enum():
    """SC06: an enum lists its values, not its names."""

    async def f(a: Color):
        """Does.

        Args:
            a: One.
        """

    assert parameters(f)["$defs"]["Color"] == {"enum": ["red", "blue"], "type": "string"}
    assert ToolDef(f).read({"a": "red"})[1] == {"a": Color.RED}


def test_pair():
    """SC08: a fixed pair has two positions and a length of exactly two."""

    async def f(a: tuple[int, str]):
        """Does.

        Args:
            a: One.
        """

    assert properties(f)["a"] == {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "minItems": 2,
        "maxItems": 2,
    }


def test_map():
    """SC09: a map from text to integer is an object whose values are integers."""

    async def f(a: dict[str, int]):
        """Does.

        Args:
            a: One.
        """

    assert properties(f)["a"] == {"type": "object", "additionalProperties": {"type": "integer"}}


def test_nested_records():
    """SC10: a record is an object, closed as the one in it, that requires only what has no default."""

    async def f(a: Outer):
        """Does.

        Args:
            a: One.
        """

    definitions = parameters(f)["$defs"]
    assert definitions["Outer"]["required"] == ["inner"]
    assert definitions["Outer"]["additionalProperties"] is False
    assert definitions["Inner"] == {
        "type": "object",
        "properties": {
            "number": {"type": "integer"},
            "word": {"type": "string", "default": "none"},
        },
        "required": ["number"],
        "additionalProperties": False,
    }


def test_typed_dict():
    """SC11: an optional key of a typed dict is not required, with postponed annotations too."""

    async def f(a: Options):
        """Does.

        Args:
            a: One.
        """

    assert parameters(f)["$defs"]["Options"]["required"] == ["depth"]


def test_dates():
    """SC14: date, time and date-time are texts with the matching format."""

    async def f(d: datetime.date, t: datetime.time, dt: datetime.datetime):
        """Does.

        Args:
            d: One.
            t: Two.
            dt: Three.
        """

    assert properties(f) == {
        "d": {"type": "string", "format": "date"},
        "t": {"type": "string", "format": "time"},
        "dt": {"type": "string", "format": "date-time"},
    }


GOOGLE = """Counts words.

Args:
    text: The text.
    least: The shortest word that counts.

Returns:
    The number.
"""

NUMPY = """Counts words.

Parameters
----------
text : str
    The text.
least : int, optional
    The shortest word that counts.

Returns
-------
int
    The number.
"""

SPHINX = """Counts words.

:param text: The text.
:param int least: The shortest word that counts.
:returns: The number.
:rtype: int
"""

EPYDOC = """Counts words.

@param text: The text.
@type least: int
@param least: The shortest word that counts.
@return: The number.
"""

NO_BLANK = """Counts words.
Args:
    text (str): The text.
    least (int): The shortest word that counts.
Returns:
    The number.
"""

BLANK_BELOW = """Counts words.

Args:

    text: The text.

    least: The shortest word that counts.
"""


@pytest.mark.parametrize("doc", [GOOGLE, NUMPY, SPHINX, EPYDOC, NO_BLANK, BLANK_BELOW])
def test_docstring_styles(doc):
    """SC15, SC16, PB01, PB02, PB04: every style gives the same descriptions, and no other text leaks."""

    async def f(text: str, least: int = 1): ...

    f.__doc__ = doc
    info = ToolDef(f).info
    assert info.description == "Counts words."
    assert info.parameters.properties["text"].description == "The text."
    assert info.parameters.properties["least"].description == "The shortest word that counts."


def test_docstring_that_opens_with_args():
    """A docstring without a summary gives the parameters, and the description must come from elsewhere."""

    async def f(text: str):
        """Args:
        text: The text.
        """

    with pytest.raises(ToolDefinitionError, match="'f' has no description"):
        ToolDef(f)
    assert (
        ToolDef(f, description="Reads.").info.parameters.properties["text"].description
        == "The text."
    )


def test_notes_and_examples_are_kept():
    """What a docstring says besides parameters and results reaches the model."""

    async def f(text: str):
        """Reads.

        Args:
            text: The text.

        Returns:
            Nothing.

        Note:
            Slow.

        Example:
            f("x")
        """

    assert ToolDef(f).info.description == 'Reads.\n\nNote:\n    Slow.\n\nExample:\n    f("x")'


def test_no_docstring():
    """SC17: a tool without a docstring is refused, and the error names it."""

    @tool
    def nameless() -> Tool:
        async def execute(text: str) -> str:
            return text

        return execute

    with pytest.raises(ToolDefinitionError, match="tool 'nameless' has no description"):
        ToolDef(nameless())


def test_undocumented_parameter():
    """A parameter without a description is refused, and the error names it."""

    async def f(text: str):
        """Reads."""

    with pytest.raises(
        ToolDefinitionError, match="parameter 'text' of tool 'f' has no description"
    ):
        ToolDef(f)


async def test_callable_object():
    """SC19: an instance with a call method is a tool, documented on that method."""

    class Counter:
        async def __call__(self, text: str) -> int:
            """Counts words.

            Args:
                text: The text.
            """
            return len(text.split())

    definition = ToolDef(Counter(), name="count")
    assert definition.info.parameters.properties["text"].description == "The text."
    assert await definition.run(definition.read({"text": "a b"})[1]) == 2


def test_default_that_is_a_date():
    """SC20: a default that JSON has no type for is written as JSON."""

    async def f(day: datetime.date = datetime.date(2024, 2, 29)):
        """Does.

        Args:
            day: One.
        """

    assert json.loads(json.dumps(properties(f)))["day"]["default"] == "2024-02-29"


def test_variadic_keywords():
    """SC21: a function that takes any keywords is refused, with what to do instead."""

    async def f(**keywords: int):
        """Does."""

    with pytest.raises(ToolDefinitionError, match="declare each parameter"):
        ToolDef(f)


def test_local_type_around_the_decorator():
    """SC22: a type local to the function around the decorator is found, annotations postponed or not."""

    @dataclass
    class Point:
        x: int

    @tool
    def plot() -> Tool:
        async def execute(point: Point) -> int:
            """Plots.

            Args:
                point: Where.
            """
            return point.x

        return execute

    assert ToolDef(plot()).read({"point": {"x": 1}})[1] == {"point": Point(1)}


def test_type_out_of_reach():
    """SC22: an annotation that cannot be resolved is refused, with what to do."""

    @tool
    def plot() -> Tool:
        @dataclass
        class Hidden:
            x: int

        async def execute(point: Hidden) -> int:
            """Plots.

            Args:
                point: Where.
            """
            return point.x

        return execute

    with pytest.raises(ToolDefinitionError, match="Hidden.*top of the module"):
        ToolDef(plot())


def test_two_descriptions_of_one_function():
    """SC24: two tools made from one function each keep their own description."""

    async def f(text: str):
        """Reads.

        Args:
            text: The text.
        """

    first, second = tool_with(f, description="First."), tool_with(f, description="Second.")
    assert [ToolDef(each).info.description for each in (first, second, f)] == [
        "First.",
        "Second.",
        "Reads.",
    ]


def test_field_description():
    """A description may stand in the annotation in place of the docstring."""

    async def f(text: Annotated[str, Field(description="The text.", max_length=5)]):
        """Reads."""

    assert parameters(f)["properties"]["text"] == {
        "type": "string",
        "maxLength": 5,
        "description": "The text.",
    }


def test_unreadable_type():
    """A type that cannot be read from JSON is refused, and the error names the parameter."""

    async def f(thing: Opaque):
        """Does.

        Args:
            thing: One.
        """

    with pytest.raises(ToolDefinitionError, match="parameter 'thing' of tool 'f'"):
        ToolDef(f)


def test_unannotated_parameter():
    """A parameter without a type is refused, and the error names it."""

    async def f(thing):
        """Does.

        Args:
            thing: One.
        """

    with pytest.raises(ToolDefinitionError, match="'thing' of tool 'f' has no type annotation"):
        ToolDef(f)


@pytest.mark.parametrize("name", ["with space", "", "ü", "x" * 65, "a.b"])
def test_bad_name(name):
    """A name that providers do not accept is refused when the tool is defined."""

    async def f():
        """Does."""

    with pytest.raises(ToolDefinitionError, match="cannot be the name of a tool"):
        ToolDef(f, name=name or " ")


def test_override_of_a_parameter_that_does_not_exist():
    """Describing a parameter that the function does not have is an error that lists those it has."""

    async def f(text: str):
        """Reads.

        Args:
            text: The text.
        """

    with pytest.raises(ToolDefinitionError, match="no parameter 'txt' to describe; it has text"):
        ToolDef(f, parameters={"txt": "The text."})


@pytest.mark.parametrize("provider", PROVIDERS)
def test_open_object_in_every_dialect(provider):
    """PB06: a parameter that is any object can be offered to every provider."""

    async def f(options: dict):
        """Does.

        Args:
            options: Anything.
        """

    seen = rendition(ToolDef(f).info, provider)
    schema = seen.tool.get("function", seen.tool)
    schema = schema.get("parameters") or schema["input_schema"]
    assert schema["properties"]["options"]["type"] == "object"


def test_golden_dialects():
    """PB07: what each provider is sent, to the letter."""

    async def f(color: Color, at: tuple[int, str], size: Literal["s", "m"] | None = None):
        """Does.

        Args:
            color: One.
            at: Two.
            size: Three.
        """

    info = ToolDef(f).info
    color = {"enum": ["red", "blue"], "type": "string"}
    pair = {"prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}
    size = {
        "anyOf": [{"enum": ["s", "m"], "type": "string"}, {"type": "null"}],
        "default": None,
        "description": "Three.",
    }
    anthropic = {
        "type": "object",
        "properties": {
            "color": {"$ref": "#/$defs/Color", "description": "One."},
            "at": {"type": "array", **pair, "description": "Two."},
            "size": size,
        },
        "required": ["color", "at"],
        "additionalProperties": False,
        "$defs": {"Color": color},
    }
    items = {"anyOf": [{"type": "integer"}, {"type": "string"}]}
    openai_at = {**anthropic["properties"]["at"], "items": items}
    openai = {**anthropic, "properties": {**anthropic["properties"], "at": openai_at}}
    google = {
        "type": "object",
        "properties": {
            "color": {**color, "description": "One."},
            "at": {
                "type": "array",
                "items": items,
                "minItems": 2,
                "maxItems": 2,
                "description": "Two.",
            },
            "size": size,
        },
        "required": ["color", "at"],
    }
    assert rendition(info, "anthropic").tool["input_schema"] == anthropic
    assert rendition(info, "openai").tool["function"]["parameters"] == openai
    assert rendition(info, "google").tool["parameters"] == google
    assert rendition(info, "google").lost == ("at: prefixItems",)
