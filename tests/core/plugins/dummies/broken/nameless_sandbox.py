"""Gives a sandbox without a name."""

from wieldy import Sandbox, hookimpl


class Nameless(Sandbox):
    """Never opened."""


@hookimpl
def wieldy_sandboxes():
    return [Nameless]
