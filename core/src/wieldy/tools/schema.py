"""From the signature of a Python function to the schema of its arguments, and to what reads them.

Schema and reading come from one source: a closed TypedDict made of the function's parameters, given to
pydantic. So what the schema accepts is what the function gets, built.
"""

import functools
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import typing_extensions
from pydantic import ConfigDict, PydanticUserError, TypeAdapter, with_config
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import (
    PydanticSerializationError,
    SchemaError,
    SchemaValidator,
    to_jsonable_python,
)

from ..exceptions import ToolDefinitionError
from .core_schema import is_bounded, is_exact, is_plain, not_from_json
from .docstring import Documentation, read_docstring
from .readable import readable

_NOTHING = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class FunctionSchema:
    """What is read off a function.

    Attributes:
        description: The description from the docstring; may be empty.
        parameters: The JSON Schema of its arguments: a closed object.
        validator: Reads JSON arguments strictly and builds the objects that the function takes.
        alone: Whether the validator may decide without the JSON Schema: it accepts no more, and its work is
            bounded.
        plain: Whether the arguments are JSON's own types alone, so that the validator gives the same for
            Python values as for JSON text.
        defaults: Values that must be passed where the model gives none, made anew for each call.
    """

    description: str
    parameters: dict[str, Any]
    validator: SchemaValidator
    alone: bool
    plain: bool
    defaults: Mapping[str, Callable[[], Any]]


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    annotation: Any
    default: Any
    factory: Callable[[], Any] | None = None

    @property
    def required(self) -> bool:
        return self.default is _NOTHING and self.factory is None


def function_schema(
    function: Callable[..., Any], name: str, namespace: Mapping[str, Any] | None = None
) -> FunctionSchema:
    """Reads the schema off a function, a method, a callable object or a partial.

    Args:
        function: What is to be called.
        name: The tool's name, for errors.
        namespace: Where annotations written as text are looked up besides the function's own module.

    Raises:
        ToolDefinitionError: A parameter has no annotation, or a type that cannot be read from JSON.
    """
    documentation = _documentation(function)
    parameters = _parameters(function, name, namespace)
    adapter = _adapter(parameters, name)
    schema = _json_schema(adapter, parameters, name)
    _describe(schema, documentation)
    validator = adapter.validator
    if not isinstance(validator, SchemaValidator):  # a plugin of pydantic wraps it
        validator = SchemaValidator(adapter.core_schema)
    return FunctionSchema(
        description=documentation.description,
        parameters=schema,
        validator=validator,
        alone=is_exact(adapter.core_schema) and is_bounded(adapter.core_schema),
        plain=is_plain(adapter.core_schema),
        defaults={each.name: each.factory for each in parameters if each.factory is not None},
    )


# -- the signature ----------------------------------------------------------------------------------


def _parameters(
    function: Callable[..., Any], tool: str, namespace: Mapping[str, Any] | None
) -> list[_Parameter]:
    hints = _hints(function, tool, namespace)
    bound = _bound_keywords(function)
    found = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in bound:
            continue
        if parameter.kind not in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            msg = (
                f"parameter {parameter} of tool {tool!r} cannot be given by name: declare each parameter, "
                "or pass `parameters=` with a schema to ToolDef"
            )
            raise ToolDefinitionError(msg)
        if parameter.name not in hints:
            msg = f"parameter {parameter.name!r} of tool {tool!r} has no type annotation"
            raise ToolDefinitionError(msg)
        found.append(_parameter(parameter, readable(hints[parameter.name]), tool))
    return found


def _parameter(parameter: inspect.Parameter, annotation: Any, tool: str) -> _Parameter:
    default = parameter.default
    fields = [
        each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, FieldInfo)
    ]
    if isinstance(default, FieldInfo):
        fields.append(default)
    for each in fields:
        if each.alias is not None or each.validation_alias is not None:
            msg = f"parameter {parameter.name!r} of tool {tool!r} has an alias: give the parameter that name"
            raise ToolDefinitionError(msg)
        if each.default_factory_takes_validated_data:
            msg = f"the default of parameter {parameter.name!r} of tool {tool!r} must need no other argument"
            raise ToolDefinitionError(msg)
        if each is not default and not each.is_required():
            msg = f"give the default of parameter {parameter.name!r} of tool {tool!r} in the signature"
            raise ToolDefinitionError(msg)
    if not isinstance(default, FieldInfo):
        return _Parameter(parameter.name, annotation, default)
    annotation = typing.Annotated[annotation, default]
    if default.is_required():
        return _Parameter(parameter.name, annotation, _NOTHING)
    value = default.get_default(call_default_factory=False)
    factory = functools.partial(default.get_default, call_default_factory=True)
    return _Parameter(parameter.name, annotation, _NOTHING if value is None else value, factory)


def _bound_keywords(function: Callable[..., Any]) -> set[str]:
    bound: set[str] = set()
    while isinstance(function, functools.partial):
        bound |= set(function.keywords)
        function = function.func
    return bound


def _hints(
    function: Callable[..., Any], tool: str, namespace: Mapping[str, Any] | None
) -> dict[str, Any]:
    target = underlying(function)
    # What is local around the decorator belongs to functions that are defined there, and to no others.
    is_local = "<locals>" in getattr(target, "__qualname__", "")
    names = {**((namespace or {}) if is_local else {}), **_closure(target)}
    try:
        return typing_extensions.get_type_hints(target, localns=names, include_extras=True)
    except NameError as error:
        msg = (
            f"an annotation of tool {tool!r} cannot be resolved: {error}. Define the type at the top of the "
            "module, or leave out `from __future__ import annotations`"
        )
        raise ToolDefinitionError(msg) from error
    except TypeError as error:
        msg = f"the annotations of tool {tool!r} cannot be read: {error}"
        raise ToolDefinitionError(msg) from error


def _closure(function: Any) -> Mapping[str, Any]:
    try:
        return inspect.getclosurevars(function).nonlocals
    except (TypeError, ValueError):
        return {}


def underlying(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function whose body runs: behind partials, wrappers, methods and `__call__`."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif inspect.ismethod(function):
            function = function.__func__
        elif not inspect.isroutine(function) and hasattr(type(function), "__call__"):  # noqa: B004
            function = type(function).__call__
        else:
            return function


def _documentation(function: Callable[..., Any]) -> Documentation:
    target = underlying(function)
    documentation = read_docstring(target.__doc__)
    if documentation.description or isinstance(function, functools.partial):
        return documentation
    # A callable object may be described on its class and its parameters on `__call__`.
    outer = read_docstring(inspect.getdoc(function))
    return Documentation(outer.description, documentation.parameters)


# -- the schema -------------------------------------------------------------------------------------


def _adapter(parameters: list[_Parameter], tool: str) -> TypeAdapter[dict[str, Any]]:
    try:
        adapter = _typed_dict_adapter(parameters)
        unreadable = list(not_from_json(adapter.core_schema))
        if not unreadable:
            adapter.json_schema(schema_generator=_Schema)
    except _UNREADABLE as error:
        for parameter in parameters:
            _refuse_unreadable(parameter, tool)
        msg = f"the parameters of tool {tool!r} cannot be read from JSON: {_first_line(error)}"
        raise ToolDefinitionError(msg) from error
    for path, kind in unreadable:
        msg = (
            f"parameter {path!r} of tool {tool!r} has a type that cannot be read from JSON ({kind})"
        )
        raise ToolDefinitionError(msg)
    return adapter


_UNREADABLE = (
    *(PydanticUserError, PydanticInvalidForJsonSchema, SchemaError),
    *(TypeError, NameError, ValueError, KeyError),
)


def _typed_dict_adapter(parameters: list[_Parameter]) -> TypeAdapter[dict[str, Any]]:
    fields = {
        each.name: each.annotation
        if each.required
        else typing_extensions.NotRequired[each.annotation]
        for each in parameters
    }
    make: Any = typing_extensions.TypedDict  # mypy wants the fields written out
    arguments = make("Arguments", fields)
    closed: Any = with_config(ConfigDict(extra="forbid", allow_inf_nan=False))(arguments)
    return TypeAdapter(closed)


def _refuse_unreadable(parameter: _Parameter, tool: str) -> None:
    try:
        _typed_dict_adapter([parameter]).json_schema(schema_generator=_Schema)
    except _UNREADABLE as error:
        msg = (
            f"parameter {parameter.name!r} of tool {tool!r} has a type that cannot be read from JSON: "
            f"{_first_line(error)}"
        )
        raise ToolDefinitionError(msg) from error


class _Schema(GenerateJsonSchema):
    """As pydantic's, where that says exactly what is read."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def set_schema(self, schema: Any) -> dict[str, Any]:
        """A set may be written with an element twice: the second one says nothing new."""
        return _without(super().set_schema(schema), "uniqueItems")

    def frozenset_schema(self, schema: Any) -> dict[str, Any]:
        """As for a set."""
        return _without(super().frozenset_schema(schema), "uniqueItems")

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """The names of an object are texts; what they must look like is said for every kind of key."""
        written = _without(super().dict_schema(schema), "patternProperties", "propertyNames")
        if "values_schema" in schema and schema["values_schema"] != {"type": "any"}:
            written["additionalProperties"] = self.generate_inner(schema["values_schema"])
        if "keys_schema" in schema:
            keys = self.generate_inner(schema["keys_schema"])
            names = _KEYS.get(str(keys.get("type")), keys)
            if names.get("type", "string") != "string":
                return self.handle_invalid_for_json_schema(schema, "keys that are no text")
            if names not in ({}, {"type": "string"}):
                written["propertyNames"] = names
        return written

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """A model that says nothing of other keys is closed: a misspelled one would be dropped in silence."""
        written: dict[str, Any] = super().model_schema(schema)
        if schema["cls"].model_config.get("extra") is None and written.get("type") == "object":
            written["additionalProperties"] = False
        return written

    def dataclass_args_schema(self, schema: Any) -> dict[str, Any]:
        """A field that is not for the constructor cannot be given."""
        fields = [field for field in schema["fields"] if field.get("init", True)]
        given: Any = {**schema, "fields": fields}
        written: dict[str, Any] = super().dataclass_args_schema(given)
        return written


_KEYS: dict[str, dict[str, Any]] = {
    "integer": {"pattern": "^-?(0|[1-9][0-9]*)$"},
    "number": {"pattern": "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"},
    "boolean": {"enum": ["true", "false"]},
}
"""What the name of a member must look like to be read as another type than text."""


def _without(schema: dict[str, Any], *keywords: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keywords}


def _json_schema(
    adapter: TypeAdapter[dict[str, Any]], parameters: list[_Parameter], tool: str
) -> dict[str, Any]:
    generated = adapter.json_schema(schema_generator=_Schema)
    if "$ref" in generated:  # a parameter refers to the arguments themselves: never for a function
        msg = f"the parameters of tool {tool!r} refer to themselves"
        raise ToolDefinitionError(msg)
    untitled = _without_titles(generated)
    properties = untitled.get("properties", {})
    for parameter in parameters:
        _set_default(properties[parameter.name], parameter)
    schema = {
        "type": "object",
        "properties": properties,
        "required": [each.name for each in parameters if each.required],
        "additionalProperties": False,
    }
    if "$defs" in untitled:
        schema["$defs"] = untitled["$defs"]
    return schema


def _set_default(schema: dict[str, Any], parameter: _Parameter) -> None:
    if parameter.default is _NOTHING:
        return
    schema.pop("default", None)
    try:
        default = to_jsonable_python(parameter.default)
        json.dumps(default, allow_nan=False)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError):
        return  # a value that JSON cannot carry is still used; the model is told that it may leave it out
    schema["default"] = default


_MAPS = ("properties", "$defs", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "contains", "propertyNames")


def _without_titles(schema: Any) -> Any:
    """Returns a schema without the titles that pydantic derives from names: they say nothing new."""
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title":
            continue
        if key in _MAPS:
            result[key] = {name: _without_titles(each) for name, each in value.items()}
        elif key in _LISTS:
            result[key] = [_without_titles(each) for each in value]
        else:
            result[key] = _without_titles(value) if key in _SINGLE else value
    return result


def _describe(schema: dict[str, Any], documentation: Documentation) -> None:
    for name, parameter in schema["properties"].items():
        text = documentation.parameters.get(name)
        if text and "description" not in parameter:
            parameter["description"] = text


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
