"""What `wieldy run`, `wieldy demo` and `wieldy call` have in common: tools, a sandbox, a display."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from ..agents import AgentState, AgentSubmit, Ended, react, run
from ..exceptions import ConfigError, WieldyError
from ..limits import Limit
from ..models import Model
from ..plugins import PluginManager
from ..tools import ToolDef, tool_def
from .display import LiveDisplay, terminal
from .errors import complain
from .options import RunOptions
from .output import EventLines, Lines, event_log
from .plain import PlainDisplay
from .transcript import SUBMIT, SUCCESS


def make_tool(plugins: PluginManager, name: str) -> ToolDef:
    """Makes an installed tool with its default arguments.

    Raises:
        UnknownNameError: No installed plugin has it.
        ConfigError: It cannot be made without arguments, or is broken.
    """
    factory = plugins.tools[name]
    try:
        return tool_def(factory())
    except WieldyError:
        raise
    except Exception as error:
        msg = f"the tool {name!r} cannot be made: {type(error).__name__}: {error}"
        raise ConfigError(msg) from error


@contextmanager
def watched(plugins: PluginManager, options: RunOptions, lines: Lines) -> Iterator[None]:
    """Shows and logs the events of all that runs in the block.

    Raises:
        ConfigError: The log cannot be written.
    """
    with ExitStack() as stack:
        if options.log is not None:
            plugins.register(stack.enter_context(event_log(options.log)), "the log")
        if options.output == "json":
            plugins.register(EventLines(lines.write), "the output")
        elif options.output == "live":
            console = terminal()
            display = LiveDisplay(console) if console else PlainDisplay(lines)
            plugins.register(stack.enter_context(display), "the display")
        yield


async def run_agent(
    task: str, model: Model, tools: Sequence[ToolDef], limits: Sequence[Limit]
) -> AgentState:
    """Runs a react agent on a task."""
    submit = AgentSubmit(name=SUBMIT, answer_only=True)
    agent = react(tools=tools, model=model, submit=submit)
    state, _ = await run(agent, task, limits)
    return state


def succeeded(state: AgentState) -> bool:
    """Tells whether a run came to an answer; says why not, where it did not."""
    ended = state.ended or Ended("stopped")
    if ended.reason in SUCCESS:
        return True
    complain(f"the run ended without an answer: {ended}")
    return False
