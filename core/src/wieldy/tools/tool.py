"""What a tool is, and the decorator that makes one."""

import functools
import inspect
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import (
    Any,
    Generic,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
    runtime_checkable,
)

from pydantic import BaseModel

from ..exceptions import ToolDefinitionError
from ..messages import Content, ToolCall, ToolCallView
from .tool_info import ToolParams

P = ParamSpec("P")
R = TypeVar("R")

ToolResult: TypeAlias = (
    str | int | float | bool | Content | Sequence[Any] | Mapping[str, Any] | BaseModel | None
)
"""What a tool may return: a text, a number, a bool, content or a list of it. None is an empty text; a
dict, a dataclass or a pydantic model is given to the model as JSON."""

ToolCallViewer: TypeAlias = Callable[[ToolCall], ToolCallView]
"""Makes the view of a call for people: the live display and the human approver."""


class ToolCallModelInput(Protocol):
    """Decides how an earlier result of a tool is shown to the model again; the record keeps the whole."""

    def __call__(
        self, message_index: int, message_total: int, content: str | list[Content]
    ) -> str | list[Content]:
        """Returns what the model sees.

        Args:
            message_index: Which of the tool's results it is, from 0.
            message_total: How many results of the tool the conversation has.
            content: The result.
        """
        ...


@runtime_checkable
class Tool(Protocol):
    """Anything that can be called with keywords and awaited. No base class is needed."""

    def __call__(self, *args: Any, **kwargs: Any) -> Awaitable[Any]:
        """Runs the tool."""
        ...


@runtime_checkable
class ToolSource(Protocol):
    """Something that gives other tools from turn to turn."""

    async def tools(self) -> Sequence[Tool]:
        """Returns the tools that exist now."""
        ...


class ToolSettings(TypedDict, total=False):
    """How a tool is run, for `@tool`, `tool_with` and `ToolDef` alike; what is left out stays as it is."""

    parallel: bool | None
    """Whether its calls may run together with other parallel calls of the same turn; no by default."""
    viewer: ToolCallViewer | None
    """Shows a call to people, for instance a command highlighted."""
    model_input: ToolCallModelInput | None
    """Shows earlier results to the model again, for instance only the last image."""
    max_output: int | None
    """How many bytes of a result the model sees, at most the caller's limit (16 KiB by default); 0 for all."""
    timeout: float | None
    """Seconds after which a call is given up and answered with an error; never by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOptions:
    """How a tool is offered and run; None leaves it as the tool has it.

    Attributes:
        name: The name by which the model calls it.
        description: What it does, for the model; replaces the docstring's.
        parameters: Descriptions of parameters by name; replace the docstring's.
        schema: The JSON Schema of all parameters, where it does not come from the function.
        parallel, viewer, model_input, max_output, timeout: See `ToolSettings`.
    """

    name: str | None = None
    description: str | None = None
    parameters: Mapping[str, str] | None = None
    schema: ToolParams | None = None
    parallel: bool | None = None
    viewer: ToolCallViewer | None = None
    model_input: ToolCallModelInput | None = None
    max_output: int | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        limit: object = self.max_output
        timeout: object = self.timeout
        if limit is not None and not (isinstance(limit, int) and limit >= 0):
            msg = f"max_output must be 0 bytes or more, got {limit!r}"
            raise ToolDefinitionError(msg)
        if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
            msg = f"timeout must be more than 0 seconds, got {timeout!r}"
            raise ToolDefinitionError(msg)

    def over(self, other: "ToolOptions") -> "ToolOptions":
        """Returns these options, and those of `other` where these say nothing."""
        parameters = {**(other.parameters or {}), **(self.parameters or {})}
        return ToolOptions(
            name=_first(self.name, other.name),
            description=_first(self.description, other.description),
            parameters=parameters or None,
            schema=_first(self.schema, other.schema),
            parallel=_first(self.parallel, other.parallel),
            viewer=_first(self.viewer, other.viewer),
            model_input=_first(self.model_input, other.model_input),
            max_output=_first(self.max_output, other.max_output),
            timeout=_first(self.timeout, other.timeout),
        )


class OptionedTool:
    """A tool together with its options. It is called like the function in it.

    `@tool` and `tool_with` make it; the function itself is never changed.

    Attributes:
        options: How the tool is offered and run.
        factory: The name of the factory that made it, and the arguments; None for a bare function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: ToolOptions,
        factory: tuple[str, dict[str, Any]] | None = None,
        namespace: Mapping[str, Any] | None = None,
    ) -> None:
        self.__wrapped__ = function
        self.__doc__ = function.__doc__
        self.options = options
        self.factory = factory
        self.namespace = namespace
        self.definition: object | None = None  # ToolDef keeps itself here, made once

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the tool; see `Tool`."""
        return self.__wrapped__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.options.name}>"


class ToolFactory(Generic[P]):
    """A function that makes a tool, as `@tool` leaves it: call it to get the tool.

    Attributes:
        name: The name by which the tool is found when its plugin is installed.
        options: How its tools are offered and run.
    """

    def __init__(
        self, function: Callable[P, Tool], options: ToolOptions, namespace: Mapping[str, Any]
    ) -> None:
        functools.update_wrapper(self, function)
        self.name = options.name or function.__name__
        self.options = ToolOptions(name=self.name).over(options)
        self._function = function
        self._namespace = namespace

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Tool:
        """Makes the tool; the arguments are those of the function that `@tool` stands on.

        Raises:
            ToolDefinitionError: The function did not return a tool.
        """
        made = self._function(*args, **kwargs)
        if not callable(made):
            msg = f"the factory {self.name!r} must return a tool (an async function), got {made!r}"
            raise ToolDefinitionError(msg)
        arguments = dict(inspect.signature(self._function).bind(*args, **kwargs).arguments)
        options = self.options
        function: Callable[..., Any] = made
        if isinstance(made, OptionedTool):
            function, options = made.__wrapped__, options.over(made.options)
        return OptionedTool(function, options, (self.name, arguments), self._namespace)


class _ToolDecorator(Protocol):
    """What `tool(name=...)` returns: it leaves an async function a tool, and makes a factory of another."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __call__(self, function: Callable[P, Tool], /) -> ToolFactory[P]: ...


@overload
def tool(
    function: Callable[P, Coroutine[Any, Any, R]], /
) -> Callable[P, Coroutine[Any, Any, R]]: ...
@overload
def tool(function: Callable[P, Tool], /) -> ToolFactory[P]: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None, **settings: Unpack[ToolSettings]
) -> _ToolDecorator: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    **settings: Unpack[ToolSettings],
) -> Any:
    """Makes a tool of a function.

    Put it on an async function, which then is the tool; or on a function that returns one, which is
    then a factory whose arguments set the tool up:

        @tool(parallel=True, timeout=30)
        def add(offset: int = 0) -> Tool:
            async def execute(x: int, y: int) -> int:
                '''Adds two numbers (and `Args:`, as of any function).'''
                return x + y + offset

            return execute

    Args:
        function: The function; given by Python when the decorator is used without arguments.
        name: The name by which models call it; the function's own name by default. Providers accept
            letters, digits, `_` and `-`, at most 64.
        description: What it does, for the model; replaces the docstring's.
        settings: How it is run: parallel, viewer, model_input, max_output, timeout; see `ToolSettings`.
    """
    options = ToolOptions(name=name, description=description, **settings)
    # Types local to the function around the decorator are found through its variables.
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to the caller's variables
    namespace = {} if frame.f_code.co_name == "<module>" else frame.f_locals

    def decorate(function: Callable[..., Any]) -> Any:
        _refuse_other_than_function(function)
        if inspect.iscoroutinefunction(function):
            named = ToolOptions(name=function.__name__)
            return OptionedTool(function, options.over(named), namespace=namespace)
        return ToolFactory(function, options, namespace)

    return decorate if function is None else decorate(function)


_NO_TOOL = frozenset(
    {"bool", "bytes", "dict", "float", "int", "list", "None", "NoneType", "set", "str", "tuple"}
)


def _refuse_other_than_function(function: object) -> None:
    """Refuses what `@tool` cannot stand on, before a call of a model finds it out."""
    if not inspect.isfunction(function):
        what = (
            "another @tool" if isinstance(function, OptionedTool | ToolFactory) else repr(function)
        )
        msg = f"@tool stands on a function, got {what}; of anything else that can be called, ToolDef makes a tool"
        raise ToolDefinitionError(msg)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        msg = f"the tool {function.__name__!r} must return its result, not yield it"
        raise ToolDefinitionError(msg)
    if inspect.iscoroutinefunction(function):
        return
    returns = function.__annotations__.get("return", "Tool")
    name = getattr(returns, "__name__", str(returns)).partition("[")[0]
    if name in _NO_TOOL:
        msg = (
            f"{function.__name__!r} returns {name}: make a tool of it with `async def`; a plain function under "
            "@tool is a factory, which returns a Tool"
        )
        raise ToolDefinitionError(msg)


def tool_with(
    tool: Tool,
    name: str | None = None,
    description: str | None = None,
    parameters: Mapping[str, str] | None = None,
    **settings: Unpack[ToolSettings],
) -> Tool:
    """Returns the same tool, offered or run in another way; the one that was given stays as it is.

    Args:
        tool: The tool.
        name: Another name.
        description: Another description.
        parameters: Other descriptions of parameters, by name.
        settings: How it is run; see `ToolSettings`.
    """
    options = ToolOptions(name=name, description=description, parameters=parameters, **settings)
    if isinstance(tool, OptionedTool):
        return OptionedTool(
            tool.__wrapped__, options.over(tool.options), tool.factory, tool.namespace
        )
    return OptionedTool(tool, options)


def _first(*values: R | None) -> R | None:
    return next((value for value in values if value is not None), None)


def as_factory(tool_or_factory: object) -> ToolFactory[...]:
    """Returns what a plugin registered as a factory; a bare tool becomes a factory of itself.

    Raises:
        ToolDefinitionError: It is neither.
    """
    if isinstance(tool_or_factory, ToolFactory):
        return tool_or_factory
    if isinstance(tool_or_factory, OptionedTool):
        made = tool_or_factory
        return ToolFactory(cast("Callable[..., Tool]", lambda: made), made.options, {})
    msg = f"a plugin registers what `@tool` made, got {tool_or_factory!r}"
    raise ToolDefinitionError(msg)
