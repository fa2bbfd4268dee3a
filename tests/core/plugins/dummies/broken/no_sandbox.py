"""Gives as a sandbox what is none."""

from wieldy import hookimpl


@hookimpl
def wieldy_sandboxes():
    return [dict]
