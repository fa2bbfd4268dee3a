"""The `wieldy` command: its group, its options for all commands, and what an error comes to."""

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from .._version import __version__
from ..exceptions import WieldyError
from .app import App, add_plugin_commands
from .call import call_command
from .demo import demo_command
from .errors import SIGNALLED, complain, report, shown_warnings
from .options import debug_option
from .output import drop_output
from .plugins import plugins_command
from .run import run_command
from .sandboxes import sandboxes_command
from .tools import tools_command

_INTERRUPTED = SIGNALLED + 2  # SIGINT
_NO_READER = SIGNALLED + 13  # SIGPIPE


class Wieldy(click.Group):
    """The group of all commands; those of plugins are added when a command is looked up."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that is to run; the plugins, which may bring it, are loaded first."""
        app = ctx.ensure_object(App)
        self._add_plugins(app)
        if args[0] != plugins_command.name:
            app.tell_broken()
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of all commands, for the help; those of wieldy where plugins fail."""
        app = ctx.ensure_object(App)
        try:
            self._add_plugins(app)
            if not ctx.resilient_parsing:
                app.tell_broken()
        except WieldyError as error:
            complain(str(error), "warning")
        return super().list_commands(ctx)

    def invoke(self, ctx: click.Context) -> None:
        """Runs a command; what it returns is no exit code, as everywhere in click."""
        try:
            super().invoke(ctx)
        except BrokenPipeError:
            drop_output()
            raise click.exceptions.Exit(_NO_READER) from None

    def _add_plugins(self, app: App) -> None:
        if not app.commands_added:
            app.commands_added = True
            add_plugin_commands(self, app.plugins)


def command_line() -> Wieldy:
    """Makes the `wieldy` command, for one invocation: plugins add to it."""

    @click.group(cls=Wieldy, name="wieldy")
    @debug_option
    @click.option(
        "--block-plugin",
        "block",
        metavar="NAME",
        multiple=True,
        is_eager=True,
        expose_value=False,
        callback=_block,
        help="Leave out a plugin: the name of it or of its distribution. Can be given several times.",
    )
    @click.version_option(__version__, message="wieldy %(version)s")
    def wieldy() -> None:
        """Hands for a language model: tools, sandboxes, approvals and a ReAct loop, all pluggable."""

    commands = (
        run_command,
        call_command,
        demo_command,
        tools_command,
        plugins_command,
        sandboxes_command,
    )
    for command in commands:
        wieldy.add_command(command)
    return wieldy


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the `wieldy` command and ends the program with its exit code.

    Args:
        arguments: The arguments; None for those of the program.
    """
    _open_what_is_closed()
    _escape_what_cannot_be_written()
    sys.exit(_exit_code(App(), arguments))


def _exit_code(app: App, arguments: Sequence[str] | None) -> int:
    with shown_warnings(lambda: app.debug):
        try:
            # Outside of its standalone mode click returns the code with which a command ended itself.
            code = command_line().main(arguments, "wieldy", standalone_mode=False, obj=app)
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            return _INTERRUPTED
        except Exception as error:  # noqa: BLE001 - the end of the line: it is told, whatever it is
            report(error, debug=app.debug)
            return 1
    return code if isinstance(code, int) else 0


def _block(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> None:
    ctx.ensure_object(App).block = value


def _open_what_is_closed() -> None:
    """Puts an empty stream in the place of a standard stream that is closed (`wieldy demo >&-`)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - for as long as it lives
            setattr(sys, name, stream)


def _escape_what_cannot_be_written() -> None:
    """Lets a character that the terminal's encoding does not have be written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
