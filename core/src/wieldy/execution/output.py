"""From what a tool returned to what a model reads."""

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from ..exceptions import SandboxError, ToolError
from ..messages import Content, ContentImage, ContentReasoning, ContentText, ToolCall
from ..plugins import current_plugins
from ..sandboxes import sandbox
from ..sandboxes.current import has_sandbox
from ..secrets import masked, masked_parts, masks

DEFAULT_MAX_OUTPUT = 16 * 1024
"""How many bytes of a result a model sees unless told otherwise."""

_LARGE = 1 << 64
_PIECE = 1 << 20

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
        return valid_text(result)
    if result is None:
        return ""
    # Writing a small number through JSON takes twenty times as long.
    if type(result) is int and abs(result) < _LARGE:
        return str(result)
    if isinstance(result, _CONTENT):
        return [_part(result)]
    if isinstance(result, Sequence) and any(isinstance(each, _CONTENT) for each in result):
        return [_part(each) for each in result]
    return _json(result)


def _part(value: object) -> Content:
    if isinstance(value, ContentText):
        return ContentText(text=valid_text(value.text))
    if isinstance(value, _CONTENT):
        return value
    return ContentText(text=valid_text(value) if isinstance(value, str) else _json(value))


def valid_text(text: str) -> str:
    """Returns a text as UTF-8 can carry it: half of a surrogate pair, as in undecodable file names, is spelled out."""
    if text.isascii():
        return str(text)
    try:
        for part in _pieces(text):
            part.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return str(text)


def _json(value: object) -> str:
    try:
        if not isinstance(value, BaseModel) and not dataclasses.is_dataclass(value):
            return valid_text(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        pass  # pydantic knows more types
    try:
        return to_json(value, inf_nan_mode="strings").decode()
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        msg = (
            f"the tool returned a {type(value).__name__}, which cannot be given to a model: {error}"
        )
        raise ToolError(msg) from error


def masked_content(content: str | list[Content]) -> str | list[Content]:
    """Returns content with registered secrets masked, one that is split over several parts too."""
    if isinstance(content, str):
        return masked(content)
    if not masks():
        return content
    texts = iter(masked_parts([part.text for part in content if isinstance(part, ContentText)]))
    return [_masked_part(part, texts) for part in content]


def _masked_part(part: Content, texts: Iterator[str]) -> Content:
    if isinstance(part, ContentText):
        return ContentText(text=next(texts))
    if isinstance(part, ContentReasoning):
        return part.model_copy(update={"reasoning": masked(part.reasoning)})
    return part.model_copy(update={"image": masked(part.image)})


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

    The whole of each text that is cut is kept in a file in the current sandbox, where there is one, and the
    notice in the text names it.

    Args:
        call: The call that was answered, for the plugins that may shorten in their own way.
        content: The whole content.
        limit: How many bytes, more than 0.
    """
    size = _total(content)
    if isinstance(content, str):
        return Rendered(await _cut(call, content, limit), size)
    sizes = [_size(part.text) for part in content if isinstance(part, ContentText)]
    share = _share(sizes, limit)
    parts: list[Content] = []
    for part in content:
        kept = part
        if isinstance(part, ContentText) and _size(part.text) > share:
            kept = ContentText(text=await _cut(call, part.text, share))
        parts.append(kept)
    return Rendered(parts, size)


def _share(sizes: Sequence[int], limit: int) -> int:
    """Returns how many bytes a text may have so that all have at most `limit`: short ones leave more to others."""
    left = limit
    for place, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return limit


async def _cut(call: ToolCall, text: str, limit: int) -> str:
    plugins = current_plugins()
    answer = await plugins.truncate_output(call, text, limit) if plugins is not None else None
    if answer is not None and _size(answer) <= limit:
        return answer
    whereabouts = await _spilled(text)
    return head_and_tail(text if answer is None else answer, limit, whereabouts)


async def _spilled(text: str) -> str:
    """Keeps a whole text in the sandbox; returns what the notice says of it."""
    if not has_sandbox():
        return ""
    box = sandbox()
    # Named after what is in it: no identifier that a model wrote, and no two texts in one file.
    data = text.encode(errors="surrogatepass")
    name = hashlib.sha256(data).hexdigest()[:12]
    path = box.scratch(f"output-{name}.txt")
    try:
        await box.write_file(path, data)
    except (OSError, SandboxError) as error:
        return f"; the whole could not be kept: {type(error).__name__}"
    return f"; the whole is in {path}"


def head_and_tail(text: str, limit: int, whereabouts: str = "") -> str:
    """Returns a text of at most `limit` bytes of UTF-8: its head, how much was left out, its tail.

    Characters stay whole. Where the limit is too small for the notice, only the head is kept.

    Args:
        text: The whole text.
        limit: How many bytes, the notice included.
        whereabouts: What the notice says of the whole text, where it fits.
    """
    size = _size(text)
    if size <= limit:
        return text
    # The notice is longest where everything is left out; what it needs is taken from both ends.
    room = limit - _size(_notice(size, whereabouts))
    if room <= 0 and whereabouts:
        return head_and_tail(text, limit)
    if room <= 0:
        return _head(text, limit)
    head, tail = _head(text, room - room // 2), _tail(text, room // 2)
    return f"{head}{_notice(size - _size(head) - _size(tail), whereabouts)}{tail}"


def _notice(left_out: int, whereabouts: str) -> str:
    return f"\n[... {left_out} bytes left out{whereabouts} ...]\n"


def _head(text: str, size: int) -> str:
    # A character has at least one byte: what is cut off here cannot be in the head.
    return text[:size].encode(errors="replace")[:size].decode(errors="ignore")


def _tail(text: str, size: int) -> str:
    if not size:
        return ""
    return text[max(0, len(text) - size) :].encode(errors="replace")[-size:].decode(errors="ignore")


def _total(content: str | list[Content]) -> int:
    if isinstance(content, str):
        return _size(content)
    return sum(_size(part.text) for part in content if isinstance(part, ContentText))


def _size(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(len(part.encode(errors="surrogatepass")) for part in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    # Encoding takes three times the size of what is encoded, for a while.
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
