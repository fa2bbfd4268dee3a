"""What the plugin registers."""

from collections.abc import Sequence

from wieldy import hookimpl
from wieldy.tools import ToolFactory

from .python import python


@hookimpl
def wieldy_tools() -> Sequence[ToolFactory[...]]:
    """Gives the python tool."""
    return [python]
