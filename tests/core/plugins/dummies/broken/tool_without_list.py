"""Gives a tool where a list of tools is asked for."""

from wieldy import hookimpl, tool


@tool
async def lonely() -> str:
    """Says that it is alone."""
    return "alone"


@hookimpl
def wieldy_tools():
    return lonely
