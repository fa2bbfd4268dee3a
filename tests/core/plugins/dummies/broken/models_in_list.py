"""Gives a list of models where a mapping is asked for."""

from wieldy import hookimpl


@hookimpl
def wieldy_models():
    return ["gpt"]
