"""What comes with wieldy itself, given through the same hooks as what any plugin gives."""

from collections.abc import Mapping

from .models.model import ModelProvider
from .models.scripted import scripted_model
from .plugins import hookimpl


@hookimpl
def wieldy_models() -> Mapping[str, ModelProvider]:
    """`scripted/FILE`: the answers stand in a JSON file."""
    return {"scripted": scripted_model}
