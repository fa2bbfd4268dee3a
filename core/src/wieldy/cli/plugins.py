"""`wieldy plugins`: every installed plugin, and how it is."""

import json as json_format
from dataclasses import asdict

import click

from ..plugins import PluginManager, PluginStatus
from .app import App, pass_app
from .options import debug_option, json_option
from .text import visible


@click.command("plugins")
@json_option("Write JSON.")
@debug_option
@pass_app
def plugins_command(app: App, *, json: bool) -> None:
    """List the installed plugins, broken ones too.

    What they are, which hooks they have, what they give, and why a broken one is broken.
    """
    plugins = app.plugins
    if json:
        listed = [{**asdict(each), "gives": plugins.gives(each)} for each in plugins.plugins()]
        whole = {"plugins": listed, "conflicts": plugins.conflicts()}
        click.echo(json_format.dumps(whole, indent=2))
        return
    for status in plugins.plugins():
        click.echo(_summary(plugins, status))
    for name, providers in plugins.conflicts().items():
        click.echo(visible(f"conflict: {name} is given by {' and '.join(sorted(providers))}"))


def _summary(plugins: PluginManager, status: PluginStatus) -> str:
    origin = f"{status.distribution} {status.version}" if status.distribution else "no distribution"
    lines = [f"{status.name}  ({origin})  {status.status}"]
    if status.cause:
        lines.append(f"  cause: {status.cause}")
    if status.hooks:
        lines.append(f"  hooks: {', '.join(status.hooks)}")
    for kind, names in plugins.gives(status).items():
        lines.append(f"  {kind.replace('_', ' ')}: {', '.join(names)}")
    return visible("\n".join(lines))
