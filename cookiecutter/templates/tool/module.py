"""The {{ cookiecutter.name }} tool."""

from wieldy import Tool, ToolError, tool


@tool(parallel=True)
def {{ cookiecutter.__function }}(greeting: str = "Hello") -> Tool:
    """Makes the tool. What is set here, a model neither sees nor changes.

    Args:
        greeting: What the answer starts with.
    """

    # The model reads this docstring: the first part says when to call the tool, `Args` what to give it.
    # The schema comes from the annotations; arguments that do not fit never get here.
    async def execute(subject: str) -> str:
        """{{ cookiecutter.description }}

        Args:
            subject: What the answer is about.
        """
        if not subject.strip():
            # The model reads a ToolError and may try again; any other exception fails the run.
            msg = "subject is empty: say what the answer is to be about"
            raise ToolError(msg)
        return f"{greeting}, {subject}!"

    return execute
