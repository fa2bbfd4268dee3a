"""What this distribution adds to Wieldy."""

from wieldy import hookimpl
from wieldy.sandboxes import Sandbox

from .sandbox import LocalSandbox


@hookimpl
def wieldy_sandboxes() -> list[type[Sandbox]]:
    """Gives the local sandbox."""
    return [LocalSandbox]
