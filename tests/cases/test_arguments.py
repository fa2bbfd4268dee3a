"""Cases of the groups params and validate: from what a model wrote to what the function gets."""

import datetime
import enum
import json
import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from wieldy import ToolDef, ToolDefinitionError, ToolParam, ToolParams, ToolParsingError


@dataclass
class Circle:
    radius: float
    label: str = "none"


@dataclass
class Square:
    side: int


class Chain(BaseModel):
    child: "Chain | None" = None


class Even(BaseModel):
    number: int

    @field_validator("number")
    @classmethod
    def check(cls, value):
        if value % 2:
            msg = "must be even"
            raise ValueError(msg)
        return value


def reader(annotation):
    """A tool with one parameter `a` of a type."""

    async def probe(a): ...

    probe.__annotations__ = {"a": annotation}
    probe.__doc__ = "Probes.\n\nArgs:\n    a: The value.\n"
    return ToolDef(probe, name="probe")


def read(annotation, value):
    """What the function gets for `a`."""
    return reader(annotation).read({"a": value})[1]["a"]


def refused(annotation, value):
    """The message of the parsing error."""
    with pytest.raises(ToolParsingError) as error:
        reader(annotation).read({"a": value})
    return str(error.value)


# -- params -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['{"a":1}', '  {"a": 1}\n\t'])
def test_json_object(text):
    """PA01, PA02: a JSON object is read, blanks around it or not."""
    assert reader(int).parse(text) == {"a": 1}


def test_fenced_json():
    """A JSON object in a fence of Markdown is read."""
    assert reader(str).parse('```json\n{"a": "x"}\n```') == {"a": "x"}


@pytest.mark.parametrize("text", ["", "  ", "null", "{}"])
def test_no_arguments(text):
    """Nothing, null and an empty object are no arguments."""
    assert reader(int).parse(text) == {}


@pytest.mark.parametrize(
    "text", ["yes", "no", "~", "0x10: a", "some words\nand lines", "12 apples", "true", "5", "-1.5"]
)
def test_bare_text(text):
    """PA06: what is no JSON is the value of the one text parameter, unchanged."""
    assert reader(str).parse(text) == {"a": text}


def test_bare_text_where_no_text_is_wanted():
    """A bare word for a tool without a text parameter is an error with a position."""
    with pytest.raises(ToolParsingError, match="line 1 column 1"):
        reader(int).parse("yes")


@pytest.mark.parametrize("text", ['{"a": 1}"', '{"a": 1}`', '{"a": 1}\n```'])
def test_stray_quotes_behind(text):
    """Quotes that a model left behind the object are ignored."""
    assert reader(int).parse(text) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('{"a":', "line 1 column 6", id="truncated"),
        pytest.param('["x"]', "must be a JSON object, got array", id="array"),
        pytest.param("3", "must be a JSON object, got integer", id="number"),
        pytest.param('{"a": NaN}', "hold NaN", id="nan"),
        pytest.param('{"a": -Infinity}', "hold -Infinity", id="infinity"),
        pytest.param('{"a": 1e999}', "too large for a number", id="huge-float"),
        pytest.param('{"a": 1, "a": 2}', 'give "a" twice', id="twice"),
        pytest.param('{"a": {"b": 1, "b": 1}}', 'give "b" twice', id="twice-inside"),
        pytest.param('{"a": "\\ud800"}', "half of a surrogate pair", id="surrogate"),
        pytest.param('{"a": ' + "[" * 100_000, "nested too deeply", id="deep"),
        pytest.param('{"a": ' + "9" * 5000 + "}", "more digits than are read", id="huge-int"),
        pytest.param('{"a": 1} {"a": 2}', "Extra data", id="two-objects"),
    ],
)
def test_malformed_text(text, message):
    """PA05, PB14: text that is not one strict JSON object is one bounded error that says what and where."""
    with pytest.raises(ToolParsingError, match=message) as error:
        reader(int).parse(text)
    assert len(str(error.value)) < 300


def test_text_of_any_size():
    """More text than is read at all is refused before anything looks at it."""
    with pytest.raises(ToolParsingError, match="more than the 16777216 that are read"):
        reader(str).parse(" " * 16_777_217 + "x")


def test_yaml_is_never_read():
    """A text that is valid YAML and not JSON is an error."""
    with pytest.raises(ToolParsingError):
        reader(int).parse("a: 1")


# -- validate ---------------------------------------------------------------------------------------


def test_integral_float():
    """VA01: 5.0 is the integer 5."""
    value = read(int, 5.0)
    assert value == 5
    assert type(value) is int


@pytest.mark.parametrize("value", [5.7, "5", True, None])
def test_no_integer(value):
    """VA02: 5.7, "5", true and null are no integers, and the error shows path, expected and got."""
    assert refused(int, value) == (
        f"the arguments of probe do not fit: a: expected integer, got {json.dumps(value)}"
    )


def test_unknown_key():
    """VA04: a key that does not exist is named, with the near one."""
    with pytest.raises(ToolParsingError, match=r"aa: unknown; did you mean a\?"):
        reader(int).read({"a": 1, "aa": 2})


def test_missing_key():
    """VA05: a required key that is missing is named."""
    with pytest.raises(ToolParsingError, match="a: required, but missing"):
        reader(int).read({})


def test_default_of_a_record():
    """VA06: what a record omits takes its default."""
    assert read(Circle, {"radius": 1}) == Circle(1.0, "none")


@pytest.mark.parametrize("annotation", [Circle | None, None | Circle])
def test_record_or_none(annotation):
    """VA08: a record or none is built from an object in either order."""
    assert read(annotation, {"radius": 1}) == Circle(1.0)
    assert read(annotation, None) is None


@pytest.mark.parametrize(
    ("value", "built"), [({"radius": 2}, Circle(2.0)), ({"side": 2}, Square(2))]
)
def test_union_of_records(value, built):
    """VA09: of a union of records the one that fits is built."""
    assert read(Circle | Square, value) == built


def test_pair():
    """VA11: a fixed pair is a tuple."""
    assert read(tuple[int, str], [1, "a"]) == (1, "a")


@pytest.mark.parametrize("text", ["2024-02-29T10:00:00Z", "2024-02-29T12:00:00+02:00"])
def test_aware_times(text):
    """VA13: a date-time with Z or an offset is aware."""
    assert read(datetime.datetime, text) == datetime.datetime(2024, 2, 29, 10, tzinfo=datetime.UTC)


def test_integer_keys():
    """VA18: the keys of a map from integers are integers."""
    assert read(dict[int, int], {"1": 2}) == {1: 2}


def test_all_errors_at_once():
    """VA20: one message lists all that is wrong."""

    async def probe(a: int, b: str, c: list[int]):
        """Probes.

        Args:
            a: One.
            b: Two.
            c: Three.
        """

    with pytest.raises(ToolParsingError) as error:
        ToolDef(probe).read({"a": "x", "c": [1, "y"], "d": 1})
    assert str(error.value).splitlines() == [
        "the arguments of probe do not fit:",
        "- b: required, but missing",
        "- d: unknown; known are a, b, c",
        '- a: expected integer, got "x"',
        '- c[1]: expected integer, got "y"',
    ]


@pytest.mark.parametrize(
    ("annotation", "text", "built"),
    [
        (list[int], "[1, 2]", [1, 2]),
        (dict[str, int], '{"x": 1}', {"x": 1}),
        (Circle, '{"radius": 1}', Circle(1.0)),
        (list[int] | None, "[1]", [1]),
    ],
)
def test_json_text_for_a_container(annotation, text, built):
    """PB11: a JSON text stands for the array or object that is declared."""
    assert read(annotation, text) == built


@pytest.mark.parametrize("annotation", [str, str | list[int], str | dict[str, int] | None])
def test_json_text_for_a_text(annotation):
    """PB12: a JSON text is never read where a text is accepted."""
    assert read(annotation, '{"a": 1}') == '{"a": 1}'


def test_container_of_another_kind():
    """A JSON text of another kind than the declared one is an error about the text."""
    assert refused(list[int], '{"x": 1}') == (
        'the arguments of probe do not fit: a: expected array, got "{\\"x\\": 1}"'
    )


def test_optional_literal_keeps_its_values():
    """PB09: a literal or none takes its values and null, and nothing else."""
    annotation = Literal["x", "y"] | None
    assert [read(annotation, value) for value in ("x", None)] == ["x", None]
    assert 'expected one of "x", "y"' in refused(annotation, "z")


def test_validator_of_a_model():
    """What only a validator refuses is a parsing error of the same form."""
    assert refused(Even, {"number": 3}) == (
        "the arguments of probe do not fit: a.number: Value error, must be even, got 3"
    )


def test_foreign_schema_decides_alone():
    """A schema that did not come from Python is kept whole, and JSON Schema alone decides."""

    async def probe(**arguments): ...

    parameters = ToolParams(
        properties={"kind": ToolParam(oneOf=[{"const": "a"}, {"$ref": "#/$defs/word"}])},
        required=["kind"],
        **{"$defs": {"word": {"type": "string", "minLength": 3}}},
    )
    definition = ToolDef(probe, "probe", "Probes.", parameters)
    assert definition.info.parameters.model_dump()["$defs"] == {
        "word": {"type": "string", "minLength": 3}
    }
    assert definition.read({"kind": "abc"})[1] == {"kind": "abc"}
    with pytest.raises(ToolParsingError, match="kind"):
        definition.read({"kind": "b"})


@pytest.mark.parametrize("depth", [50, 500, 900, 5000])
def test_depth_is_bounded(depth):
    """A value that is nested as deep as any is built, or is one parsing error."""
    value = None
    for _ in range(depth):
        value = {"child": value}
    try:
        read(Chain, value)
    except ToolParsingError as error:
        assert len(str(error)) < 1000
        assert depth > 50


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (Annotated[int, Field(gt=3)], 3, "more than 3"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "an array of at most 1 items"),
        (Annotated[str, Field(pattern="^a")], "b", 'a text that matches "^a"'),
    ],
)
def test_constraints_in_words(annotation, value, expected):
    """What a constraint asks for is said in words, not in keywords of JSON Schema."""
    assert f"a: expected {expected}, got " in refused(annotation, value)


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: int


def test_tagged_union_in_words():
    """Of a tagged union only what is wrong with the alternative of that tag is said."""
    message = refused(Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog"})
    assert "tricks: required, but missing" in message
    assert "lives" not in message


def test_many_problems_are_bounded():
    """However much is wrong, it is told in few words."""
    message = refused(list[int], ["x" * 100] * 200_000)
    assert len(message) < 3000


def test_many_keys_with_one_given_twice():
    """A key that is given twice among very many is found before the test runs out of time."""
    text = "{" + ",".join(f'"k{place}": 1' for place in range(200_000)) + ', "k7": 2}'
    with pytest.raises(ToolParsingError, match='give "k7" twice'):
        reader(dict[str, int]).parse(text)


# -- what no model can do ---------------------------------------------------------------------------


class Left(BaseModel):
    kids: "list[Left | Right]" = []
    v: int


class Right(BaseModel):
    kids: "list[Left | Right]" = []
    w: int


def test_alternatives_that_nest():
    """Alternatives inside of alternatives do not multiply the work of refusing them."""
    value = {"v": "x"}
    for _ in range(40):
        value = {"kids": [value], "v": 1}
    assert "the arguments of probe" in refused(Left, value)


def test_pattern_that_backtracks():
    """A pattern that would backtrack for ever is refused in linear time."""
    assert "a text that matches" in refused(
        Annotated[str, Field(pattern="^(a+)+$")], "a" * 5000 + "!"
    )


@dataclass
class Ratio:
    start: int
    end: int

    def __post_init__(self):
        self.value = self.start / self.end


def test_constructor_that_fails():
    """Whatever a validator or a constructor raises is a parsing error."""
    assert refused(Ratio, {"start": 1, "end": 0}) == (
        "the arguments of probe cannot be built: ZeroDivisionError: division by zero"
    )


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


class Place(NamedTuple):
    x: int
    y: int = 0


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (Size, True),
        (Literal[1, "b"], True),
        (Place, {"x": 1}),
        (dict[int, int], {"01": 1}),
        (dict[int, int], {" 1": 1}),
    ],
)
def test_verdict_of_the_published_schema(annotation, value):
    """VA02: where pydantic would take more than the published schema says, the schema counts."""
    assert "the arguments of probe do not fit:" in refused(annotation, value)


@pytest.mark.parametrize(
    ("annotation", "value", "built"),
    [
        (Size, 2.0, Size.LARGE),
        (Literal[1, "b"], 1.0, 1),
        (Place, [1], Place(1)),
        (dict[float, int], {"1.5": 1}, {1.5: 1}),
        (dict[bool, int], {"true": 1}, {True: 1}),
    ],
)
def test_what_the_schema_accepts_is_built(annotation, value, built):
    """What the published schema accepts is built, in these types too."""
    assert read(annotation, value) == built


class Inner(BaseModel):
    number: int
    word: str = ""


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    number: int


def test_nested_models_are_closed():
    """VA04: a key that a nested model does not have is named; a model that says it is open stays open."""
    assert "a.wrod: unknown; did you mean word?" in refused(Inner, {"number": 1, "wrod": "x"})
    assert read(Open, {"number": 1, "more": 2}).more == 2


class Typed(BaseModel):
    kind: Literal["type"]


def test_any_word_is_a_tag():
    """The tag of a union may be any word, also one that schemas use themselves."""
    annotation = Annotated[Typed | Cat, Field(discriminator="kind")]
    assert read(annotation, {"kind": "type"}) == Typed(kind="type")


@dataclass
class Derived:
    number: int
    double: int = field(init=False, default=0)


def test_field_that_is_not_for_the_constructor():
    """A field with init=False is not offered."""
    schema = reader(Derived).info.parameters.model_dump()["$defs"]["Derived"]
    assert list(schema["properties"]) == ["number"]


@pytest.mark.parametrize(
    "annotation", [set[list[int]], frozenset[dict[str, int]], dict[tuple[int, int], int]]
)
def test_types_that_nothing_can_be_read_as(annotation):
    """A type that every value would fail is refused when the tool is defined."""
    with pytest.raises(ToolDefinitionError, match="'a' of tool 'probe'"):
        reader(annotation)


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[int, Field(alias="q")],
        Annotated[str, Field(pattern="(?<=a)b")],
        Annotated[int, Field(default=3)],
    ],
)
def test_definitions_that_cannot_be_kept(annotation):
    """What a field says and a tool cannot keep is refused when the tool is defined, as what it is."""
    with pytest.raises(ToolDefinitionError):
        reader(annotation)


@pytest.mark.parametrize("default", [math.inf, b"\xff", 10**5000], ids=["inf", "bytes", "huge"])
def test_default_that_json_cannot_carry(default):
    """A default that JSON cannot carry is used, and not shown."""

    async def probe(a: Any = default):
        """Probes.

        Args:
            a: The value.
        """

    definition = ToolDef(probe)
    assert "default" not in definition.info.parameters.model_dump()["properties"]["a"]
    assert definition.read({})[1] == {}


def test_position_behind_blank_lines():
    """The position of a mistake is that in the text of the model."""
    with pytest.raises(ToolParsingError, match="line 3 column 8"):
        reader(int).parse('\n\n  {"a":}')


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (ToolParam(type="strin"), "no JSON Schema"),
        (ToolParam(**{"$ref": "#/$defs/none"}), "which is not in them"),
        (ToolParam(**{"$ref": "http://127.0.0.1:9/schema"}), "which is not in them"),
        (ToolParam(minimum="5"), "no JSON Schema"),
    ],
)
def test_foreign_schema_is_checked(parameter, message):
    """A schema that nothing could be checked by, or that leads elsewhere, is refused when the tool is defined."""
    with pytest.raises(ToolDefinitionError, match=message):
        ToolDef(lambda **a: a, "probe", "Probes.", ToolParams(properties={"a": parameter}))


def test_integral_float_in_a_foreign_schema():
    """VA01: an integral float is an integer there too."""
    parameters = ToolParams(properties={"a": ToolParam(type="integer")})
    definition = ToolDef(lambda **a: a, "probe", "Probes.", parameters)
    assert type(definition.read({"a": 5.0})[1]["a"]) is int


@pytest.mark.parametrize(("annotation", "value"), [(Size, 2.0), (Literal[1, "b"], 1.0)])
def test_mended_arguments_are_the_canonical_ones(annotation, value):
    """What the approver and the log see of mended arguments is what the function gets."""
    canonical, built = reader(annotation).read({"a": value})
    assert type(canonical["a"]) is int
    assert canonical["a"] == built["a"]
