"""Puts types that pydantic can read in the place of equal ones that it cannot, wherever they stand.

- Before Python 3.12, `typing.TypedDict` loses which keys are required when annotations are postponed, and
  pydantic refuses such a class: an equal class from typing_extensions is read.
- Of an Iterable and its kin pydantic makes a lazy generator, which would fail inside the tool, or nothing at
  all: a list is read.
"""

import collections.abc
import sys
import types
import typing
from functools import reduce
from operator import or_
from typing import Any

import typing_extensions

_LISTS = frozenset(
    {
        collections.abc.Iterable,
        collections.abc.Iterator,
        collections.abc.Collection,
        collections.abc.Container,
        collections.abc.Reversible,
    }
)


def readable(annotation: Any) -> Any:
    """Returns an annotation that pydantic can read as what the given one says."""
    return _replaced(annotation, {})


def _replaced(annotation: Any, done: dict[Any, Any]) -> Any:
    if _is_old_typed_dict(annotation):
        return done[annotation] if annotation in done else _equal_class(annotation, done)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if not arguments or origin in {typing.Literal, typing_extensions.Literal}:
        return list if annotation in _LISTS or origin in _LISTS else annotation
    if origin is typing.Annotated:
        inner, *metadata = arguments
        return typing.Annotated[(_replaced(inner, done), *metadata)]
    replaced = tuple(_replaced_argument(each, done) for each in arguments)
    same = all(old is new for old, new in zip(arguments, replaced, strict=True))
    if same and origin not in _LISTS:
        return annotation
    return _with_arguments(annotation, replaced)


def _with_arguments(annotation: Any, arguments: tuple[Any, ...]) -> Any:
    origin = typing.get_origin(annotation)
    if origin in _LISTS:
        return types.GenericAlias(list, arguments)
    if isinstance(annotation, types.UnionType):
        return reduce(or_, arguments)
    if isinstance(annotation, types.GenericAlias):
        return types.GenericAlias(origin, arguments)
    return annotation.copy_with(arguments)


def _replaced_argument(argument: Any, done: dict[Any, Any]) -> Any:
    # The parameters of a Callable are a list.
    return argument if isinstance(argument, list) else _replaced(argument, done)


def _is_old_typed_dict(annotation: Any) -> bool:
    return (
        sys.version_info < (3, 12)
        and type(annotation).__module__ == "typing"
        and typing.is_typeddict(annotation)
    )


def _equal_class(original: Any, done: dict[Any, Any]) -> Any:
    done[original] = original.__name__  # a class that refers to itself does so by name
    hints = typing_extensions.get_type_hints(original, include_extras=True)
    fields = {name: _field(original, name, hint, done) for name, hint in hints.items()}
    make: Any = typing_extensions.TypedDict  # mypy wants the fields written out
    equal = make(original.__name__, fields)
    equal.__doc__ = original.__doc__
    equal.__module__ = original.__module__
    if hasattr(original, "__pydantic_config__"):
        equal.__pydantic_config__ = original.__pydantic_config__
    done[original] = equal
    return equal


def _field(original: Any, name: str, hint: Any, done: dict[Any, Any]) -> Any:
    if typing.get_origin(hint) in {typing.Required, typing.NotRequired}:
        return _replaced(hint, done)
    required = name in original.__required_keys__
    inner = _replaced(hint, done)
    return typing_extensions.Required[inner] if required else typing_extensions.NotRequired[inner]
