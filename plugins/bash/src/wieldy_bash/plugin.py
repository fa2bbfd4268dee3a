"""What the plugin registers."""

from collections.abc import Sequence

from wieldy import hookimpl
from wieldy.tools import ToolFactory

from .bash import bash


@hookimpl
def wieldy_tools() -> Sequence[ToolFactory[...]]:
    """Gives the bash tool."""
    return [bash]
