"""Where tools run: the contract of a sandbox, and the sandbox that is current."""

from .current import sandbox, use_sandbox
from .report import report
from .result import Ending, ExecResult, ExecTimeout, Output
from .sandbox import (
    API_VERSION,
    DEFAULT_OUTPUT_LIMIT,
    DEFAULT_READ_LIMIT,
    Capability,
    Command,
    ExecRequest,
    FileInfo,
    Sandbox,
    SandboxConfig,
    SandboxProcess,
    SpawnRequest,
    TerminalSize,
)

__all__ = [
    "API_VERSION",
    "DEFAULT_OUTPUT_LIMIT",
    "DEFAULT_READ_LIMIT",
    "Capability",
    "Command",
    "Ending",
    "ExecRequest",
    "ExecResult",
    "ExecTimeout",
    "FileInfo",
    "Output",
    "Sandbox",
    "SandboxConfig",
    "SandboxProcess",
    "SpawnRequest",
    "TerminalSize",
    "report",
    "sandbox",
    "use_sandbox",
]
