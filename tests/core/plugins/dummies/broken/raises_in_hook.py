"""Gives a good tool, then fails."""

from wieldy import hookimpl, tool


@tool
async def half_a_plugin() -> str:
    """Must not stay behind."""
    return "half"


@hookimpl
def wieldy_tools():
    return [half_a_plugin]


@hookimpl
def wieldy_models():
    msg = "the settings are wrong:\n  key: missing"
    raise ValueError(msg)
