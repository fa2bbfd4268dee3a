"""Gives a text where a function is asked for."""

from wieldy import hookimpl


@hookimpl
def wieldy_models():
    return {"acme": "gpt"}
