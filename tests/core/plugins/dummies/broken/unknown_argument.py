"""Asks for an argument that the hook does not have."""

from wieldy import hookimpl


@hookimpl
def wieldy_approve(call):
    return None
