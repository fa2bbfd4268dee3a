"""What a react agent tells its model before the conversation."""

from dataclasses import dataclass

ASSISTANT_PROMPT = """\
You work on a task with tools. Each of your turns may call tools; their results come right after the call, \
and then it is your turn again. Before you act, reason briefly about what you know and what you need next. \
Calls that do not depend on each other belong in the same turn. Read results before you rely on them: a \
command may have failed."""

SUBMIT_PROMPT = """\
When the task is done, call the {submit} tool with your answer. Only what you give to {submit} counts as \
your answer."""

CONTINUE_PROMPT = """\
You called no tool. Go on with the task; when it is done, call the {submit} tool with your answer."""

CONTINUE_PROMPT_NO_SUBMIT = "Go on with the task."


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    """The parts of the system message, in this order; None leaves a part out.

    Attributes:
        instructions: What this agent is for.
        assistant_prompt: How to work with tools.
        submit_prompt: How to give the answer. It is left out where the assistant prompt already holds
            `{submit}`, and where there is no submit tool.

    `{submit}` stands for the name of the submit tool; all other braces stay as they are.
    """

    instructions: str | None = None
    assistant_prompt: str | None = ASSISTANT_PROMPT
    submit_prompt: str | None = SUBMIT_PROMPT


def system_text(prompt: AgentPrompt | str | None, submit: str | None) -> str:
    """Returns the text of the system message; empty for none.

    Args:
        prompt: The parts; a text stands for the instructions; None for no system message.
        submit: The name of the submit tool; None where there is none.
    """
    if prompt is None:
        return ""
    parts = AgentPrompt(instructions=prompt) if isinstance(prompt, str) else prompt
    assistant = parts.assistant_prompt
    texts = [parts.instructions, assistant]
    if submit is not None and "{submit}" not in (assistant or ""):
        texts.append(parts.submit_prompt)
    return "\n\n".join(filled(text, submit) for text in texts if text)


def filled(text: str, submit: str | None) -> str:
    """Returns a text with the name of the submit tool in place of `{submit}`."""
    return text.replace("{submit}", submit) if submit is not None else text
