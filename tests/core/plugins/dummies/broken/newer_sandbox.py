"""Gives a sandbox that is written for a later contract."""

from wieldy import Sandbox, hookimpl


class Newer(Sandbox):
    """Never opened."""

    name = "newer"
    api_version = 99


@hookimpl
def wieldy_sandboxes():
    return [Newer]
