"""Gives a function that `@tool` has not made a tool."""

from wieldy import hookimpl


@hookimpl
def wieldy_tools():
    return ["plain"]
