"""Drawn types and drawn values: what is accepted is built, what is refused is one parsing error."""

import datetime
import enum
import typing
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import field, make_dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NewType

import pytest
import typing_extensions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic_core import to_json

from wieldy import ToolDef, ToolParsingError
from wieldy.tools import PROVIDERS, rendition
from wieldy.tools.arguments import repaired

# -- types, each with a strategy for JSON values that should fit -------------------------------------


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    YES = "yes"
    NO = "no"


class Cat(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["dog"]
    name: str


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")
    value: int
    children: list["Tree"] = []


class Pair(NamedTuple):
    left: int
    right: str = "r"


Age = NewType("Age", int)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
INTEGER = st.integers(-(2**63), 2**63)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
NAMES = st.sampled_from(["a", "b", "c", "title", "default", "type", "schema"])

SCALARS = [
    (int, INTEGER),
    (float, FLOAT | INTEGER),
    (str, TEXT),
    (bool, st.booleans()),
    (None, st.none()),
    (Any, TEXT | INTEGER | st.none()),
    (bytes, TEXT),
    (Path, TEXT),
    (Age, INTEGER),
    (Color, st.sampled_from(["red", "blue"])),
    (Level, st.sampled_from([1, 2])),
    (Word, st.sampled_from(["yes", "no"])),
    (Literal["x", 3, None], st.sampled_from(["x", 3, None])),
    (Annotated[int, Field(ge=0, lt=10)], st.integers(0, 9)),
    (Annotated[str, Field(min_length=1, max_length=3)], TEXT),
    (Annotated[Cat | Dog, Field(discriminator="kind")], st.just({"kind": "cat"})),
    (Tree, st.just({"value": 1, "children": [{"value": 2}]})),
]
HASHABLE = [int, str, Color, Literal["x", "y"]]


def fitting(annotation, value):
    return st.tuples(st.just(annotation), st.just(value))


def containers(inner):
    """Types made of other types, each with a strategy for its values."""

    def made(pair):
        annotation, values = pair
        return st.sampled_from(
            [
                (list[annotation], st.lists(values, max_size=3)),
                (Sequence[annotation], st.lists(values, max_size=3)),
                (dict[str, annotation], st.dictionaries(TEXT, values, max_size=3)),
                (Mapping[str, annotation], st.dictionaries(TEXT, values, max_size=3)),
                (tuple[annotation, ...], st.lists(values, max_size=3)),
                (tuple[int, annotation], st.tuples(INTEGER, values).map(list)),
                (typing.Optional[annotation], values | st.none()),
                (typing.Union[annotation, str], values | TEXT),
                (typing.Union[None, int, annotation], values | INTEGER),
            ]
        ) | NAMES.flatmap(lambda name: records(name, annotation, values))

    return inner.flatmap(made)


def records(name, annotation, values):
    """Records with a required field of a type and an optional one."""
    required = st.fixed_dictionaries({name: values}, optional={"zz": INTEGER})
    alone = st.fixed_dictionaries({}, optional={name: values})
    model = (
        create_model("Model", **{name: (annotation, ...), "zz": (int, 1)})
        if name != "schema"
        else Tree
    )
    return st.sampled_from(
        [
            (
                make_dataclass("Record", [(name, annotation), ("zz", int, field(default=1))]),
                required,
            ),
            (
                typing_extensions.TypedDict("Keys", {name: annotation}),
                st.fixed_dictionaries({name: values}),
            ),
            (typing_extensions.TypedDict("Loose", {name: annotation}, total=False), alone),
            (model, required),
        ]
    )


TYPES = st.recursive(
    st.sampled_from(SCALARS)
    | st.sampled_from(HASHABLE).map(lambda each: (set[each], st.lists(TEXT | INTEGER, max_size=3)))
    | st.sampled_from(HASHABLE).map(lambda each: (frozenset[each], st.lists(TEXT, max_size=3))),
    containers,
    max_leaves=4,
)

FORMATTED = st.sampled_from(
    [
        (datetime.date, st.dates().map(str)),
        (
            datetime.datetime,
            st.datetimes(timezones=st.timezones()).map(lambda each: each.isoformat()),
        ),
        (datetime.time, st.times().map(str)),
        (datetime.timedelta, st.sampled_from(["P1D", "PT5S", "1 day", "x"])),
        (Decimal, st.decimals(allow_nan=False, allow_infinity=False).map(str) | FLOAT),
        (uuid.UUID, st.uuids().map(str)),
        (Pair, st.sampled_from([[1, "a"], [1], {"left": 1}])),
        (dict[int, str], st.dictionaries(st.integers().map(str), TEXT)),
        (dict[Color, int], st.dictionaries(st.sampled_from(["red", "green"]), INTEGER)),
        (dict[datetime.date, int], st.dictionaries(st.dates().map(str), INTEGER)),
    ]
)

WILD = st.recursive(
    st.none()
    | st.booleans()
    | INTEGER
    | FLOAT
    | TEXT
    | st.sampled_from(["[1]", '{"a": 1}', "5", "true"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | TEXT, inner, max_size=3),
    max_leaves=6,
)


def spoiled(value, draw):
    """A value in which something was replaced by something wild."""
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], spoiled(value[at], draw), *value[at + 1 :]]
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: spoiled(value[key], draw)}
    return draw(WILD)


@st.composite
def cases(draw, types):
    """A type and a value for it: fitting, nearly fitting, or wild."""
    annotation, values = draw(types)
    value = draw(values)
    if draw(st.booleans()):
        value = spoiled(value, draw)
    return annotation, value


def tool_of(annotation):
    async def probe(a): ...

    probe.__annotations__ = {"a": annotation}
    probe.__doc__ = "Probes.\n\nArgs:\n    a: The value.\n"
    return ToolDef(probe, name="probe")


def read(tool, value):
    """The built value in a tuple; None where it is refused. No other error may be raised."""
    try:
        return (tool.read({"a": value})[1]["a"],)
    except ToolParsingError as error:
        assert len(str(error)) < 20_000
        return None


thorough = settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@thorough
@given(cases(TYPES))
def test_verdict(case):
    """The verdict is that of JSON Schema on the published schema, and that of pydantic on the same type."""
    annotation, value = case
    tool = tool_of(annotation)
    schema = tool.info.parameters.model_dump()
    accepted = read(tool, value) is not None
    mended = repaired({"a": value}, schema, schema.get("$defs", {}))
    assert accepted == Draft202012Validator(schema).is_valid(mended)
    adapter = TypeAdapter(annotation, config=closed_config(annotation))
    try:
        adapter.validate_json(to_json(mended["a"]), strict=True)
    except ValidationError:
        assert not accepted
    else:
        assert accepted or is_loose(mended["a"])


def is_loose(value):
    """Tells whether a value holds true or false, which pydantic takes for the literals 1 and 0."""
    if isinstance(value, dict | list):
        return any(map(is_loose, value.values() if isinstance(value, dict) else value))
    return isinstance(value, bool)


def closed_config(annotation):
    """Plain records are closed in a tool; pydantic is told so where it lets one say it."""
    plain = isinstance(annotation, type) and (
        issubclass(annotation, BaseModel)
        or hasattr(annotation, "__dataclass_fields__")
        or typing_extensions.is_typeddict(annotation)
    )
    if not plain:
        return ConfigDict(extra="forbid")
    if not issubclass(annotation, BaseModel):
        annotation.__pydantic_config__ = ConfigDict(extra="forbid")
    return None


@thorough
@given(cases(TYPES | FORMATTED))
def test_accepted_values_round_trip(case):
    """What is accepted is built; written as JSON and read again, it is the same. All else is a parsing error."""
    annotation, value = case
    tool = tool_of(annotation)
    built = read(tool, value)
    if built is None:
        return
    written = TypeAdapter(annotation, config=closed_config(annotation)).dump_python(
        built[0], mode="json"
    )
    assert read(tool, written) == built


@thorough
@given(cases(TYPES))
@pytest.mark.parametrize("provider", PROVIDERS)
def test_dialects(provider, case):
    """A provider's schema accepts what the tool's own does, or says what was lost."""
    annotation, value = case
    tool = tool_of(annotation)
    seen = rendition(tool.info, provider)
    schema = tool.info.parameters.model_dump()
    written = (
        seen.tool.get("input_schema")
        or seen.tool.get("parameters")
        or seen.tool["function"]["parameters"]
    )
    if seen.lost:
        return
    arguments = {"a": value}
    accepted = Draft202012Validator(schema).is_valid(arguments)
    if provider == "google":  # it has no word for closed objects, which are closed all the same
        assert not accepted or Draft202012Validator(written).is_valid(arguments)
    else:
        assert accepted == Draft202012Validator(written).is_valid(arguments)


@thorough
@given(st.text() | WILD.map(lambda value: to_json(value).decode()))
def test_any_text(text):
    """Whatever a model writes is read as an object or is one bounded parsing error."""
    tool = tool_of(dict[str, Any])
    try:
        assert isinstance(tool.parse(text), dict)
    except ToolParsingError as error:
        assert len(str(error)) < 500
