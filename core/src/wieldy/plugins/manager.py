"""Finding plugins, keeping broken ones apart, and calling their hooks: a typed facade on pluggy."""

import inspect
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib import metadata
from typing import Any, Literal

import pluggy

from ..approval import STRICTNESS, Approval, ApprovalRequest
from ..events import Event, use_events
from ..exceptions import ConfigError, PluginError, UnknownNameError, nearest
from ..messages import MessageFilter, ToolCall
from ..models.model import Model, ModelProvider
from ..sandboxes import API_VERSION, Sandbox
from ..tools import Tool, ToolFactory
from ..tools.tool import as_factory
from . import hookspecs
from .hookspecs import PROJECT
from .registry import Registry

logger = logging.getLogger("wieldy.plugins")

STRICT_VARIABLE = "WIELDY_PLUGINS"
"""The environment variable that makes a broken plugin fatal when it is "strict"."""

_MAY_BE_ASYNC = frozenset({"wieldy_approve", "wieldy_truncate_output"})
"""The hooks that are awaited; all others are called as plain functions."""


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """What is known of one plugin.

    Attributes:
        name: The name of its entry point, or the one that it was registered with.
        distribution: The distribution that it came with; empty where it was registered by hand.
        version: The version of that distribution.
        status: Whether it works.
        hooks: The hooks that it implements.
        cause: Why it is broken, in one line.
    """

    name: str
    distribution: str = ""
    version: str = ""
    status: Literal["ok", "broken", "blocked"] = "ok"
    hooks: tuple[str, ...] = ()
    cause: str = ""

    @property
    def provider(self) -> str:
        """What the plugin is called in messages."""
        if not self.distribution:
            return self.name
        return f"{self.distribution} {self.version} ({self.name})"


class PluginManager:
    """The plugins of one program, and what they give. `load` finds those that are installed.

    Attributes:
        tools: Tool factories by name.
        sandboxes: Sandbox backends by name.
        models: Model providers by prefix.
        approvers: Approver factories by name.
        compactions: Compaction strategies by name.
        message_filters: Conversation filters by name.
    """

    def __init__(self) -> None:
        self._pluggy = pluggy.PluginManager(PROJECT)
        self._pluggy.add_hookspecs(hookspecs)
        self._statuses: list[PluginStatus] = []
        self._called: dict[str, list[tuple[str, Callable[..., Any]]]] = {}
        self.tools: Registry[ToolFactory[...]] = Registry("tool", "wieldy-{}")
        self.sandboxes: Registry[type[Sandbox]] = Registry("sandbox", "wieldy-sandbox-{}")
        self.models: Registry[ModelProvider] = Registry("model provider", "wieldy-{}")
        self.approvers: Registry[Callable[..., Any]] = Registry("approver", "wieldy-{}")
        self.compactions: Registry[Callable[..., Any]] = Registry("compaction", "wieldy-{}")
        self.message_filters: Registry[MessageFilter] = Registry("message filter", "wieldy-{}")

    # -- finding and registering ------------------------------------------------------------------

    @classmethod
    def load(cls, *, block: Sequence[str] = (), strict: bool | None = None) -> "PluginManager":
        """Finds all installed plugins: every entry point of the group `wieldy`, the built-ins too.

        A plugin that cannot be used is listed as broken, with a warning, and the others work.

        Args:
            block: Plugins to leave out: names of entry points or of distributions.
            strict: Whether a broken plugin is fatal; None asks the environment: WIELDY_PLUGINS=strict.

        Raises:
            PluginError: A plugin is broken, and `strict` is on.
            ConfigError: WIELDY_PLUGINS has another value than "strict".
        """
        manager = cls()
        strict = strict_from_environment() if strict is None else strict
        for entry_point in metadata.entry_points(group=PROJECT):
            manager._load_one(entry_point, block)
        for name in sorted(set(block)):
            if not any(_is_named(status, name) for status in manager.plugins()):
                logger.warning("no plugin is named %r, which is to be blocked", name)
        broken = [status for status in manager.plugins() if status.status == "broken"]
        for status in broken:
            logger.warning("plugin %s is broken: %s", status.provider, status.cause)
        if strict and broken:
            msg = "; ".join(f"plugin {each.provider} is broken: {each.cause}" for each in broken)
            raise PluginError(msg)
        return manager

    def _load_one(self, entry_point: metadata.EntryPoint, block: Sequence[str]) -> None:
        dist = entry_point.dist
        status = PluginStatus(entry_point.name)
        if dist is not None:
            status = replace(status, distribution=dist.name or "", version=dist.version)
        if any(_is_named(status, name) for name in block):
            self._statuses.append(replace(status, status="blocked"))
            return
        try:
            plugin = entry_point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - also sys.exit, and a panic of an extension module
            self._statuses.append(replace(status, status="broken", cause=_cause(error)))
            return
        try:
            self._add(plugin, status)
        except PluginError as error:
            self._statuses.append(replace(status, status="broken", cause=str(error)))

    def register(self, plugin: object, name: str | None = None) -> None:
        """Adds a plugin by hand: any object or module with functions marked by `@hookimpl`.

        Args:
            plugin: The plugin.
            name: What it is called in messages.

        Raises:
            PluginError: It cannot be used; nothing of it is kept.
        """
        self._add(plugin, PluginStatus(name or str(getattr(plugin, "__name__", plugin))))

    def _add(self, plugin: object, status: PluginStatus) -> None:
        # Checked first: the clean-up after a failure must not take out the plugin that is there.
        there = self._pluggy.get_name(plugin)
        if there is not None:
            msg = f"it is the same object as the plugin {there}, which is registered already"
            raise PluginError(msg)
        if self._pluggy.has_plugin(status.provider):
            msg = f"a plugin is already registered as {status.provider}"
            raise PluginError(msg)
        self._called.clear()
        try:
            self._pluggy.register(plugin, status.provider)
            hooks = self._checked_hooks(plugin)
            self._ask(plugin, status.provider)
        except BaseException as error:
            self._remove(plugin, status.provider)
            if isinstance(error, PluginError | KeyboardInterrupt):
                raise
            raise PluginError(_cause(error)) from error
        self._statuses.append(replace(status, hooks=hooks))

    def mark_broken(self, provider: str, error: BaseException) -> None:
        """Takes a plugin out that failed after it was loaded, and keeps the cause."""
        for at, status in enumerate(self._statuses):
            if status.provider == provider and status.status == "ok":
                plugin = self._pluggy.get_plugin(provider)
                self._remove(plugin, provider)
                self._statuses[at] = replace(status, status="broken", cause=_cause(error))
                logger.warning("plugin %s is broken: %s", provider, _cause(error))

    def _remove(self, plugin: object, provider: str) -> None:
        self._called.clear()
        if self._pluggy.is_registered(plugin):
            self._pluggy.unregister(plugin)
        for registry in self._registries().values():
            registry.drop(provider)

    def _checked_hooks(self, plugin: object) -> tuple[str, ...]:
        if inspect.isclass(plugin):
            msg = f"{plugin.__qualname__} is a class: a plugin is a module, or an instance of such a class"
            raise PluginError(msg)
        known = {name for name in dir(hookspecs) if name.startswith(f"{PROJECT}_")}
        found = []
        for caller in self._pluggy.get_hookcallers(plugin) or ():
            impl = next(each for each in caller.get_hookimpls() if each.plugin is plugin)
            if caller.name not in known:
                if impl.optionalhook:
                    continue
                near = nearest(caller.name, known)
                meant = f"; did you mean {' or '.join(near)}?" if near else ""
                msg = f"{caller.name} is no hook of wieldy{meant}"
                raise PluginError(msg)
            if impl.wrapper or impl.hookwrapper:
                msg = f"{caller.name} is a hook wrapper, which wieldy does not call"
                raise PluginError(msg)
            if caller.name not in _MAY_BE_ASYNC and inspect.iscoroutinefunction(impl.function):
                msg = f"{caller.name} must be a plain function, not an async one"
                raise PluginError(msg)
            found.append(caller.name)
        for name in sorted(known - set(found)):
            if inspect.isroutine(getattr(plugin, name, None)):
                msg = f"{name} is not marked with @hookimpl (from wieldy import hookimpl)"
                raise PluginError(msg)
        if not self._pluggy.get_hookcallers(plugin):
            msg = "it implements no hook: mark its functions with @hookimpl (from wieldy import hookimpl)"
            raise PluginError(msg)
        return tuple(sorted(found))

    # -- registration hooks -----------------------------------------------------------------------

    def _registries(self) -> dict[str, Registry[Any]]:
        return {
            "tools": self.tools,
            "sandboxes": self.sandboxes,
            "models": self.models,
            "approvers": self.approvers,
            "compactions": self.compactions,
            "message_filters": self.message_filters,
        }

    def _ask(self, plugin: object, provider: str) -> None:
        """Asks one plugin for all that it gives."""
        for given in _listed(self._answer(plugin, "wieldy_tools"), "wieldy_tools"):
            factory = as_factory(given)
            self.tools.add(factory.name, factory, provider)
        for given in _listed(self._answer(plugin, "wieldy_sandboxes"), "wieldy_sandboxes"):
            backend = _checked_backend(given)
            self.sandboxes.add(backend.name, backend, provider)
        for kind in ("models", "approvers", "compactions", "message_filters"):
            hook = f"wieldy_{kind}"
            for name, value in _named(self._answer(plugin, hook), hook):
                self._registries()[kind].add(name, value, provider)

    def _answer(self, plugin: object, hook: str) -> Any:
        for impl in getattr(self._pluggy.hook, hook).get_hookimpls():
            if impl.plugin is plugin:
                return impl.function()
        return None

    def cli_hooks(self) -> list[tuple[str, Callable[..., None]]]:
        """Returns who adds commands to the command line, and the function that does it."""
        return self._implementations("wieldy_cli")

    # -- what is there ----------------------------------------------------------------------------

    def plugins(self) -> list[PluginStatus]:
        """Returns what is known of each plugin, in the order in which they were found."""
        return list(self._statuses)

    def versions(self) -> dict[str, str]:
        """Returns the version of each distribution whose plugins are active."""
        return {
            each.distribution: each.version
            for each in self._statuses
            if each.distribution and each.status == "ok"
        }

    def gives(self, status: PluginStatus) -> dict[str, list[str]]:
        """Returns the names that a plugin gives, by kind."""
        given = {
            kind: registry.given_by(status.provider)
            for kind, registry in self._registries().items()
        }
        return {kind: names for kind, names in given.items() if names}

    def conflicts(self) -> dict[str, list[str]]:
        """Returns the names that more than one plugin gives ("tool bash"), and who gives each."""
        return {
            f"{registry.kind} {name}": providers
            for registry in self._registries().values()
            for name, providers in registry.conflicts().items()
        }

    def tool(self, name: str, **arguments: Any) -> Tool:
        """Makes an installed tool.

        Args:
            name: The name of the tool.
            arguments: The arguments of its factory.

        Raises:
            UnknownNameError: No installed plugin has it; the message names near ones.
            NameConflictError: More than one plugin has it.
        """
        return self.tools[name](**arguments)

    def model(self, name: str) -> Model:
        """Makes the model of a name like "anthropic/claude-...".

        Raises:
            UnknownNameError: No installed plugin has that prefix.
            ModelError: The provider cannot make that model.
        """
        prefix, slash, rest = name.partition("/")
        if not slash or not rest:
            known = [f"{each}/..." for each in self.models]
            raise UnknownNameError(
                kind="model", name=name, known=known, hint="a model is PROVIDER/NAME"
            )
        return self.models[prefix](rest)

    # -- behaviour hooks --------------------------------------------------------------------------

    @property
    def approves(self) -> bool:
        """Whether any plugin decides on calls."""
        return bool(self._implementations("wieldy_approve"))

    async def approve(self, request: ApprovalRequest) -> tuple[Approval, str] | None:
        """Asks every plugin about a call; the strictest answer wins, of equal ones the first.

        Each is given a call of its own: what one does to it, no other sees, nor does the tool.

        Returns:
            The answer and who gave it; None where no plugin has an opinion.
        """
        strictest: tuple[Approval, str] | None = None
        for provider, function in self._implementations("wieldy_approve"):
            own = replace(request, call=request.call.model_copy(deep=True))
            answer = await _approval(function, own, provider)
            if answer is None or answer.decision == "escalate":
                continue
            if strictest is None or (
                STRICTNESS[answer.decision] > STRICTNESS[strictest[0].decision]
            ):
                strictest = answer, provider
        return strictest

    async def truncate_output(self, call: ToolCall, output: str, limit: int) -> str | None:
        """Asks the plugins to shorten an output; returns the first answer, None where there is none."""
        for provider, function in self._implementations("wieldy_truncate_output"):
            try:
                answer = function(call=call, output=output, limit=limit)
                answer = await answer if inspect.isawaitable(answer) else answer
            except (Exception, SystemExit):
                logger.exception("wieldy_truncate_output of %s failed", provider)
                continue
            if isinstance(answer, str):
                return answer
        return None

    def emit(self, event: Event) -> None:
        """Tells every plugin of an event; one that fails is logged and breaks nothing."""
        for provider, function in self._implementations("wieldy_event"):
            try:
                function(event=event)
            except (Exception, SystemExit):
                logger.exception("wieldy_event of %s failed", provider)

    @property
    def listens(self) -> bool:
        """Whether any plugin wants events."""
        return bool(self._implementations("wieldy_event"))

    def _implementations(self, hook: str) -> list[tuple[str, Callable[..., Any]]]:
        """Returns who implements a hook and how to call it: first registered first, but for what
        `tryfirst` and `trylast` say.
        """
        found = self._called.get(hook)
        if found is None:
            # pluggy keeps the one to call first at the end, the one registered last among equals.
            impls = getattr(self._pluggy.hook, hook).get_hookimpls()
            impls.sort(key=lambda impl: impl.trylast - impl.tryfirst)
            found = [(impl.plugin_name, _called_by_name(impl)) for impl in impls]
            self._called[hook] = found
        return found


_current: ContextVar[PluginManager | None] = ContextVar("wieldy_plugin_manager", default=None)


def current_plugins() -> PluginManager | None:
    """Returns the plugin manager that is current; None outside of `use_plugins`."""
    return _current.get()


@contextmanager
def use_plugins(plugins: PluginManager) -> Iterator[PluginManager]:
    """Makes a plugin manager current for a block of code: its names, its hooks, and its events."""
    outer = _current.get()
    token = _current.set(plugins)
    try:
        with use_events(
            plugins.emit if plugins.listens else None, in_place_of=outer.emit if outer else None
        ):
            yield plugins
    finally:
        _current.reset(token)


def _called_by_name(impl: pluggy.HookImpl) -> Callable[..., Any]:
    # pluggy lets an implementation name fewer arguments than the hook has.
    def call(**arguments: Any) -> Any:
        return impl.function(**{name: arguments[name] for name in impl.argnames})

    return call


async def _approval(
    function: Callable[..., Any], request: ApprovalRequest, provider: str
) -> Approval | None:
    try:
        answer = function(request=request)
        answer = await answer if inspect.isawaitable(answer) else answer
    except (Exception, SystemExit) as error:
        logger.exception("wieldy_approve of %s failed", provider)
        reason = f"the approver of {provider} failed: {_cause(error)}"
        return Approval(decision="reject", explanation=reason)
    if answer is None or isinstance(answer, Approval):
        return answer
    reason = f"the approver of {provider} did not return an Approval, but {answer!r}"
    return Approval(decision="reject", explanation=reason)


def _checked_backend(backend: object) -> type[Sandbox]:
    if not (isinstance(backend, type) and issubclass(backend, Sandbox)):
        msg = f"wieldy_sandboxes must return subclasses of Sandbox, got {backend!r}"
        raise PluginError(msg)
    if not isinstance(getattr(backend, "name", None), str):
        msg = f"the sandbox {backend.__qualname__} has no `name`"
        raise PluginError(msg)
    if backend.api_version > API_VERSION:
        msg = (
            f"the sandbox {backend.name} is written for version {backend.api_version} of the contract, and "
            f"this wieldy has version {API_VERSION}: upgrade wieldy"
        )
        raise PluginError(msg)
    return backend


def _listed(answer: object, hook: str) -> Sequence[object]:
    if answer is None:
        return ()
    if not isinstance(answer, Sequence) or isinstance(answer, str):
        msg = f"{hook} must return a list, got {answer!r}"
        raise PluginError(msg)
    return answer


def _named(answer: object, hook: str) -> list[tuple[str, Any]]:
    if answer is None:
        return []
    if not isinstance(answer, Mapping):
        msg = f"{hook} must return a mapping of names, got {answer!r}"
        raise PluginError(msg)
    for name, value in answer.items():
        if not isinstance(name, str) or not callable(value):
            msg = f"{hook} must map names to functions, got {name!r}: {value!r}"
            raise PluginError(msg)
    return list(answer.items())


def _cause(error: BaseException) -> str:
    # One line, but all of it: pluggy and pydantic say what is wrong in the last lines.
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _is_named(status: PluginStatus, name: str) -> bool:
    return name == status.name or normal_name(name) == normal_name(status.distribution)


def normal_name(distribution: str) -> str:
    """Returns the one spelling that stands for all spellings of a distribution's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def strict_from_environment() -> bool:
    """Tells whether WIELDY_PLUGINS makes a broken plugin fatal.

    Raises:
        ConfigError: It has another value than "strict".
    """
    value = os.environ.get(STRICT_VARIABLE, "")
    if value not in {"", "strict"}:
        msg = f"{STRICT_VARIABLE} can only be 'strict', got {value!r}"
        raise ConfigError(msg)
    return value == "strict"
