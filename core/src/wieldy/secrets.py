"""Values that must not be shown: masked in what tools answer, and in every event and log.

They are registered for a block of code, and masked at two places alone: where a tool is answered, and where
an event is told. So the model, the record, the display, the log and spilled files all have the masked text.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .exceptions import ConfigError

MASK = "[secret]"
"""What stands in the place of a secret."""

SHORTEST = 4
"""How many characters a secret must have: a shorter one would be found everywhere."""


@dataclass(frozen=True, slots=True)
class _Secrets:
    forms: frozenset[str]
    pattern: re.Pattern[str]


_current: ContextVar[_Secrets | None] = ContextVar("wieldy_secrets", default=None)


@contextmanager
def use_secrets(values: Iterable[str]) -> Iterator[None]:
    """Masks values for a block of code, besides those that are masked already.

    A value is masked as it is, as it stands in JSON, and percent-encoded.

    Args:
        values: The secrets, each of at least 4 characters.

    Raises:
        ConfigError: A value is too short to be masked; the message does not show it.
    """
    outer = _current.get()
    forms = {form for value in values for form in _forms(value)} | (outer.forms if outer else set())
    token = _current.set(_Secrets(frozenset(forms), _pattern(forms)) if forms else None)
    try:
        yield
    finally:
        _current.reset(token)


def secrets_from_environment(names: Iterable[str]) -> list[str]:
    """Returns the values of environment variables that hold secrets; those that are not set are left out."""
    return [value for name in names if (value := os.environ.get(name))]


def masked(text: str) -> str:
    """Returns a text with every secret in it masked."""
    return masked_parts([text])[0] if masks() else text


def masked_parts(texts: Sequence[str]) -> list[str]:
    """Returns texts that follow each other with every secret masked, one that begins in one and ends in another too."""
    secrets = _current.get()
    if secrets is None:
        return list(texts)
    whole = "".join(texts)
    spans = _spans(secrets.pattern, whole)
    parts, start = [], 0
    for text in texts:
        parts.append(_masked_part(whole, start, start + len(text), spans))
        start += len(text)
    return parts


def masked_values(value: Any) -> Any:
    """Returns lists and dicts with every text in them masked; other values as they are."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked_values(key): masked_values(each) for key, each in value.items()}
    if isinstance(value, list):
        return [masked_values(each) for each in value]
    return value


def masks() -> bool:
    """Tells whether there is any secret to mask."""
    return _current.get() is not None


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Returns where secrets stand; those that overlap are one place."""
    spans: list[tuple[int, int]] = []
    for match in pattern.finditer(text):
        first, last = match.span(1)
        if spans and first < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return spans


def _masked_part(whole: str, start: int, end: int, spans: list[tuple[int, int]]) -> str:
    kept, at = [], start
    for first, last in spans:
        if last <= start or first >= end:
            continue
        kept.append(whole[at : max(first, at)])
        if first >= start:  # it is masked where it begins, and gone where it goes on
            kept.append(MASK)
        at = min(last, end)
    kept.append(whole[at:end])
    return "".join(kept)


def _pattern(forms: Iterable[str]) -> re.Pattern[str]:
    # The longest first: where one secret begins like another, nothing of the longer one is left over.
    # Looked for at every place, also inside of one that was found: secrets may overlap.
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))")


def _forms(value: str) -> set[str]:
    if len(value.strip()) < SHORTEST:
        msg = f"a secret must have at least {SHORTEST} characters to be masked, got one of {len(value)}"
        raise ConfigError(msg)
    # The value of a variable may end with a line end, which what shows it does not.
    return _spellings(value) | _spellings(value.strip())


def _spellings(value: str) -> set[str]:
    as_json = {json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    return {value, *as_json, quote(value, safe="")}
