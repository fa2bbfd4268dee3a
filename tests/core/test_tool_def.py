"""Everything that can be a tool, and its one normal form."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import Field

from wieldy import (
    PluginManager,
    Tool,
    ToolDef,
    ToolDefinitionError,
    ToolParam,
    ToolParams,
    hookimpl,
    tool,
    tool_with,
)
from wieldy.tools import PROVIDERS, rendition, tool_def


async def add(x: int, y: int = 1) -> int:
    """Adds.

    Args:
        x: One.
        y: Two.
    """
    return x + y


@tool(parallel=True, max_output=50, timeout=5)
def adder(offset: int = 0) -> Tool:
    async def execute(x: int) -> int:
        """Adds an offset.

        Args:
            x: One.
        """
        return x + offset

    return execute


class Account:
    def __init__(self, balance=0):
        self.balance = balance

    async def deposit(self, amount: int) -> int:
        """Deposits.

        Args:
            amount: How much.
        """
        self.balance += amount
        return self.balance

    def __call__(self, amount: int) -> int:
        """Looks ahead.

        Args:
            amount: How much.
        """
        return self.balance + amount


async def call(something, **arguments):
    definition = ToolDef(something)
    return await definition.run(definition.read(arguments)[1])


async def test_bare_function():
    """An async function is a tool of its own name."""
    assert ToolDef(add).name == "add"
    assert await call(add, x=1) == 2


async def test_factory():
    """What a factory makes is a tool with the factory's name and options, and can be called as it is."""
    definition = ToolDef(adder(2))
    assert (definition.name, definition.parallel) == ("adder", True)
    assert (definition.max_output, definition.timeout) == (50, 5)
    assert await adder(2)(x=1) == 3


async def test_method():
    """A bound method is a tool without its `self`."""
    account = Account(5)
    assert ToolDef(account.deposit).name == "deposit"
    assert await call(account.deposit, amount=2) == 7


async def test_callable_object():
    """An object with a call method is a tool named after its class."""
    assert ToolDef(Account(5)).name == "Account"
    assert await call(Account(5), amount=2) == 7


def test_factory_that_returns_what_another_made():
    """A factory that returns another one's tool gives it its own name, and what it says itself."""

    @tool(timeout=9)
    def mine() -> Tool:
        return adder(1)

    definition = ToolDef(mine())
    assert (definition.name, definition.timeout, definition.max_output) == ("mine", 9, 50)


async def test_partial():
    """What a partial binds by name, the model does not see."""
    bound = functools.partial(add, y=10)
    assert list(ToolDef(bound).info.parameters.properties) == ["x"]
    assert await call(bound, x=1) == 11


async def test_decorated_function():
    """The decorator on an async function, with arguments or without, leaves the tool itself."""

    @tool(name="renamed")
    async def shout(text: str) -> str:
        """Shouts.

        Args:
            text: The text.
        """
        return text.upper()

    assert ToolDef(shout).name == "renamed"
    assert await shout(text="a") == "A"


async def test_decorated_function_without_arguments():
    """Without arguments, the decorated function is itself the tool."""

    @tool
    async def shout(text: str) -> str:
        """Shouts.

        Args:
            text: The text.
        """
        return text.upper()

    assert await shout(text="a") == "A"
    assert await call(shout, text="a") == "A"


def test_explicit_schema():
    """With a whole schema the function's own signature and docstring do not matter."""
    parameters = ToolParams(properties={"q": ToolParam(type="string")}, required=["q"])
    definition = ToolDef(lambda **keywords: keywords, "find", "Finds.", parameters)
    assert definition.info.model_dump() == {
        "name": "find",
        "description": "Finds.",
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
            "additionalProperties": False,
        },
    }


def test_as_tool_keeps_everything():
    """A definition turned into a tool and back is the same definition; made anew, it says the same."""
    definition = ToolDef(adder(2), name="plus", description="Plus.", parallel=False)
    back = definition.as_tool()
    assert tool_def(back) is definition
    assert ToolDef(back).info == definition.info
    assert (ToolDef(back).parallel, ToolDef(back).timeout) == (False, 5)


def test_explicit_schema_survives():
    """A schema that was given stays with the tool when it is renamed."""
    parameters = ToolParams(properties={"q": ToolParam(type="string", description="Query.")})
    definition = ToolDef(lambda **keywords: keywords, "find", "Finds.", parameters)
    renamed = ToolDef(tool_with(definition.as_tool(), name="search"))
    assert renamed.info.parameters == definition.info.parameters


def test_precedence():
    """Arguments of ToolDef count before tool_with, that before the decorator, and that before the docstring."""

    @tool(description="decorator")
    def factory() -> Tool:
        return add

    made = factory()
    assert ToolDef(add).info.description == "Adds."
    assert ToolDef(made).info.description == "decorator"
    changed = tool_with(made, description="with")
    assert ToolDef(changed).info.description == "with"
    assert ToolDef(changed, description="given").info.description == "given"


def test_nothing_is_changed_in_place():
    """Overriding makes a new tool; the one that was given says what it said."""
    made = adder()
    before = ToolDef(made).info
    tool_with(made, name="other", description="Other.", parameters={"x": "Other."})
    assert ToolDef(made).info == before
    assert (
        ToolDef(tool_with(made, parameters={"x": "New."}))
        .info.parameters.properties["x"]
        .description
        == "New."
    )


def test_made_again_by_name():
    """A tool says of which factory and arguments it was made, and an installed one is made again by name."""

    class Plugin:
        @hookimpl
        def wieldy_tools(self):
            return [adder]

    plugins = PluginManager()
    plugins.register(Plugin())
    name, arguments = adder(offset=3).factory
    again = plugins.tool(name, **arguments)
    assert again.factory == ("adder", {"offset": 3})


def test_schema_is_computed_once():
    """A tool's normal form is made once, whatever number of turns it is offered in."""
    made = adder()
    assert tool_def(made) is tool_def(made)
    assert tool_def(made).info.spec is tool_def(made).info.spec


def test_factory_that_returns_no_tool():
    """A factory that returns no function is an error that names it."""

    @tool
    def broken() -> Tool:
        return 3

    with pytest.raises(ToolDefinitionError, match="the factory 'broken' must return a tool"):
        broken()


def plain(x: int) -> int:
    """Returns."""
    return x


async def stream():
    """Streams."""
    yield 1


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (plain, "make a tool of it with `async def`"),
        (stream, "must return its result, not yield it"),
        (functools.partial(add, y=1), "@tool stands on a function"),
        (adder, "got another @tool"),
        (Account, "@tool stands on a function"),
        ("name", "@tool stands on a function"),
    ],
)
def test_decorator_on_something_else(thing, message):
    """`@tool` on what can be neither a tool nor a factory is refused at once, before a model calls it."""
    with pytest.raises(ToolDefinitionError, match=message):
        tool(thing)


def test_factory_that_was_not_called():
    """A factory in the place of a tool is refused, with what to do."""
    with pytest.raises(ToolDefinitionError, match="'adder' is a factory: call it"):
        ToolDef(adder)


@pytest.mark.parametrize(
    "settings",
    [
        {"timeout": 0},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"timeout": "5"},
        {"max_output": "x"},
    ],
)
def test_settings_are_checked(settings):
    """A time or a limit that makes no sense is refused where it is written."""
    with pytest.raises(ToolDefinitionError, match="must be"):
        tool(**settings)


@pytest.mark.parametrize("thing", [3, "text", None])
def test_not_callable(thing):
    """What cannot be called is no tool."""
    with pytest.raises(ToolDefinitionError, match="something that can be called"):
        ToolDef(thing)


@dataclass
class Callback:
    when: int
    then: Callable[[], None]


@dataclass
class Lazy:
    numbers: Iterable[int]


@pytest.mark.parametrize(
    ("annotation", "path"),
    [
        (type[int], "a"),
        (Callable, "a"),
        (Callback, "a.then"),
        (list[Callback], "a.then"),
        (dict[str, Lazy] | None, "a.numbers"),
    ],
)
def test_type_that_json_cannot_give(annotation, path):
    """A type that no JSON value can be read as is refused when the tool is defined, with the path to it."""

    async def probe(a): ...

    probe.__annotations__ = {"a": annotation}
    probe.__doc__ = "Probes.\n\nArgs:\n    a: The value."
    with pytest.raises(ToolDefinitionError, match=f"parameter '{path}' of tool 'probe' has a type"):
        ToolDef(probe)


async def test_iterable_is_read_at_once():
    """An iterable is a list that is read before the tool runs."""

    async def total(numbers: Iterable[int]) -> int:
        """Adds up.

        Args:
            numbers: The numbers.
        """
        return sum(numbers)

    assert await call(total, numbers=[1, 2]) == 3


async def test_default_factories():
    """A default that is made anew is made for each call."""

    async def gather(
        item: int,
        into: Annotated[list[int], Field(description="Where to.")] = Field(default_factory=list),
    ):
        """Gathers.

        Args:
            item: What.
        """
        into.append(item)
        return into

    assert [await call(gather, item=1), await call(gather, item=2)] == [[1], [2]]


@dataclass
class Node:
    children: "list[Node]"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_simple_tool_in_every_dialect(provider):
    """A tool of plain parameters loses nothing anywhere."""
    seen = rendition(ToolDef(add).info, provider)
    assert seen.lost == ()
    assert seen.tool.get("function", seen.tool)["name"] == "add"


def test_losses_are_reported():
    """What a provider cannot be told is named with its path: here a type that refers to itself, and mixed values."""

    async def grow(root: Node, level: Annotated[int, Field(multiple_of=2)] = 2):
        """Grows.

        Args:
            root: Where.
            level: How far.
        """

    assert rendition(ToolDef(grow).info, "anthropic").lost == ()
    assert rendition(ToolDef(grow).info, "google").lost == (
        "root.children[]: $ref Node, which refers to itself",
        "level: multipleOf",
    )


def test_tuple_for_a_provider_that_needs_items():
    """A fixed tuple says what its items are, where a provider refuses an array that does not."""

    async def place(at: tuple[int, str]):
        """Places.

        Args:
            at: Where.
        """

    schema = rendition(ToolDef(place).info, "openai").tool["function"]["parameters"]
    assert schema["properties"]["at"]["items"] == {
        "anyOf": [{"type": "integer"}, {"type": "string"}]
    }
