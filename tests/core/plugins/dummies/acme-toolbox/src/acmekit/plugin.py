"""Implements every registration hook."""

import click

from acmekit.memory import AcmeMemory
from wieldy import Approval, ModelOutput, Tool, hookimpl, sandbox, tool


@tool
async def acme_shout(text: str) -> str:
    """Says a text loudly.

    Args:
        text: The text.
    """
    return text.upper()


@tool
def acme_run(prefix: str = "$ ") -> Tool:
    """Makes a tool that runs a word in the current sandbox.

    Args:
        prefix: What stands before the output.
    """

    async def execute(word: str) -> str:
        """Runs a word in the sandbox.

        Args:
            word: The word.
        """
        result = await sandbox().exec([word])
        return prefix + result.stdout

    return execute


class Parrot:
    """A model that submits its own name."""

    def __init__(self, name):
        self.name = f"acme/{name}"

    async def generate(self, *arguments, **keywords):
        return ModelOutput.for_tool_call(self.name, "submit", {"answer": f"I am {self.name}"})


def refuser(reason):
    """Makes an approver that refuses everything."""

    async def approve(message, call, view, history):
        return Approval(decision="reject", explanation=reason)

    return approve


def keep_last(count):
    """Makes a strategy that keeps the last messages."""
    return lambda messages: messages[-count:]


async def only_users(messages):
    """Keeps what the user said."""
    return [each for each in messages if each.role == "user"]


@hookimpl
def wieldy_tools():
    return [acme_shout, acme_run]


@hookimpl
def wieldy_sandboxes():
    return [AcmeMemory]


@hookimpl
def wieldy_models():
    return {"acme": Parrot}


@hookimpl
def wieldy_approvers():
    return {"acme_refuser": refuser}


@hookimpl
def wieldy_compactions():
    return {"acme_keep_last": keep_last}


@hookimpl
def wieldy_message_filters():
    return {"acme_only_users": only_users}


@hookimpl
def wieldy_cli(cli):
    @cli.command("acme-hello")
    @click.argument("name")
    def hello(name):
        """Greets somebody, on behalf of Acme."""
        click.echo(f"hello {name}, from acme")
