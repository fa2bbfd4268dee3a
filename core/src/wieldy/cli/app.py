"""One invocation of the command line: its options for all commands, its configuration, its plugins."""

import logging
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cached_property

import click

from ..config import Config, load_config, load_plugins
from ..exceptions import PluginError
from ..plugins import PluginManager
from ..plugins.manager import normal_name, strict_from_environment
from .errors import complain, no_warnings

_logger = logging.getLogger("wieldy.plugins")


@dataclass
class App:
    """What all commands of one invocation share.

    Attributes:
        debug: Whether errors come with their traceback.
        block: Plugins to leave out, on top of those that the configuration blocks.
        commands_added: Whether plugins have been asked for their commands.
    """

    debug: bool = False
    block: tuple[str, ...] = ()
    commands_added: bool = False

    @cached_property
    def config(self) -> Config:
        """The configuration of the current directory."""
        return load_config()

    @cached_property
    def plugins(self) -> PluginManager:
        """The installed plugins; a broken one is kept apart, and nothing is said of it here."""
        given = self.config.plugins
        # Whether a broken plugin is fatal is decided later: commands that plugins add can be broken too.
        strict = False if self.is_strict else given.strict
        update = {"block": [*given.block, *self.block], "strict": strict}
        plugins = given.model_copy(update=update)
        # `tell_broken` warns, in its own time; what a plugin prints is no output of a command.
        with no_warnings(_logger), redirect_stdout(sys.stderr):
            return load_plugins(self.config.model_copy(update={"plugins": plugins}))

    @property
    def is_strict(self) -> bool:
        """Whether a broken plugin is fatal."""
        strict = self.config.plugins.strict
        return strict_from_environment() if strict is None else strict

    def tell_broken(self) -> None:
        """Warns of every broken plugin, and of a name to block that no plugin has.

        Raises:
            PluginError: There is a broken one, and that is fatal.
        """
        statuses = self.plugins.plugins()
        broken = [
            f"plugin {each.provider} is broken: {each.cause}"
            for each in statuses
            if each.status == "broken"
        ]
        if broken and self.is_strict:
            lines = "\n".join(broken)
            msg = (
                f"{lines}\nthat is fatal here: repair it, or leave it out with --block-plugin NAME"
            )
            raise PluginError(msg)
        for text in broken:
            complain(text, "warning")
        known = {normal_name(name) for each in statuses for name in (each.name, each.distribution)}
        for name in self.block:
            if normal_name(name) not in known:
                complain(f"--block-plugin: no plugin is named {name}", "warning")


pass_app = click.make_pass_decorator(App)
"""Gives a command the `App` of its invocation as the first argument."""


def add_plugin_commands(group: click.Group, plugins: PluginManager) -> None:
    """Lets every plugin add its commands; one that fails, or would replace a command, adds nothing."""
    for provider, hook in plugins.cli_hooks():
        trial = click.Group(group.name, commands=dict(group.commands))
        try:
            hook(cli=trial)
            _check_kept(group, trial)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - also sys.exit: the other commands work
            with no_warnings(_logger):
                plugins.mark_broken(provider, error)
        else:
            group.commands.update(trial.commands)


def _check_kept(group: click.Group, trial: click.Group) -> None:
    for name, command in group.commands.items():
        if trial.commands.get(name) is not command:
            msg = f"its command {name!r} would replace the one that exists"
            raise PluginError(msg)
