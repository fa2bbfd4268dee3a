"""`wieldy sandboxes`: every installed backend, and whether it can be used here."""

import json as json_format
from dataclasses import asdict, dataclass

import anyio
import click

from ..plugins import PluginManager
from ..sandboxes import Sandbox
from .app import App, pass_app
from .options import debug_option, json_option
from .text import visible

_PATIENCE = 15.0
"""Seconds that a backend may take to say whether it can be used."""


@dataclass(frozen=True, slots=True)
class _Backend:
    """What is known of a backend.

    Attributes:
        name: Its name.
        plugin: Who gives it.
        capabilities: What it claims.
        settings: The keys of its table in wieldy.toml.
        unusable: Why it cannot be used here; None where it can.
    """

    name: str
    plugin: str
    capabilities: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    unusable: str | None = None


@click.command("sandboxes")
@json_option("Write JSON.")
@debug_option
@pass_app
def sandboxes_command(app: App, *, json: bool) -> None:
    """List the installed sandbox backends.

    What they can do, which settings they take in wieldy.toml, and whether they can be used here.
    """
    backends = anyio.run(_backends, app.plugins)
    if json:
        click.echo(json_format.dumps([asdict(each) for each in backends], indent=2))
        return
    for backend in backends:
        click.echo(_summary(backend))
    if not backends:
        click.echo("no sandboxes are installed; for instance: pip install wieldy-sandbox-local")


async def _backends(plugins: PluginManager) -> list[_Backend]:
    found = [
        _Backend(name, " and ".join(sorted(givers)), unusable="several plugins give this name")
        for name, givers in plugins.sandboxes.conflicts().items()
    ]

    async def ask(name: str, kind: type[Sandbox]) -> None:
        found.append(
            _Backend(
                name,
                plugins.sandboxes.provider(name),
                tuple(sorted(kind.capabilities)),
                tuple(kind.Config.model_fields),
                await _unusable(kind),
            )
        )

    async with anyio.create_task_group() as tasks:
        for name, kind in plugins.sandboxes.items():
            tasks.start_soon(ask, name, kind)
    return sorted(found, key=lambda backend: backend.name)


async def _unusable(kind: type[Sandbox]) -> str | None:
    try:
        with anyio.fail_after(_PATIENCE):
            return await kind.unusable()
    except TimeoutError:
        return f"it did not say within {_PATIENCE:g} s whether it can be used"
    except Exception as error:  # noqa: BLE001 - one backend must not hide the others
        return f"{type(error).__name__}: {error}"


def _summary(backend: _Backend) -> str:
    usable = "usable" if backend.unusable is None else f"not usable: {backend.unusable}"
    lines = [f"{backend.name}  ({backend.plugin})  {usable}"]
    if backend.capabilities:
        lines.append(f"  capabilities: {', '.join(backend.capabilities)}")
    if backend.settings:
        lines.append(f"  settings: {', '.join(backend.settings)}")
    return visible("\n".join(lines))
