"""Gives the same names as the other twin, and one tool of its own."""

from wieldy import Sandbox, hookimpl, tool


@tool
async def twin() -> str:
    """Says which twin this is."""
    return "left"


@tool
async def only_left() -> str:
    """Says which twin this is."""
    return "left"


class Twin(Sandbox):
    """Never opened."""

    name = "twin"


@hookimpl
def wieldy_tools():
    return [twin, only_left]


@hookimpl
def wieldy_sandboxes():
    return [Twin]


@hookimpl
def wieldy_models():
    return {"twin": print}


@hookimpl
def wieldy_approvers():
    return {"twin": print}


@hookimpl
def wieldy_compactions():
    return {"twin": print}


@hookimpl
def wieldy_message_filters():
    return {"twin": print}
