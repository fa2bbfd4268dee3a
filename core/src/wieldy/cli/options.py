"""The options that several commands have, and what they and the configuration come to together."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, cast

import click

from ..config import EnvironmentConfig, SandboxSettings
from ..exceptions import ConfigError, WieldyError
from ..limits import Limit, parse_limit
from ..plugins import PluginManager
from .app import App

F = TypeVar("F", bound=Callable[..., Any])

Output: TypeAlias = Literal["live", "quiet", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """Where tools run.

    Attributes:
        env: The name of the environment in the configuration.
        sandbox: The backend, in place of the environment's.
        workdir: The directory in which commands run.
    """

    env: str | None = None
    sandbox: str | None = None
    workdir: str | None = None

    def environment(self, app: App) -> EnvironmentConfig:
        """Returns the environment with these options in it.

        Raises:
            ConfigError: The backend has no working directory that can be chosen.
            UnknownNameError: There is no such environment or backend.
        """
        _, environment = app.config.environment(self.env)
        if self.sandbox is None and self.workdir is None:
            return environment
        boxes = dict(environment.boxes)
        name = "default" if "default" in boxes else next(iter(boxes))
        boxes[name] = self._settings(app.plugins, boxes[name])
        return environment.model_copy(update={"sandbox": None, "sandboxes": boxes})

    def _settings(self, plugins: PluginManager, given: SandboxSettings) -> SandboxSettings:
        table = {"backend": given} if isinstance(given, str) else dict(given)
        if self.sandbox is not None and self.sandbox != table.get("backend"):
            table = {"backend": self.sandbox}
        if self.workdir is None:
            return table
        backend = str(table.get("backend"))
        if "workdir" not in plugins.sandboxes[backend].Config.model_fields:
            msg = f"the sandbox {backend} has no `workdir` to set: leave --workdir out"
            raise ConfigError(msg)
        return {**table, "workdir": self.workdir}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(SandboxOptions):
    """How an agent runs.

    Attributes:
        model: The model, in place of the environment's.
        tools: The names of the tools, in place of the environment's; None for those.
        limit: Limits; each replaces the environment's limit of the same kind.
        log: The file to which events are added.
        quiet: Whether only the answer is written.
        json: Whether events are written in place of a display.
    """

    model: str | None = None
    tools: tuple[str, ...] | None = None
    limit: tuple[Limit, ...] = ()
    log: Path | None = None
    quiet: bool = False
    json: bool = False

    def __post_init__(self) -> None:
        if self.quiet and self.json:
            msg = "--quiet and --json cannot go together: choose one"
            raise click.UsageError(msg)

    @property
    def output(self) -> Output:
        """What is written to the standard output."""
        return "quiet" if self.quiet else "json" if self.json else "live"

    def limits(self, environment: EnvironmentConfig) -> list[Limit]:
        """Returns the limits of a run in an environment."""
        limits = {kind: parse_limit(f"{kind}={n}") for kind, n in environment.limits.items()}
        limits |= {limit.kind: limit for limit in self.limit}
        return list(limits.values())


def sandbox_options(command: F) -> F:
    """Adds the options of `SandboxOptions` to a command."""
    return _with(
        command,
        click.option("--env", metavar="NAME", help="The environment of wieldy.toml to use."),
        click.option(
            "--sandbox", metavar="BACKEND", help="Where tools run, in place of the environment's."
        ),
        click.option(
            "--workdir", metavar="DIR", help="The directory in which commands run; it is kept."
        ),
    )


def run_options(command: F) -> F:
    """Adds the options of `RunOptions` to a command."""
    return _with(
        sandbox_options(command),
        click.option("--model", metavar="PROVIDER/NAME", help="The model to ask."),
        click.option(
            "--tools", callback=_names, metavar="A,B", help='The tools to offer; "" for none.'
        ),
        click.option(
            "--limit",
            callback=_limits,
            metavar="KIND=N",
            multiple=True,
            help="What the run may use, for instance turns=50. Can be given several times.",
        ),
        click.option(
            "--log",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Write every event to FILE as one line of JSON, as it happens. A file that exists is "
            "kept: lines are added at its end, and each run begins with a run_started line.",
        ),
        click.option("--quiet", is_flag=True, help="Write only the answer."),
        json_option("Write every event as one line of JSON, and nothing else."),
    )


def json_option(text: str) -> Callable[[F], F]:
    """Makes the option `--json`; the text says what it writes."""
    return click.option("--json", "json", is_flag=True, help=text)


def debug_option(command: F) -> F:
    """Adds `--debug`, which may stand before or after the name of a command."""
    return click.option(
        "--debug",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_debug,
        help="Show the traceback of an error.",
    )(command)


def _names(
    _ctx: click.Context, _param: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    if value is None:
        return None
    stripped = (name.strip() for name in value.split(","))
    return tuple(dict.fromkeys(name for name in stripped if name))


def _limits(
    _ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]
) -> tuple[Limit, ...]:
    try:
        return tuple(map(parse_limit, value))
    except WieldyError as error:
        raise click.BadParameter(str(error)) from error


def _debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's call
    app = ctx.find_object(App)
    if value and app is not None:
        app.debug = True


def text_or_stdin(text: str) -> str:
    """Returns a text that was given as an argument, or the standard input where that is "-"."""
    return sys.stdin.read() if text == "-" else text


def _with(command: F, *options: Callable[[Any], Any]) -> F:
    # click lists the option of the innermost decorator last.
    decorated: Any = command
    for option in options[::-1]:
        decorated = option(decorated)
    return cast("F", decorated)
