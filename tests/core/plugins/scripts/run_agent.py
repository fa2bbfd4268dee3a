"""Runs a react agent as a user would, who imports no plugin: `run_agent.py TASK`.

The task is JSON: `tools` by name; `model` by name, or `calls` that a scripted model makes one a turn before
it submits; `sandbox` to open. What came of it is printed as JSON.
"""

import json
import sys

import anyio

from wieldy import react, run, use_environment
from wieldy.config import Config
from wieldy.models import ScriptedCall, ScriptedModel, ScriptedTurn

SUBMIT = ScriptedCall(function="submit", arguments={"answer": "done"})


def scripted(calls):
    """Returns a model that makes the calls, then submits."""
    turns = [
        ScriptedTurn(tool_calls=[ScriptedCall(function=name, arguments=arguments)])
        for name, arguments in calls
    ]
    return ScriptedModel([*turns, ScriptedTurn(tool_calls=[SUBMIT])])


async def main(task):
    """Runs the agent."""
    model = task.get("model") or scripted(task["calls"])
    agent = react(tools=task.get("tools", []), model=model, prompt=None)
    if "sandbox" in task:
        environment = {"default": {"sandbox": task["sandbox"]}}
        async with use_environment(config=Config(environments=environment)):
            state = await run(agent, "go")
    else:
        state = await run(agent, "go")
    answers = [each for each in state.messages if each.role == "tool"]
    report = {
        "answers": [each.text for each in answers],
        "errors": [each.error and each.error.message for each in answers],
        "ended": str(state.ended),
        "completion": state.output.completion,
    }
    print(json.dumps(report))


anyio.run(main, json.loads(sys.argv[1]))
