"""Every hook that a plugin can implement.

A plugin is a module or an object with functions of these names, marked with `@hookimpl`, found through
an entry point of the group `wieldy`:

    from wieldy import hookimpl

    @hookimpl
    def wieldy_tools():
        return [my_tool]

Registration hooks (`wieldy_tools` to `wieldy_cli`) are plain functions that return values, asked for once
when the plugins are loaded. Behaviour hooks (`wieldy_approve` to `wieldy_event`) are called while an agent
runs; the first two may be async, and each plugin is awaited before the next is asked. A hook wrapper
(`hookimpl(wrapper=True)`) is refused, since pluggy cannot await one.

A name that two plugins give is unusable, with an error that names both distributions; their other names
are not affected. An exception in a registration hook makes its plugin broken: it is listed as such by
`wieldy plugins`, with the cause, and takes no other plugin with it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pluggy

from ..approval import Approval, ApprovalRequest
from ..events import Event
from ..messages import MessageFilter, ToolCall
from ..models.model import ModelProvider
from ..sandboxes import Sandbox
from ..tools import Tool, ToolFactory

if TYPE_CHECKING:
    import click

PROJECT = "wieldy"
"""The name of pluggy's project and of the entry point group."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as the implementation of a hook."""


@hookspec
def wieldy_tools() -> Sequence[ToolFactory[...] | Tool]:
    """Gives the tools of a plugin.

    Called once, by the plugin manager, when the plugin is loaded.

    Returns:
        What `@tool` made: factories, or tools. The name of each is the one that `@tool` gave it. None
        means that the plugin has no tools.
    """
    raise NotImplementedError


@hookspec
def wieldy_sandboxes() -> Sequence[type[Sandbox]]:
    """Gives the sandbox backends of a plugin.

    Called once, by the plugin manager, when the plugin is loaded.

    Returns:
        Subclasses of `Sandbox`, each known by its `name`. A class whose `api_version` is newer than
        this core's is refused. None means that the plugin has no backends.
    """
    raise NotImplementedError


@hookspec
def wieldy_models() -> Mapping[str, ModelProvider]:
    """Gives the model providers of a plugin, by prefix.

    Called once, by the plugin manager, when the plugin is loaded.

    Returns:
        For each prefix ("anthropic" for "anthropic/claude-...") a function that makes the model of
        the name behind it. None means that the plugin has no models.
    """
    raise NotImplementedError


@hookspec
def wieldy_approvers() -> Mapping[str, Callable[..., Any]]:
    """Gives the approver factories that a policy file may name.

    Called once, by the plugin manager, when the plugin is loaded.

    Returns:
        For each name a function that takes the approver's own parameters and returns an `Approver`.
        None means that the plugin has no approvers.
    """
    raise NotImplementedError


@hookspec
def wieldy_compactions() -> Mapping[str, Callable[..., Any]]:
    """Gives the compaction strategies that a configuration may name.

    Called once, by the plugin manager, when the plugin is loaded.

    Returns:
        For each name a function that takes the strategy's own parameters and returns the strategy.
        None means that the plugin has no strategies.
    """
    raise NotImplementedError


@hookspec
def wieldy_message_filters() -> Mapping[str, MessageFilter]:
    """Gives the conversation filters that `truncation=` may name.

    Called once, by the plugin manager, when the plugin is loaded.

    Returns:
        For each name an async function from one conversation to another. None means that the plugin
        has no filters.
    """
    raise NotImplementedError


@hookspec
def wieldy_cli(cli: "click.Group") -> None:
    """Adds commands to the `wieldy` command line.

    Called once, by the command line, before it reads its arguments.

    Args:
        cli: The click group of all commands. A command that would replace one that exists is refused.

    Returns:
        Nothing; what it returns is ignored. An exception makes the plugin broken, and the other
        commands work.
    """
    raise NotImplementedError


@hookspec
def wieldy_approve(
    request: ApprovalRequest,
) -> Approval | Awaitable[Approval | None] | None:
    """Decides on a tool call, before any policy is asked.

    Called for every call whose arguments are valid, right before it would run. May be async.

    Args:
        request: The call as it will run, its view, and the conversation.

    Returns:
        The plugin's answer; the strictest of all plugins wins: terminate, reject, modify, approve. An
        approval leaves the policies to be asked. A modification must name the same tool; it is checked like
        a call of the model, and then every plugin is asked again about the modified call, until all agree. None (and "escalate") means no opinion. An exception rejects the
        call: an approver that fails lets nothing through.
    """
    raise NotImplementedError


@hookspec
def wieldy_truncate_output(
    call: ToolCall, output: str, limit: int
) -> str | Awaitable[str | None] | None:
    """Shortens the output of a tool that is longer than the model may see.

    Called after a tool has run, for each text of its result that is over the limit. May be async.

    Args:
        call: The call that was answered.
        output: The whole text.
        limit: How many bytes of UTF-8 the model may see.

    Returns:
        The shorter text; the first answer wins, and what is still over the limit is cut by the
        built-in, which is asked last: it keeps head and tail. None means no opinion. An exception is
        logged and counts as None.
    """
    raise NotImplementedError


@hookspec
def wieldy_event(event: Event) -> None:
    """Is told of every event of a run, as it happens: for displays, logs and tracing.

    Called synchronously, in the event loop; it must not block.

    Args:
        event: What happened.

    Returns:
        Nothing; what it returns is ignored. An exception is logged and never breaks the run.
    """
    raise NotImplementedError
