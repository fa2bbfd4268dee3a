"""Listens with an async function."""

from wieldy import hookimpl


@hookimpl
async def wieldy_event(event):
    pass
