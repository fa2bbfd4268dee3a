"""The python tool: a model runs Python code in the current sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass

from wieldy import (
    ExecResult,
    Sandbox,
    Tool,
    ToolCall,
    ToolCallContent,
    ToolCallView,
    ToolError,
    tool,
)
from wieldy import sandbox as current_sandbox
from wieldy.sandboxes import Ending, report
from wieldy.scope import store

PROGRAMS = ("python3", "python")
"""What Python may be called, in the order in which it is looked for."""

UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
"""Set for every run, so that a time-out shows all that was printed until then; `env` overrides it."""


def _view(call: ToolCall) -> ToolCallView:
    code = str(call.arguments.get("code", ""))
    return ToolCallView(call=ToolCallContent.code("python", code, "python"))


@tool(parallel=True, viewer=_view)
def python(
    timeout: float | None = 180,
    user: str | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    sandbox: str | None = None,
) -> Tool:
    """Makes the python tool.

    Args:
        timeout: Seconds after which the code and all that it started are killed; None for never.
        user: The user to run code as; None for the sandbox's own.
        cwd: The directory to run code in; None for the sandbox's working directory.
        env: Environment variables to set for each run.
        sandbox: The name of the sandbox to run in, where there are several; None for the default one.
    """
    variables = {**UNBUFFERED, **(env or {})}

    async def execute(code: str) -> str:
        """Runs Python code and returns what it prints.

        Use print() to see values: the value of the last line is not shown. Each call is a new process
        in the same directory: variables and imports do not last from one call to the next, files do.
        Standard input is empty.

        Args:
            code: The Python code: a whole script.
        """
        box = current_sandbox(sandbox)
        interpreter = store(("wieldy_python", box), _Interpreter)
        return report(await interpreter.run(box, code, timeout, user, cwd, variables))

    return execute


@dataclass
class _Interpreter:
    """The Python of one sandbox, once it is known."""

    programs: tuple[str, ...] = PROGRAMS

    async def run(
        self,
        box: Sandbox,
        code: str,
        timeout: float | None,  # noqa: ASYNC109 - enforced where the code runs
        user: str | None,
        cwd: str | None,
        env: Mapping[str, str],
    ) -> ExecResult:
        for program in self.programs:
            # The code goes in by standard input: its size does not matter, nor what it quotes.
            result = await box.exec([program, "-"], code, cwd, env, user, timeout)
            if result.ending is not Ending.NOT_STARTED:
                self.programs = (program,)
                return result
        msg = "there is no Python in this sandbox: neither python3 nor python was found"
        raise ToolError(msg)
