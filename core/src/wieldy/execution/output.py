"""From what a tool returned to what a model reads."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from ..exceptions import ToolError
from ..messages import Content, ContentImage, ContentReasoning, ContentText, ToolCall
from ..plugins import current_plugins

DEFAULT_MAX_OUTPUT = 16 * 1024
"""How many bytes of a result a model sees unless told otherwise."""

_CONTENT = (ContentText, ContentImage, ContentReasoning)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A result as a model reads it.

    Attributes:
        content: The text, or the parts.
        size: The size of its texts in bytes, before they were cut.
    """

    content: str | list[Content]
    size: int

    @classmethod
    def whole(cls, content: str | list[Content], limit: int) -> Self | None:
        """Returns content as it is, where it is within `limit` bytes (0 for all); else None."""
        size = _total(content)
        return cls(content, size) if not limit or size <= limit else None


def render(result: object) -> str | list[Content]:
    """Returns what a tool returned as text or content.

    Text stays as it is; None is empty; numbers and bools are written as in JSON; a dict, a dataclass, a
    pydantic model and a list of them become JSON; a list with content in it becomes content.

    Raises:
        ToolError: JSON cannot carry it.
    """
    if isinstance(result, str):
        return result
    if result is None:
        return ""
    if type(result) is int:
        return str(result)
    if isinstance(result, _CONTENT):
        return [result]
    if isinstance(result, Sequence) and any(isinstance(each, _CONTENT) for each in result):
        return [_part(each) for each in result]
    return _json(result)


def _part(value: object) -> Content:
    if isinstance(value, _CONTENT):
        return value
    return ContentText(text=value if isinstance(value, str) else _json(value))


def _json(value: object) -> str:
    if isinstance(value, BaseModel) or dataclasses.is_dataclass(value):
        return to_json(value).decode()
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        pass
    try:
        return to_json(value).decode()
    except (PydanticSerializationError, UnicodeError) as error:
        msg = (
            f"the tool returned a {type(value).__name__}, which cannot be given to a model: {error}"
        )
        raise ToolError(msg) from error


def output_limit(tool: int | None, caller: int | None) -> int:
    """Returns how many bytes of a result are shown: the smaller of both limits; 0 for all.

    Args:
        tool: The tool's own limit; 0 means that its results are never cut; None for no opinion.
        caller: The caller's limit; None for the default of 16 KiB.
    """
    if tool == 0:
        return 0
    limits = [limit for limit in (tool, caller) if limit]
    return min(limits) if limits else DEFAULT_MAX_OUTPUT if caller is None else caller


async def shortened(call: ToolCall, content: str | list[Content], limit: int) -> Rendered:
    """Returns content that is over a limit, shortened: its texts have at most `limit` bytes together.

    Args:
        call: The call that was answered, for the plugins that may shorten in their own way.
        content: The whole content.
        limit: How many bytes, more than 0.
    """
    size = _total(content)
    if isinstance(content, str):
        return Rendered(await _cut(call, content, limit), size)
    left = limit
    parts: list[Content] = []
    for part in content:
        kept = part
        if isinstance(part, ContentText):
            text = part.text if _size(part.text) <= left else await _cut(call, part.text, left)
            left -= _size(text)
            kept = ContentText(text=text)
        parts.append(kept)
    return Rendered(parts, size)


async def _cut(call: ToolCall, text: str, limit: int) -> str:
    plugins = current_plugins()
    if plugins is not None:
        text = await plugins.truncate_output(call, text, limit) or text
    return head_and_tail(text, limit)


def head_and_tail(text: str, limit: int) -> str:
    """Returns a text of at most `limit` bytes of UTF-8: its head, how much was left out, its tail.

    Characters stay whole. Where the limit is too small for the notice, only the head is kept.
    """
    data = text.encode("utf-8", errors="surrogatepass")
    if len(data) <= limit:
        return text
    # The notice is longest where everything is left out; what it needs is taken from both ends.
    room = limit - len(_notice(len(data)))
    if room <= 0:
        return data[:limit].decode("utf-8", errors="ignore")
    head = data[: room - room // 2].decode("utf-8", errors="ignore")
    tail = data[len(data) - room // 2 :].decode("utf-8", errors="ignore")
    left_out = len(data) - _size(head) - _size(tail)
    return f"{head}{_notice(left_out)}{tail}"


def _notice(left_out: int) -> str:
    return f"\n[... {left_out} bytes left out ...]\n"


def _total(content: str | list[Content]) -> int:
    if isinstance(content, str):
        return _size(content)
    return sum(_size(part.text) for part in content if isinstance(part, ContentText))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", errors="surrogatepass"))
