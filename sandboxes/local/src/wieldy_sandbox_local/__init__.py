"""The local sandbox of Wieldy: commands run on this machine, in a directory of their own."""

from .config import LocalConfig
from .sandbox import LocalSandbox

__all__ = ["LocalConfig", "LocalSandbox"]
