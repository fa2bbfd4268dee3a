"""The bash tool: a model runs shell commands in the current sandbox."""

from collections.abc import Mapping
from dataclasses import dataclass

from wieldy import ExecResult, Sandbox, Tool, ToolCall, ToolCallContent, ToolCallView, tool
from wieldy import sandbox as current_sandbox
from wieldy.sandboxes import Ending, report
from wieldy.scope import store

NON_INTERACTIVE = {
    "DEBIAN_FRONTEND": "noninteractive",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PAGER": "cat",
    "PIP_NO_INPUT": "1",
}
"""Set for every command, so that none waits for an answer that nobody gives; `env` overrides it."""


def _view(call: ToolCall) -> ToolCallView:
    command = str(call.arguments.get("command", ""))
    return ToolCallView(call=ToolCallContent.code("bash", command, "bash"))


@tool(parallel=True, viewer=_view)
def bash(
    timeout: float | None = 180,
    user: str | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    sandbox: str | None = None,
) -> Tool:
    """Makes the bash tool.

    Args:
        timeout: Seconds after which a command and all that it started are killed; None for never.
        user: The user to run commands as; None for the sandbox's own.
        cwd: The directory to run commands in; None for the sandbox's working directory.
        env: Environment variables to set for each command.
        sandbox: The name of the sandbox to run in, where there are several; None for the default one.
    """
    variables = {**NON_INTERACTIVE, **(env or {})}

    async def execute(command: str) -> str:
        """Runs a command in bash (or sh, where there is no bash) and returns what it prints.

        Each call is a new shell in the same directory: variables and `cd` do not last from one call to
        the next, files do. Nobody can answer a prompt, and standard input is empty. A process put in the
        background (`server > server.log 2>&1 &`) goes on after the call.

        Args:
            command: The command: one or more lines of shell code.
        """
        box = current_sandbox(sandbox)
        shell = store(("wieldy_bash", box), _Shell)
        result = await shell.run(box, command, timeout, user, cwd, variables)
        return report(result)

    return execute


@dataclass
class _Shell:
    """The shell of one sandbox, once it is known."""

    program: str = "bash"

    async def run(
        self,
        box: Sandbox,
        command: str,
        timeout: float | None,  # noqa: ASYNC109 - enforced where the command runs
        user: str | None,
        cwd: str | None,
        env: Mapping[str, str],
    ) -> ExecResult:
        argv = [self.program, "-c", command]
        result = await box.exec(argv, cwd=cwd, env=env, user=user, timeout=timeout)
        if result.ending is Ending.NOT_STARTED and self.program == "bash":
            self.program = "sh"
            return await self.run(box, command, timeout, user, cwd, env)
        return result
