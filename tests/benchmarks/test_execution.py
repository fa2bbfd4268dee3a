"""What a tool call costs, from the model's text to the answer, next to a bare call of the function."""

import asyncio
import json
import tracemalloc

import pytest

from wieldy import ChatMessageAssistant, ToolCall, ToolDef, execute_tools

TEXT = '{"x": 1, "y": 2}'


async def add(x: int, y: int) -> int:
    """Adds.

    Args:
        x: One.
        y: Two.
    """
    return x + y


async def bare(text):
    return await add(**json.loads(text))


def turn(calls):
    return [
        ChatMessageAssistant(
            tool_calls=[ToolCall(id=str(place), function="add", raw=TEXT) for place in range(calls)]
        )
    ]


@pytest.fixture
def loop():
    """One asyncio loop for all rounds, so that starting it is not measured."""
    with asyncio.Runner() as runner:
        yield runner.run


def in_loop(loop, make, repeat):
    """A function that awaits `make()` many times in one go of the loop."""

    async def many():
        for _ in range(repeat):
            await make()

    return lambda: loop(many())


def test_one_call(compare, loop):
    """One call costs at most 10 times the bare call."""
    tools = [ToolDef(add)]
    conversation = turn(1)
    variants = {
        "bare call": in_loop(loop, lambda: bare(TEXT), 100),
        "execute_tools": in_loop(loop, lambda: execute_tools(conversation, tools), 100),
    }
    result = compare("one call, per 100", variants, rounds=100)
    assert result.ratio("execute_tools") <= 10


def test_batch(compare, loop):
    """In a batch of 100 parallel calls each costs at most 4 times the bare call in a task of its own."""
    tools = [ToolDef(add, parallel=True)]
    conversation = turn(100)

    async def bare_batch():
        await asyncio.gather(*(bare(TEXT) for _ in range(100)))

    variants = {
        "bare batch of 100": in_loop(loop, bare_batch, 5),
        "execute_tools": in_loop(
            loop, lambda: execute_tools(conversation, tools, max_parallel=16), 5
        ),
    }
    result = compare("batch of 100 parallel calls, per 5", variants, rounds=60)
    assert result.ratio("execute_tools") <= 4


def test_offering_tools(compare):
    """Offering 50 tools costs at most 16 times the bare list of their 50 ready dicts."""
    tools = [ToolDef(add, name=f"add{place}") for place in range(50)]
    infos = [tool.info for tool in tools]
    ready = [info.model_dump() for info in infos]
    variants = {
        "bare list": lambda: list(ready),
        "specs of 50 tools": lambda: [info.spec for info in infos],
    }
    result = compare("50 tools, per generation", variants, rounds=200, repeat=100)
    assert result.ratio("specs of 50 tools") <= 16


def test_large_argument(compare, loop):
    """A text argument of 1 MB costs at most 3 times json.loads of it."""

    async def keep(text: str):
        """Keeps.

        Args:
            text: The text.
        """

    raw = json.dumps({"text": "lorem ipsum dolor\n" * 58_000})
    tools = [ToolDef(keep)]
    message = [ChatMessageAssistant(tool_calls=[ToolCall(id="1", function="keep", raw=raw)])]
    variants = {
        "json.loads": lambda: json.loads(raw),
        "execute_tools": lambda: loop(execute_tools(message, tools)),
    }
    assert compare("1 MB argument", variants, rounds=60).ratio("execute_tools") <= 3


@pytest.mark.parametrize("unit", ["0123456789abcdef", "01234567\N{CJK UNIFIED IDEOGRAPH-6F22}"])
def test_memory_of_a_large_result(loop, unit):
    """A result of 50 MB is cut with less than 60 MB of extra memory, whatever characters it has."""
    text = unit * (50 * 1024 * 1024 // len(unit.encode()))

    async def big() -> str:
        """Returns much."""
        return text

    message = [ChatMessageAssistant(tool_calls=[ToolCall(id="1", function="big")])]
    tools = [ToolDef(big)]
    tracemalloc.start()
    loop(execute_tools(message, tools))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\npeak for cutting 50 MB: {peak / 2**20:.1f} MiB")
    assert peak < 60 * 2**20
