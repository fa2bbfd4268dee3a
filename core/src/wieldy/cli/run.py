"""`wieldy run`: an agent on a task."""

from functools import partial
from typing import Any

import anyio
import click

from ..config import EnvironmentConfig, open_environment
from ..exceptions import ConfigError
from ..models import Model
from ..plugins import PluginManager
from .app import App, pass_app
from .options import RunOptions, debug_option, run_options, text_or_stdin
from .output import Lines
from .session import make_tool, run_agent, succeeded, watched
from .stop import Stop, until_stopped
from .text import visible


@click.command("run")
@click.argument("task")
@run_options
@debug_option
@pass_app
def run_command(app: App, /, task: str, **options: Any) -> None:
    """Let an agent work on TASK until it has an answer.

    A TASK of "-" is read from the standard input. What the options do not say is taken from the environment
    in wieldy.toml: the one that --env or WIELDY_ENV names, else the default one.

    The exit code is 0 where the run came to an answer, 1 where it ended otherwise (a limit, a refusal, an
    error), 2 for a wrong option, and 128 and the number of the signal where it was stopped.
    """
    task = text_or_stdin(task)
    if not task.strip():
        msg = "the TASK is empty"
        raise click.UsageError(msg)
    chosen = RunOptions(**options)
    code = anyio.run(until_stopped, partial(_run, app, task, chosen))
    raise click.exceptions.Exit(code)


async def _run(app: App, task: str, options: RunOptions, stop: Stop) -> int:
    plugins = app.plugins
    environment = options.environment(app)
    model = chosen_model(plugins, options, environment)
    names = environment.tools if options.tools is None else options.tools
    tools = [make_tool(plugins, name) for name in dict.fromkeys(names)]
    lines = Lines(stop)
    with watched(plugins, options, lines):
        async with open_environment(plugins, app.config, environment):
            state = await run_agent(task, model, tools, options.limits(environment))
    if not succeeded(state):
        return 1
    if options.quiet:
        lines.write(visible(state.output.completion))
    return 0


def chosen_model(
    plugins: PluginManager, options: RunOptions, environment: EnvironmentConfig
) -> Model:
    """Returns the model of the options, else that of the environment.

    Raises:
        ConfigError: Neither names one.
        UnknownNameError: No installed plugin has it.
    """
    name = options.model or environment.model
    if name is None:
        msg = (
            "no model: say which with --model PROVIDER/NAME, or write `model = ...` into the environment in "
            "wieldy.toml"
        )
        raise ConfigError(msg)
    return plugins.model(name)
