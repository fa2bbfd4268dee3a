"""A tool as each provider wants it written, and what is lost on the way.

One place for all providers: what a dialect cannot say is reported, never dropped in silence. Where nothing
is reported, the provider's schema accepts exactly what the tool's own schema accepts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .tool_info import ToolInfo

Schema: TypeAlias = dict[str, Any]

_MAPS = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SINGLE = frozenset({"items", "additionalProperties", "not", "contains", "propertyNames"})


@dataclass(frozen=True, slots=True)
class Rendition:
    """A tool as one provider sees it.

    Attributes:
        tool: What is sent to the provider.
        lost: What the provider cannot be told, each with its path: "a.b: prefixItems".
    """

    tool: dict[str, Any]
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How one provider wants schemas written.

    Attributes:
        wrap: Puts name, description and schema into what is sent.
        keywords: The keywords that are understood; None for all of JSON Schema.
        items_needed: Whether every array must say what its items are.
        references: Whether `$ref` is understood.
    """

    wrap: Callable[[str, str, Schema], dict[str, Any]]
    keywords: frozenset[str] | None = None
    items_needed: bool = False
    references: bool = True


def _anthropic(name: str, description: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": schema}


def _openai(name: str, description: str, schema: Schema) -> dict[str, Any]:
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def _google(name: str, description: str, schema: Schema) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": schema}


_DIALECTS: Mapping[str, _Dialect] = {
    # JSON Schema 2020-12 as it is (Anthropic: "Tool use", input_schema).
    "anthropic": _Dialect(_anthropic),
    # JSON Schema, but an array without `items` is refused (OpenAI: "Function calling").
    "openai": _Dialect(_openai, items_needed=True),
    # A part of OpenAPI 3.0 (Google: "Schema" of the Gemini API).
    "google": _Dialect(
        _google,
        keywords=frozenset(
            {
                *(
                    "type",
                    "format",
                    "description",
                    "nullable",
                    "enum",
                    "items",
                    "minItems",
                    "maxItems",
                ),
                *(
                    "properties",
                    "required",
                    "anyOf",
                    "minimum",
                    "maximum",
                    "minLength",
                    "maxLength",
                ),
                *("pattern", "default"),
            }
        ),
        items_needed=True,
        references=False,
    ),
}

PROVIDERS = tuple(_DIALECTS)
"""The providers whose dialects are known."""


def rendition(info: ToolInfo, provider: str) -> Rendition:
    """Returns a tool as a provider wants it written.

    Args:
        info: The tool.
        provider: One of `PROVIDERS`.
    """
    dialect = _DIALECTS[provider]
    parameters = info.parameters.model_dump()
    writer = _Writer(dialect, parameters.get("$defs", {}))
    schema = writer.object(parameters)
    return Rendition(dialect.wrap(info.name, info.description, schema), tuple(writer.lost))


@dataclass(slots=True)
class _Writer:
    """Writes one schema in a dialect, and notes what is lost."""

    dialect: _Dialect
    definitions: Mapping[str, Any]
    lost: list[str] = field(default_factory=list)

    def object(self, parameters: Schema) -> Schema:
        """Writes the schema of all parameters, which every provider takes for closed."""
        rest = {key: value for key, value in parameters.items() if key != "additionalProperties"}
        written: Schema = self._schema(rest, "", ())
        if self._knows("additionalProperties"):
            written["additionalProperties"] = parameters["additionalProperties"]
        elif parameters["additionalProperties"] is not False:
            self.lost.append("parameters: additionalProperties")
        return written

    def _schema(self, schema: Any, path: str, inside: tuple[str, ...]) -> Any:
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema and not self.dialect.references:
            return self._resolved(schema, path, inside)
        written: Schema = {}
        for key, value in self._translated(schema).items():
            if self._knows(key) and not (key == "enum" and self._is_mixed(value)):
                written[key] = self._value(key, value, path, inside)
            elif key != "$defs" and (key, value) != ("additionalProperties", False):
                # A closed object may go unsaid: what comes back is checked anyway.
                self.lost.append(f"{path or 'parameters'}: {key}")
        return written

    def _value(self, key: str, value: Any, path: str, inside: tuple[str, ...]) -> Any:
        if key in _MAPS:
            base = "" if key == "$defs" else path
            return {
                name: self._schema(each, f"{base}.{name}".lstrip("."), inside)
                for name, each in value.items()
            }
        if key in _LISTS:
            return [self._schema(each, path, inside) for each in value]
        if key in _SINGLE:
            return self._schema(value, f"{path}[]" if key == "items" else path, inside)
        return value

    def _translated(self, schema: Schema) -> Schema:
        """Returns a schema in the words of the dialect, where it has words for the same."""
        translated = dict(schema)
        if "const" in translated and not self._knows("const"):
            translated["enum"] = [translated.pop("const")]
        is_array = translated.get("type") == "array" or "prefixItems" in translated
        if self.dialect.items_needed and is_array and "items" not in translated:
            # Where the length is fixed, no item is left that this would allow or forbid.
            fixed = translated.get("maxItems") == len(translated.get("prefixItems", ()))
            alternatives = translated.get("prefixItems", [])
            translated["items"] = {"anyOf": alternatives} if fixed and alternatives else {}
        return translated

    def _resolved(self, schema: Schema, path: str, inside: tuple[str, ...]) -> Any:
        name = schema["$ref"].rpartition("/")[2]
        if name in inside or name not in self.definitions:
            self.lost.append(f"{path or 'parameters'}: $ref {name}, which refers to itself")
            return {"type": "object"}
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return self._schema({**self.definitions[name], **rest}, path, (*inside, name))

    def _is_mixed(self, values: list[Any]) -> bool:
        """Tells whether an enum holds other than texts where the dialect has only texts."""
        return self.dialect.keywords is not None and not all(isinstance(v, str) for v in values)

    def _knows(self, key: str) -> bool:
        return self.dialect.keywords is None or key in self.dialect.keywords
