"""Gives its tools from an async function."""

from wieldy import hookimpl


@hookimpl
async def wieldy_tools():
    return []
