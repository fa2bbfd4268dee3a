"""The model that is current: the one that agents use which name none of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..exceptions import ModelError
from .model import Model

_current: ContextVar[Model | None] = ContextVar("wieldy_model", default=None)


def current_model() -> Model:
    """Returns the current model.

    Raises:
        ModelError: There is none.
    """
    model = _current.get()
    if model is None:
        msg = "no model: give the agent one (`react(model=...)`), or use `with use_model(...)` around the run"
        raise ModelError(msg)
    return model


@contextmanager
def use_model(model: Model) -> Iterator[Model]:
    """Makes a model current for a block of code."""
    token = _current.set(model)
    try:
        yield model
    finally:
        _current.reset(token)
