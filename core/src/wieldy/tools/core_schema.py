"""What the schemas of pydantic-core say of how JSON is read."""

from collections.abc import Iterator
from typing import Any

_SKIPPED = frozenset({"metadata", "serialization", "config", "default"})
_UNREADABLE = frozenset({"is-instance", "is-subclass", "callable", "generator"})
_FIELDS = frozenset({"dataclass-field", "named-tuple-field"})
_UNHASHABLE = frozenset({"list", "dict", "set", "typed-dict"})


def parts(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every schema inside of a schema that JSON in strict mode can reach, with its path.

    Args:
        schema: A schema of pydantic-core.
        path: Where it stands: the names of parameters and fields, joined by dots.
    """
    kind = schema["type"]
    yield path, schema
    if kind == "tagged-union":  # its tags may be any words
        for each in schema["choices"].values():
            if isinstance(each, dict):
                yield from parts(each, path)
        return
    # Of schemas with a branch for each kind of input, the one for JSON in strict mode counts.
    only = {"json-or-python": "json_schema", "lax-or-strict": "strict_schema"}.get(kind)
    for key, value in schema.items():
        if key in _SKIPPED or (only and key != only):
            continue
        if key == "fields" and isinstance(value, dict):
            for name, each in value.items():
                yield from parts(each, f"{path}.{name}".lstrip("."))
        else:
            below = f"{path}.{schema['name']}" if kind in _FIELDS else path
            for each in _schemas(value):
                yield from parts(each, below)


def _schemas(value: Any) -> Iterator[dict[str, Any]]:
    for each in value if isinstance(value, list) else [value]:
        inner = each[0] if isinstance(each, tuple) else each  # a choice with a label
        if isinstance(inner, dict) and isinstance(inner.get("type"), str):
            yield inner


def not_from_json(schema: Any) -> Iterator[tuple[str, str]]:
    """Finds what no JSON value can satisfy, or what is read too late: its path, and what it is."""
    for path, part in parts(schema):
        kind = part["type"]
        if kind in _UNREADABLE:
            yield path, kind
        items = part.get("items_schema")
        if (
            kind in {"set", "frozenset"}
            and isinstance(items, dict)
            and items["type"] in _UNHASHABLE
        ):
            yield path, f"a set of {items['type']}"


def is_plain(schema: Any) -> bool:
    """Tells whether a schema reads Python values as it reads JSON.

    True only for what is known to: texts, numbers, bools, and new lists and dicts of them.
    """
    kind = schema["type"]
    if kind == "typed-dict":
        return all(is_plain(field["schema"]) for field in schema["fields"].values())
    if kind in {"list", "nullable"}:
        inner = schema.get("schema" if kind == "nullable" else "items_schema")
        return inner is not None and is_plain(inner)
    if kind == "dict":
        values = schema.get("values_schema")
        return _has_text_keys(schema) and values is not None and is_plain(values)
    if kind == "literal":
        return all(type(each) is str for each in schema["expected"])
    return kind in {"str", "int", "float", "bool", "none"}


def is_exact(schema: Any) -> bool:
    """Tells whether pydantic accepts no more than the JSON Schema that is published.

    Where it may (true for a literal 1, an object for a named tuple, keys that it drops), the published
    schema is asked too.
    """
    return not any(_is_loose(part) for _, part in parts(schema))


def is_bounded(schema: Any) -> bool:
    """Tells whether the work of reading grows with the value and no faster.

    It does not where the alternatives of a union lead back to the union: each level doubles the work.
    """
    return not any(
        part["type"] == "union" and any(each["type"] == "definition-ref" for _, each in parts(part))
        for _, part in parts(schema)
    )


def _is_loose(part: dict[str, Any]) -> bool:
    kind = part["type"]
    if kind == "literal":
        return not all(type(each) is str for each in part["expected"])
    if kind == "enum":
        return not all(type(each.value) is str for each in part["members"])
    if kind == "dict":
        return "keys_schema" in part and not _has_text_keys(part)
    if kind == "model":
        return part["cls"].model_config.get("extra") is None
    return kind in {"call", "arguments", "named-tuple"} or isinstance(
        part.get("validation_alias"), list
    )


def _has_text_keys(schema: dict[str, Any]) -> bool:
    return bool(schema.get("keys_schema") == {"type": "str"})
