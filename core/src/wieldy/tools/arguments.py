"""From the text that a model wrote to the arguments of a function.

Three steps: `parse_arguments` reads the text as one JSON object, `repaired` lands what a model meant
where that is safe, and `ArgumentReader` builds what the function takes, or tells the model what is wrong.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cached_property
from itertools import islice
from typing import Any, NoReturn

from pydantic_core import PydanticSerializationError, SchemaValidator, ValidationError, to_json

from ..exceptions import ToolParsingError, nearest
from ..secrets import masked_values
from .bounded import TooMuchWorkError, allow_steps, validator

MAX_ARGUMENTS = 16 * 1024 * 1024
"""How many characters of arguments are read; more is answered with an error."""

_SHOWN = 60
"""How many characters of a value an error shows."""

_SHOWN_REASON = 300

_MOST_PROBLEMS = 20
"""How many problems one error lists."""


# -- from text to JSON ------------------------------------------------------------------------------


def parse_arguments(text: str, only_text: str | None = None) -> dict[str, Any]:
    """Reads the text of a model as the arguments of a call.

    Args:
        text: What the model wrote: a JSON object. Nothing, and `null`, are no arguments.
        only_text: The name of the tool's parameter where it has exactly one and that is a required
            text: what is no JSON is then bound to it as it stands.

    Raises:
        ToolParsingError: It is not a JSON object; the message says what is wrong and where. The same
            for what strict JSON does not have: NaN, Infinity, a name given twice, half a surrogate pair.
    """
    if not text or text.isspace():
        return {}
    if len(text) > MAX_ARGUMENTS:
        msg = f"the arguments have {len(text)} characters, more than the {MAX_ARGUMENTS} that are read"
        raise ToolParsingError(msg)
    try:
        value = _value(text)
    except json.JSONDecodeError as error:
        if only_text is not None and not text.lstrip().startswith(("{", "[", '"', "```")):
            return {only_text: text}
        msg = f"the arguments are not valid JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise ToolParsingError(msg) from error
    if value is None:
        return {}
    if only_text is not None and isinstance(value, int | float):  # bools, too: words like any other
        return {only_text: text}
    if not isinstance(value, dict):
        msg = f"the arguments must be a JSON object, got {_kind(value)}"
        raise ToolParsingError(msg)
    if "\\u" in text:
        _refuse_surrogates(value)
    return value


def _value(text: str) -> Any:
    try:
        return _loads(text)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        msg = "the arguments are nested too deeply"
        raise ToolParsingError(msg) from error
    except ValueError as error:
        msg = "the arguments hold a number of more digits than are read"
        raise ToolParsingError(msg) from error


_FENCE = re.compile(r"\s*```[a-z]*\s*\n(.*?)\s*```\s*", re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n\ufeff]*")


def _loads(text: str) -> Any:
    if "```" in text[:100] and (fenced := _FENCE.fullmatch(text)):
        text = fenced[1]
    start = _BLANK.match(text)
    value, end = _decoder.raw_decode(text, start.end() if start else 0)
    if text[end:].strip("\"'`\r\n\t "):
        msg = "Extra data"
        raise json.JSONDecodeError(msg, text, end)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        msg = f"the arguments give {_short(twice)} twice"
        raise ToolParsingError(msg)
    return found


def _constant(name: str) -> NoReturn:
    msg = f"the arguments hold {name}, which JSON does not have"
    raise ToolParsingError(msg)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        msg = f"the arguments hold {text[:_SHOWN]}, which is too large for a number"
        raise ToolParsingError(msg)
    return number


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, strict=False
)


def _refuse_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        msg = f"the arguments hold half of a surrogate pair: {error.reason}"
        raise ToolParsingError(msg) from error


# -- from JSON to what the function takes -----------------------------------------------------------


class ArgumentReader:
    """Reads the arguments of one tool.

    Args:
        tool: The name of the tool, for messages.
        schema: The JSON Schema of its arguments.
        validator: Builds the function's arguments; None where the schema did not come from Python,
            and JSON Schema alone decides.
        plain: Whether the validator gives the same for Python values as for JSON text.
        alone: Whether the validator may decide alone; else the schema is asked before it.
    """

    def __init__(
        self,
        tool: str,
        schema: dict[str, Any],
        validator: SchemaValidator | None = None,
        *,
        plain: bool = False,
        alone: bool = True,
    ) -> None:
        self._tool = tool
        self._schema = schema
        self._validator = validator
        self._plain = plain
        self._alone = alone

    @cached_property
    def only_text(self) -> str | None:
        """The name of the one parameter, where there is exactly one and it is a required text."""
        properties = self._schema.get("properties", {})
        if len(properties) != 1 or self._schema.get("required") != list(properties):
            return None
        (name,) = properties
        return name if properties[name].get("type") == "string" else None

    @cached_property
    def _explainer(self) -> Any:
        return validator(self._schema, formats=True)

    @cached_property
    def _judge(self) -> Any:
        return validator(self._schema, formats=False)

    def read(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Checks arguments and builds what the function takes.

        Args:
            arguments: A JSON object.

        Returns:
            The arguments as JSON, repaired where needed, and the keywords to call the function with.

        Raises:
            ToolParsingError: They do not fit; the message lists what is wrong, the first 20 problems.
        """
        try:
            return self._read(arguments)
        except ToolParsingError:
            raise
        except RecursionError as error:
            msg = f"the arguments of {self._tool} are nested too deeply"
            raise ToolParsingError(msg) from error
        except TooMuchWorkError as error:
            msg = f"the arguments of {self._tool} are too large to be checked"
            raise ToolParsingError(msg) from error
        except Exception as error:  # a validator or a constructor may raise anything
            reason = f"{type(error).__name__}: {error}"
            msg = f"the arguments of {self._tool} cannot be built: {reason[:_SHOWN_REASON]}"
            raise ToolParsingError(msg) from error

    def _read(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._validator is None:
            mended = self._mended(arguments)
            if problems := self._problems(mended):
                raise ToolParsingError(_message(self._tool, problems))
            return mended, deepcopy(mended)
        if not self._alone:
            arguments = self._mended(arguments)
            self._ask_schema(arguments)
        try:
            return arguments, self._built(self._validator, arguments)
        except ValidationError:
            mended = self._mended(arguments)
        try:
            return mended, self._built(self._validator, mended)
        except ValidationError as error:
            raise ToolParsingError(self._explained(mended, error)) from None

    def _built(self, validator: SchemaValidator, arguments: dict[str, Any]) -> dict[str, Any]:
        built: dict[str, Any]
        if self._plain:
            built = validator.validate_python(arguments, strict=True)
            return built
        built = validator.validate_json(self._written(arguments), strict=True)
        return built

    def _ask_schema(self, arguments: dict[str, Any]) -> None:
        """Refuses what the published schema does not accept; formats are left to the validator."""
        allow_steps(len(self._written(arguments)))
        if not self._judge.is_valid(arguments):
            raise ToolParsingError(_message(self._tool, self._problems(arguments)))

    def _written(self, arguments: dict[str, Any]) -> bytes:
        try:
            return to_json(arguments, inf_nan_mode="constants")
        except (PydanticSerializationError, UnicodeEncodeError) as error:
            msg = f"the arguments of {self._tool} cannot be written as JSON: {error}"
            raise ToolParsingError(msg) from error

    def _mended(self, arguments: dict[str, Any]) -> dict[str, Any]:
        mended: dict[str, Any] = repaired(arguments, self._schema, self._schema.get("$defs", {}))
        return mended

    def _problems(self, arguments: dict[str, Any]) -> list[str]:
        allow_steps(len(self._written(arguments)))
        found = islice(self._explainer.iter_errors(arguments), _MOST_PROBLEMS)
        errors = sorted(found, key=lambda e: list(map(str, e.path)))
        return [problem for error in errors for problem in _explain(error)]

    def _explained(self, arguments: dict[str, Any], error: ValidationError) -> str:
        try:
            problems = self._problems(arguments)
        except TooMuchWorkError:
            problems = []
        problems = problems or [
            f"{_path(each['loc'])}: {each['msg']}, got {_short(each['input'])}"
            for each in error.errors(include_url=False, include_context=False)
        ]
        return _message(self._tool, problems)


def repaired(value: Any, schema: Any, definitions: Mapping[str, Any]) -> Any:
    """Returns a JSON value as the schema wants it, where that is safe; else as it is.

    A JSON text stands for the array or object that is declared, never where a text is accepted, and an
    integral float for an integer.

    Args:
        value: A JSON value.
        schema: The JSON Schema that it should fit.
        definitions: The `$defs` that the schema refers to.
    """
    if not isinstance(schema, dict):
        return value
    branches = _branches(schema, definitions)
    if isinstance(value, float) and value.is_integer() and _wants(branches, "integer"):
        return value if _wants(branches, "number") else int(value)
    if isinstance(value, str) and not _wants(branches, "string"):
        value = _decoded(value, branches)
    if isinstance(value, dict):
        return _repaired_object(value, branches, definitions)
    if isinstance(value, list):
        return _repaired_array(value, branches, definitions)
    return value


def _decoded(text: str, branches: list[dict[str, Any]]) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = _loads(text)
    except (ValueError, RecursionError, ToolParsingError):
        return text
    wanted = "object" if isinstance(value, dict) else "array"
    return value if _wants(branches, wanted) else text


def _repaired_object(
    value: dict[str, Any], branches: list[dict[str, Any]], definitions: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        key: repaired(each, _any_of(_member(branch, key) for branch in branches), definitions)
        for key, each in value.items()
    }


def _member(branch: dict[str, Any], key: str) -> Any:
    return branch.get("properties", {}).get(key, branch.get("additionalProperties"))


def _repaired_array(
    value: list[Any], branches: list[dict[str, Any]], definitions: Mapping[str, Any]
) -> list[Any]:
    return [
        repaired(each, _any_of(_item(branch, at) for branch in branches), definitions)
        for at, each in enumerate(value)
    ]


def _item(branch: dict[str, Any], at: int) -> Any:
    first = branch.get("prefixItems", [])
    return first[at] if at < len(first) else branch.get("items")


def _any_of(schemas: Iterable[Any]) -> Any:
    """Joins what the alternatives say of one part, each only once: alternatives inside of them would multiply."""
    different: list[Any] = []
    for schema in schemas:
        if isinstance(schema, dict) and not any(
            schema is each or schema == each for each in different
        ):
            different.append(schema)
    return different[0] if len(different) == 1 else {"anyOf": different} if different else None


def _branches(
    schema: dict[str, Any], definitions: Mapping[str, Any], seen: frozenset[str] = frozenset()
) -> list[dict[str, Any]]:
    """Returns the alternatives of a schema, each once, references followed."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        name = reference.rpartition("/")[2]
        target = definitions.get(name)
        if name in seen or not isinstance(target, dict):
            return []
        return _branches(target, definitions, seen | {name})
    alternatives = [
        each for key in ("anyOf", "oneOf") for each in schema.get(key, []) if isinstance(each, dict)
    ]
    if not alternatives:
        return [schema]
    found: list[dict[str, Any]] = []
    for each in alternatives:
        found += [
            new
            for new in _branches(each, definitions, seen)
            if not any(new is old for old in found)
        ]
    return found


def _wants(branches: list[dict[str, Any]], kind: str) -> bool:
    return any(_allows(branch, kind) for branch in branches)


def _allows(schema: dict[str, Any], kind: str) -> bool:
    if "type" in schema:
        types = schema["type"]
        return kind == types or (isinstance(types, list) and kind in types)
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is None:  # anything goes
        return True
    return any(_kind(each) == kind for each in values)


# -- what the model is told -------------------------------------------------------------------------


def _message(tool: str, problems: list[str]) -> str:
    if len(problems) == 1:
        return f"the arguments of {tool} do not fit: {problems[0]}"
    lines = [f"the arguments of {tool} do not fit:", *(f"- {each}" for each in problems)]
    if len(problems) > _MOST_PROBLEMS:
        lines[_MOST_PROBLEMS + 1 :] = ["- and more"]
    return "\n".join(lines)


def _explain(error: Any) -> list[str]:
    """Puts one error of jsonschema into words: path, expected, got."""
    path = _path(error.absolute_path)
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return [f"{_inside(path, name)}: required, but missing" for name in missing]
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = error.schema.get("properties", {})
        return [_unknown(path, name, known) for name in error.instance if name not in known]
    if error.validator == "type":
        expected = error.validator_value
        words = " or ".join(expected) if isinstance(expected, list) else expected
        return [f"{path}: expected {words}, got {_short(error.instance)}"]
    if error.validator in {"enum", "const"}:
        value = error.validator_value
        words = ", ".join(map(_short, value)) if error.validator == "enum" else _short(value)
        return [f"{path}: expected one of {words}, got {_short(error.instance)}"]
    if error.validator in {"anyOf", "oneOf"}:
        return [f"{path}: {_alternatives(error)}"]
    words = _WORDS.get(error.validator, f"{error.validator} {{}}")
    expected = words.format(_short(error.validator_value))
    return [f"{path}: expected {expected}, got {_short(error.instance)}"]


_WORDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "a text of at least {} characters",
    "maxLength": "a text of at most {} characters",
    "pattern": "a text that matches {}",
    "format": "a text in the format {}",
    "minItems": "an array of at least {} items",
    "maxItems": "an array of at most {} items",
    "minProperties": "an object of at least {} keys",
    "maxProperties": "an object of at most {} keys",
}
"""What the keywords of JSON Schema ask for, in words."""


def _alternatives(error: Any) -> str:
    branches: dict[int, list[Any]] = {}
    for each in error.context or []:
        branches.setdefault(each.schema_path[0], []).append(each)
    # Where the alternatives carry a tag, what is wrong with those of another tag says nothing.
    tagged = [errors for errors in branches.values() if not any(map(_is_wrong_tag, errors))]
    reasons = [" and ".join(_all_explained(errors)) for errors in tagged or branches.values()]
    unique = list(dict.fromkeys(reasons))
    return f"fits none of the alternatives ({'; '.join(unique)})" if unique else error.message


def _all_explained(errors: list[Any]) -> list[str]:
    return [text for each in errors for text in _explain(each)]


def _is_wrong_tag(error: Any) -> bool:
    return error.validator == "const" and len(error.path) > 0


def _unknown(path: str, name: str, known: Mapping[str, Any]) -> str:
    near = nearest(name, known)
    meant = (
        f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known) or 'none'}"
    )
    return f"{_inside(path, name)}: unknown; {meant}"


def _path(parts: Any) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.lstrip(".") or "arguments"


def _inside(path: str, name: str) -> str:
    return name if path == "arguments" else f"{path}.{name}"


def _short(value: Any) -> str:
    text = ""
    value = masked_values(value)  # before it is cut: half a secret would not be found any more
    try:
        # Written only as far as it is shown: what a model wrote may be huge.
        for part in _encoder.iterencode(value[: _SHOWN + 1] if isinstance(value, str) else value):
            text += part[: _SHOWN + 1]
            if len(text) > _SHOWN:
                break
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


_encoder = json.JSONEncoder(ensure_ascii=False)


def _kind(value: Any) -> str:
    """Returns the JSON type of a value."""
    if value is None:
        return "null"
    kinds = (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (list, "array"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")
