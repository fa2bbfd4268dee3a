"""One normal form for everything that can be a tool."""

import functools
import inspect
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import anyio.to_thread
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from ..exceptions import ToolDefinitionError
from ..messages import ToolCall, ToolCallView
from .arguments import ArgumentReader, parse_arguments
from .bounded import references, resolves
from .docstring import read_docstring
from .schema import function_schema, underlying
from .tool import OptionedTool, Tool, ToolFactory, ToolOptions, ToolSettings
from .tool_info import ToolInfo, ToolParam, ToolParams

logger = logging.getLogger(__name__)

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What all providers accept (Anthropic and OpenAI document `^[a-zA-Z0-9_-]{1,64}$`)."""


class ToolDef:
    """A tool in its normal form: how it is called, offered, read and run. It does not change.

    Args:
        tool: A tool from `@tool`, an async or sync function, a method, a callable object or a
            `functools.partial` (what it binds by name, the model does not see). Sync functions run in
            a worker thread.
        name: The name by which the model calls it; letters, digits, `_` and `-`, at most 64.
        description: What it does, for the model.
        parameters: Descriptions of parameters by name; or a whole `ToolParams`, whose JSON Schema
            then decides alone, and the function gets the JSON values as they are.
        settings: How it is run: parallel, viewer, model_input, max_output, timeout; see `ToolSettings`.

    Attributes:
        info: What a provider is told of it.
        function: What is called.
        is_async: Whether it is an async function; others run in a worker thread.

    Raises:
        ToolDefinitionError: It cannot be offered to a model; the message says which part and why.
    """

    def __init__(
        self,
        tool: "Tool | ToolDef | Callable[..., Any]",
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, str] | ToolParams | None = None,
        **settings: Unpack[ToolSettings],
    ) -> None:
        given = ToolOptions(
            name=name,
            description=description,
            parameters=None if isinstance(parameters, ToolParams) else parameters,
            schema=parameters if isinstance(parameters, ToolParams) else None,
            **settings,
        )
        self._factory: tuple[str, dict[str, Any]] | None = None
        self._namespace: Mapping[str, Any] | None = None
        if isinstance(tool, ToolDef):
            tool = tool.as_tool()
        if isinstance(tool, OptionedTool):
            self.function: Callable[..., Any] = tool.__wrapped__
            self._factory, self._namespace = tool.factory, tool.namespace
            given = given.over(tool.options)
        else:
            self.function = tool
        _refuse_no_tool(self.function)
        self.name = _checked_name(given.name or _name_of(self.function))
        self.options = given
        self.parallel = bool(given.parallel)
        self.viewer = given.viewer
        self.model_input = given.model_input
        self.max_output = given.max_output
        self.timeout = given.timeout
        self.is_async = inspect.iscoroutinefunction(underlying(self.function))
        self._defaults: Mapping[str, Callable[[], Any]] = {}
        self.info = self._read_off() if given.schema is None else self._foreign(given.schema)

    def as_tool(self) -> Tool:
        """Returns a tool with all that this definition says."""
        made = OptionedTool(self.function, self.options, self._factory, self._namespace)
        made.definition = self
        return made

    def parse(self, text: str) -> dict[str, Any]:
        """Reads the text that a model wrote as arguments; see `parse_arguments`."""
        return parse_arguments(text, self._reader.only_text)

    def read(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Checks JSON arguments; returns them repaired, and the keywords for the function.

        Raises:
            ToolParsingError: They do not fit the parameters; the message lists all that is wrong.
        """
        canonical, built = self._reader.read(arguments)
        for name, make in self._defaults.items():
            built.setdefault(name, make())
        return canonical, built

    async def run(self, keywords: dict[str, Any]) -> Any:
        """Calls the function with the keywords that `read` built; returns what it returns."""
        if self.is_async:
            return await self.function(**keywords)
        result = await anyio.to_thread.run_sync(
            functools.partial(self.function, **keywords), abandon_on_cancel=True
        )
        return await result if inspect.isawaitable(result) else result

    def view(self, call: ToolCall) -> ToolCallView | None:
        """Returns the tool's own view of a call for people; None where it has none.

        A viewer that fails is logged, and decides nothing: the call goes on.
        """
        if self.viewer is None:
            return None
        try:
            view = self.viewer(call.model_copy(deep=True))
        except Exception:
            logger.exception("the viewer of tool %s failed", self.name)
            return None
        return view if isinstance(view, ToolCallView) else None  # type: ignore[redundant-expr]

    def __repr__(self) -> str:
        return f"ToolDef({self.name!r})"

    def _foreign(self, schema: ToolParams) -> ToolInfo:
        parameters = schema.model_dump()
        parameters["properties"] = self._described(parameters["properties"])
        _check_schema(parameters, self.name)
        self._reader = ArgumentReader(self.name, parameters)
        return self._info(read_docstring(underlying(self.function).__doc__).description, parameters)

    def _read_off(self) -> ToolInfo:
        schema = function_schema(self.function, self.name, self._namespace)
        parameters = schema.parameters
        parameters["properties"] = self._described(parameters["properties"])
        for name, each in parameters["properties"].items():
            if not each.get("description"):
                msg = (
                    f"parameter {name!r} of tool {self.name!r} has no description: add it to the docstring's "
                    "`Args:` (python -OO removes docstrings), or use Annotated[..., Field(description=...)]"
                )
                raise ToolDefinitionError(msg)
        self._reader = ArgumentReader(
            self.name,
            parameters,
            schema.validator,
            plain=schema.plain,
            alone=schema.alone,
        )
        self._defaults = schema.defaults
        return self._info(schema.description, parameters)

    def _described(self, properties: dict[str, Any]) -> dict[str, Any]:
        """Returns the parameters with the descriptions that were given in place of their own."""
        given = self.options.parameters or {}
        for name in given:
            if name not in properties:
                known = ", ".join(properties) or "none"
                msg = f"tool {self.name!r} has no parameter {name!r} to describe; it has {known}"
                raise ToolDefinitionError(msg)
        return {
            name: {**each, "description": given[name]} if name in given else each
            for name, each in properties.items()
        }

    def _info(self, docstring: str, parameters: dict[str, Any]) -> ToolInfo:
        description = self.options.description or docstring
        if not description.strip():
            msg = (
                f"tool {self.name!r} has no description: write a docstring, or pass `description=`"
            )
            raise ToolDefinitionError(msg)
        properties = {name: ToolParam(**each) for name, each in parameters["properties"].items()}
        return ToolInfo(
            name=self.name,
            description=description,
            parameters=ToolParams(**{**parameters, "properties": properties}),
        )


def tool_def(tool: Tool | ToolDef) -> ToolDef:
    """Returns the normal form of a tool; made once for what came from `@tool` or `as_tool`."""
    if isinstance(tool, ToolDef):
        return tool
    if not isinstance(tool, OptionedTool):
        return ToolDef(tool)
    if not isinstance(tool.definition, ToolDef):
        tool.definition = ToolDef(tool)
    return tool.definition


def _name_of(function: Callable[..., Any]) -> str:
    target = function
    while isinstance(target, functools.partial):
        target = target.func
    return getattr(target, "__name__", type(target).__name__)


def _checked_name(name: str) -> str:
    if _NAME.fullmatch(name):
        return name
    msg = f"{name!r} cannot be the name of a tool: providers accept letters, digits, _ and -, at most 64"
    raise ToolDefinitionError(msg)


def _check_schema(schema: dict[str, Any], tool: str) -> None:
    """Refuses a schema that nothing could be checked by, before a model calls the tool."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        msg = f"the parameters of tool {tool!r} are no JSON Schema: {error.message}"
        raise ToolDefinitionError(msg) from error
    for reference in references(schema):
        if not resolves(reference, schema):
            msg = f"the parameters of tool {tool!r} refer to {reference!r}, which is not in them: put it under $defs"
            raise ToolDefinitionError(msg)


def _refuse_no_tool(function: object) -> None:
    if isinstance(function, ToolFactory):
        msg = f"{function.name!r} is a factory: call it to get the tool, {function.name}(...)"
        raise ToolDefinitionError(msg)
    if not callable(function) or isinstance(function, type):
        msg = f"a tool is something that can be called, got {function!r}"
        raise ToolDefinitionError(msg)
    target = underlying(function)
    if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
        msg = f"a tool must return its result, not yield it: {function!r}"
        raise ToolDefinitionError(msg)
