"""A second plugin of the same distribution: an object with methods."""

from wieldy import hookimpl, tool


@tool
async def acme_whisper(text: str) -> str:
    """Says a text quietly.

    Args:
        text: The text.
    """
    return text.lower()


class Bonus:
    """The plugin."""

    @hookimpl
    def wieldy_tools(self):
        return [acme_whisper]


plugin = Bonus()
