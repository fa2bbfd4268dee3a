"""`wieldy tools`: every installed tool, as a model sees it."""

import json as json_format
from dataclasses import dataclass
from typing import Any

import click

from ..exceptions import NameConflictError, WieldyError
from ..plugins import PluginManager
from ..tools import PROVIDERS, ToolInfo, rendition
from .app import App, pass_app
from .errors import complain
from .options import debug_option, json_option
from .session import make_tool
from .text import indented, visible
from .transcript import SUBMIT


@dataclass(frozen=True, slots=True)
class _Installed:
    """A tool that a plugin gives.

    Attributes:
        name: Its name.
        plugin: Who gives it; several where they are in conflict.
        info: What a model is told of it; None where it cannot be used.
        error: Why it cannot be used.
    """

    name: str
    plugin: str
    info: ToolInfo | None = None
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        info = self.info.model_dump() if self.info else {"name": self.name}
        error = {"error": self.error} if self.error else {}
        return {**info, "plugin": self.plugin, **error}


@click.command("tools")
@click.argument("name", required=False)
@json_option("Write JSON: a list of tools, or the one tool.")
@click.option(
    "--lint",
    is_flag=True,
    help="Show tools as each provider sees them; fail where something is lost.",
)
@debug_option
@pass_app
def tools_command(app: App, name: str | None, *, json: bool, lint: bool) -> None:
    """List the installed tools, or show one.

    NAME is shown with its whole description, its schema as a model sees it, and the plugin it comes from.

    With --lint the exit code is 1 where a tool cannot be offered at all, or a provider cannot be told part of
    it: a description, the values of an enum, a keyword of its schema.
    """
    if lint:
        _lint(app.plugins, name)
    elif name is not None:
        _show_one(_one(app.plugins, name), as_json=json)
    else:
        _list(app.plugins, as_json=json)


def _list(plugins: PluginManager, *, as_json: bool) -> None:
    tools = _all(plugins)
    if as_json:
        click.echo(json_format.dumps([tool.as_json() for tool in tools], indent=2))
        return
    for tool in tools:
        click.echo(_summary(tool))
    if not tools:
        click.echo("no tools are installed; for instance: pip install wieldy-bash")


def _all(plugins: PluginManager) -> list[_Installed]:
    names = {*plugins.tools, *plugins.tools.conflicts()}
    return [_installed(plugins, each) for each in sorted(names)]


def _lint(plugins: PluginManager, name: str | None) -> None:
    """Shows tools as each provider sees them.

    Raises:
        Exit: Something is lost.
    """
    problems = 0
    for each in _all(plugins) if name is None else [_one(plugins, name)]:
        if each.info is None:
            problems += 1
            click.echo(visible(f"{each.name}: {each.error}"))
            continue
        if each.name == SUBMIT:
            problems += 1
            click.echo(f"{each.name}: an agent's own submit tool has this name")
        for provider in PROVIDERS:
            seen = rendition(each.info, provider)
            problems += len(seen.lost)
            click.echo(f"{each.name} for {provider}: {'LOSSES' if seen.lost else 'ok'}")
            click.echo(visible(indented(json_format.dumps(seen.tool, ensure_ascii=False), 2)))
            for loss in seen.lost:
                click.echo(visible(f"  lost: {loss}"))
    if problems:
        complain(f"{problems} problems: what is lost, a model is not told")
        raise click.exceptions.Exit(1)


def _one(plugins: PluginManager, name: str) -> _Installed:
    plugin = plugins.tools.provider(name)
    return _Installed(name, plugin, make_tool(plugins, name).info)


def _installed(plugins: PluginManager, name: str) -> _Installed:
    try:
        return _one(plugins, name)
    except NameConflictError as error:
        return _Installed(
            name, " and ".join(sorted(plugins.tools.conflicts()[name])), error=str(error)
        )
    except WieldyError as error:
        return _Installed(name, plugins.tools.provider(name), error=str(error))


def _show_one(tool: _Installed, *, as_json: bool) -> None:
    if as_json:
        click.echo(json_format.dumps(tool.as_json(), indent=2))
        return
    info = tool.info or ToolInfo(name=tool.name, description="")
    schema = json_format.dumps(info.parameters.model_dump(), indent=2, ensure_ascii=False)
    text = f"{info.name}  ({tool.plugin})\n\n{info.description}\n\nparameters:\n{schema}"
    click.echo(visible(text))


def _summary(tool: _Installed) -> str:
    lines = [f"{tool.name}  ({tool.plugin})"]
    if tool.info is not None:
        lines.append(indented(tool.info.description.partition("\n")[0], 2))
        lines += _parameters(tool.info)
    if tool.error:
        lines.append(indented(f"unusable: {tool.error}", 2))
    return visible("\n".join(lines))


def _parameters(info: ToolInfo) -> list[str]:
    lines = []
    for name, param in info.parameters.properties.items():
        kind = param.type if isinstance(param.type, str) else "any"
        need = "required" if name in info.parameters.required else "optional"
        about = (param.description or "").partition("\n")[0]
        lines.append(f"    {name}: {kind}, {need}. {about}".rstrip())
    return lines
