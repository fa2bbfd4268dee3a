"""What the plugin registers; the entry point in pyproject.toml names this module."""

from collections.abc import Sequence

from wieldy import hookimpl
from wieldy.tools import ToolFactory

from .{{ cookiecutter.__function }} import {{ cookiecutter.__function }}


@hookimpl
def wieldy_tools() -> Sequence[ToolFactory[...]]:
    """Gives the {{ cookiecutter.name }} tool."""
    return [{{ cookiecutter.__function }}]
