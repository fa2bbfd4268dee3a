"""JSON Schema with a bound on the work: what a model wrote can make no check run for long.

Alternatives that nest in each other multiply, and a regular expression may backtrack without end; both would
hold up the event loop.
"""

import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from pydantic_core import SchemaError, SchemaValidator, core_schema
from pydantic_core import ValidationError as CoreValidationError
from referencing import Registry

_STEPS = 20_000
_STEPS_PER_CHARACTER = 10


class TooMuchWorkError(Exception):
    """The check was given up."""


_left: ContextVar[int] = ContextVar("wieldy_validation_steps", default=_STEPS)

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


def validator(schema: dict[str, Any], *, formats: bool) -> Any:
    """Returns a validator of JSON Schema 2020-12 that looks nothing up in the network.

    Args:
        schema: The schema.
        formats: Whether `format` is checked too.
    """
    checker = Draft202012Validator.FORMAT_CHECKER if formats else None
    return _Bounded(schema, registry=Registry(), format_checker=checker)


def allow_steps(size: int) -> None:
    """Sets how much work the next check may take.

    Args:
        size: How many characters the value has, written as JSON.
    """
    _left.set(_STEPS + _STEPS_PER_CHARACTER * size)


def references(schema: Any) -> Iterator[str]:
    """Yields every `$ref` in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for each in schema.values():
            yield from references(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from references(each)


def resolves(reference: str, schema: Any) -> bool:
    """Tells whether a reference leads to a place in the schema itself."""
    if not reference.startswith("#/"):
        return reference == "#"
    place = schema
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, dict) or key not in place:
            return False
        place = place[key]
    return True


def _counted(keyword: Keyword) -> Keyword:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        left = _left.get() - 1
        _left.set(left)
        if left < 0:
            raise TooMuchWorkError
        yield from keyword(validator, value, instance, schema) or ()

    return check


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _matches(pattern: str, text: str) -> bool:
    linear = _linear(pattern)
    if linear is None:
        return re.search(pattern, text) is not None
    try:
        linear.validate_python(text)
    except CoreValidationError:
        return False
    return True


@lru_cache(maxsize=256)
def _linear(pattern: str) -> SchemaValidator | None:
    """Returns what searches in linear time; None for a pattern that needs to look around."""
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return None


_Bounded: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {
        name: _counted(keyword)
        for name, keyword in {**Draft202012Validator.VALIDATORS, "pattern": _pattern}.items()
    },
)
