"""`wieldy demo`: an agent repairs a small project, and the command checks that it did."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import anyio
import click
from pydantic import TypeAdapter

from ..config import open_environment
from ..exceptions import SandboxError
from ..models import Model, ScriptedModel, ScriptedTurn
from ..plugins import PluginManager
from ..sandboxes import Ending, ExecResult, ExecTimeout, Sandbox
from .app import App, pass_app
from .errors import complain
from .options import RunOptions, debug_option, run_options
from .output import Lines
from .session import make_tool, run_agent, succeeded, watched
from .stop import Stop, until_stopped
from .text import visible

PROJECT = "room-booking"
"""The directory of the project in the sandbox."""

TOOLS = ("bash", "python")
"""The tools that the script of the demo uses."""

TASK = f"""\
The directory {PROJECT} in your working directory holds a small Python package, roombook, with its tests. It \
needs nothing but Python's standard library.

Users complain: the calendar offers a room as free while a workshop is still going on in it. One of the tests \
shows the same fault. To run them: cd {PROJECT} && python3 -m unittest

Find the cause, and repair the package so that all tests pass. Leave the files in {PROJECT}/tests as they are. \
Then submit two or three sentences: what was wrong, and what you changed.
"""

_TEST_ARGUMENTS = ("-m", "unittest")
_TEST_TIMEOUT = 60.0
# What the agent's own runs of the tests compiled could hide what the source says now.
_TEST_ENV = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "no-cache"}


@click.command("demo")
@run_options
@debug_option
@pass_app
def demo_command(app: App, /, **options: Any) -> None:
    """Let an agent repair a small project, and check it.

    The project is a real one with a bug and a failing test. Without --model the answers of the model come from
    a script; the tools, the sandbox and the loop are real, and the script fails where a tool's result is not what
    it should be. The tools are bash and python unless --tools says otherwise.

    At the end the tests are run in the sandbox: the exit code is 0 only where all pass, the files of the tests are
    as they were, and the agent has submitted an answer. With --workdir the repaired project stays in DIR.
    """
    code = anyio.run(until_stopped, partial(_demo, app, RunOptions(**options)))
    raise click.exceptions.Exit(code)


async def _demo(app: App, options: RunOptions, stop: Stop) -> int:
    plugins = app.plugins
    environment = options.environment(app)
    model = _model(plugins, options)
    names = TOOLS if options.tools is None else options.tools
    tools = [make_tool(plugins, name) for name in names]
    lines = Lines(stop)
    with watched(plugins, options, lines):
        async with open_environment(plugins, app.config, environment) as box:
            await _copy_project(box)
            state = await run_agent(TASK, model, tools, options.limits(environment))
            verdict = await _verdict(box) if succeeded(state) else None
    if verdict is None or not verdict.solved:
        complain(f"not solved: {verdict.text if verdict else 'there is no answer'}")
        return 1
    if options.output != "json":
        lines.write(visible(state.output.completion) if options.quiet else verdict.text)
    return 0


def _model(plugins: PluginManager, options: RunOptions) -> Model:
    """Returns the model that was asked for, else the one of the script: the demo costs nothing."""
    if options.model:
        return plugins.model(options.model)
    script = resources.files(__package__).joinpath("demo_script.json").read_bytes()
    turns = TypeAdapter(list[ScriptedTurn]).validate_json(script)
    return ScriptedModel(turns, "scripted/demo")


# -- the project ----------------------------------------------------------------------------------


def project_files() -> dict[str, bytes]:
    """Returns the files of the project, by their path in it."""
    root = resources.files(__package__).joinpath("demo_project")
    return dict(_files(root, ""))


def _files(directory: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for each in sorted(directory.iterdir(), key=lambda each: each.name):
        # An installer compiles every module of a package, the project's too.
        if each.is_dir() and each.name != "__pycache__":
            yield from _files(each, f"{path}{each.name}/")
        elif each.is_file():
            yield f"{path}{each.name}", each.read_bytes()


async def _copy_project(box: Sandbox) -> None:
    """Copies the project into the sandbox.

    Raises:
        SandboxError: There is something in its place already.
    """
    try:
        await box.stat(PROJECT)
    except FileNotFoundError:
        for path, contents in project_files().items():
            await box.write_file(f"{PROJECT}/{path}", contents)
        return
    msg = f"there is already a {PROJECT} in the sandbox's directory: remove it, or choose another --workdir"
    raise SandboxError(msg)


# -- the check ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Whether the project is repaired, and how that shows."""

    solved: bool
    text: str


async def _verdict(box: Sandbox) -> _Verdict:
    for path, contents in project_files().items():
        if path.startswith("tests/") and await _read(box, f"{PROJECT}/{path}") != contents:
            return _Verdict(solved=False, text=f"{path} is not as it was")
    try:
        result = await _run_tests(box)
    except ExecTimeout as error:
        return _Verdict(solved=False, text=f"the tests {error.result.status}")
    ran = re.search(r"^Ran (\d+) tests? in", result.stderr, re.MULTILINE)
    if not result.success or ran is None:
        last = result.stderr.strip().rpartition("\n")[2]
        return _Verdict(solved=False, text=f"the tests do not pass: {last or result.status}")
    return _Verdict(solved=True, text=f"solved: {ran[1]} tests pass")


async def _read(box: Sandbox, path: str) -> bytes | None:
    try:
        return await box.read_file(path, text=False)
    except OSError:
        return None


async def _run_tests(box: Sandbox) -> ExecResult:
    for program in ("python3", "python"):
        result = await box.exec(
            [program, *_TEST_ARGUMENTS], cwd=PROJECT, env=_TEST_ENV, timeout=_TEST_TIMEOUT
        )
        if result.ending is not Ending.NOT_STARTED:
            break
    return result
