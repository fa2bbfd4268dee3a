"""`wieldy call`: one tool call, as a model would make it."""

from functools import partial
from typing import Any

import anyio
import click

from ..config import open_environment
from ..execution import execute_tools
from ..messages import ChatMessageAssistant, ChatMessageTool, ContentImage, ToolCall
from ..scope import open_scope
from .app import App, pass_app
from .errors import complain
from .options import SandboxOptions, debug_option, json_option, sandbox_options, text_or_stdin
from .output import Lines, json_line
from .session import make_tool
from .stop import Stop, until_stopped
from .text import visible


@click.command("call")
@click.argument("tool")
@click.argument("arguments", default="{}")
@sandbox_options
@json_option("Write the whole answer as one line of JSON, exactly as the model gets it.")
@debug_option
@pass_app
def call_command(app: App, /, tool: str, arguments: str, *, json: bool, **options: Any) -> None:
    r"""Call one tool as a model would, and show the result.

    TOOL is called with ARGUMENTS, a JSON object; a tool with one text parameter also takes that text as it is.

    ARGUMENTS are checked, approved and cut like those of a model; "-" reads them from the standard input. Control
    characters in the result are spelled out (\x1b). A call that fails tells why on the standard error, and the
    exit code is 1.

    For instance: wieldy call bash '{"command": "uname -a"}'
    """
    call = ToolCall(id="call_1", function=tool, raw=text_or_stdin(arguments))
    where = SandboxOptions(**options)
    code = anyio.run(until_stopped, partial(_call, app, call, where, json))
    raise click.exceptions.Exit(code)


async def _call(app: App, call: ToolCall, where: SandboxOptions, as_json: bool, stop: Stop) -> int:  # noqa: FBT001 - from a partial
    tool = make_tool(app.plugins, call.function)
    said = ChatMessageAssistant(tool_calls=[call])
    environment = where.environment(app)
    async with open_environment(app.plugins, app.config, environment), open_scope():
        done = await execute_tools([said], [tool])
    answer = done.messages[0]
    if not isinstance(answer, ChatMessageTool):  # pragma: no cover - what execute_tools promises
        msg = f"a call was answered with {answer!r}"
        raise TypeError(msg)
    lines = Lines(stop)
    if as_json:
        lines.write(json_line(answer))
    elif answer.error is not None:
        complain(f"{call.function}: {answer.error.message}", "error")
    else:
        lines.write(_shown(answer))
    return 0 if answer.error is None else 1


def _shown(answer: ChatMessageTool) -> str:
    parts = answer.content if isinstance(answer.content, list) else []
    images = [
        f"(an image: {part.image[:60]}...)" for part in parts if isinstance(part, ContentImage)
    ]
    return visible("\n".join([answer.text, *images])).removesuffix("\n")
