"""Which exceptions of a tool a model is told of, and as what. All others fail the run."""

import json

from ..exceptions import (
    LimitExceededError,
    SandboxError,
    SandboxInputError,
    SandboxUnavailable,
    ToolApprovalError,
    ToolError,
    ToolParsingError,
)
from ..messages import ToolCall, ToolCallError, ToolCallErrorType
from ..sandboxes import ExecTimeout, report

_KINDS: tuple[tuple[type[Exception], ToolCallErrorType], ...] = (
    (ToolParsingError, "parsing"),
    (ToolApprovalError, "approval"),
    (ToolError, "unknown"),
    (SandboxInputError, "parsing"),
    (SandboxUnavailable, "sandbox_unavailable"),
    (LimitExceededError, "limit"),
    (UnicodeError, "unicode_decode"),
    (TimeoutError, "timeout"),
    (PermissionError, "permission"),
    (FileNotFoundError, "file_not_found"),
    (IsADirectoryError, "is_a_directory"),
    (OSError, "unknown"),
    (SandboxError, "unknown"),
)
"""The first that fits; the order matters where one is a kind of another (ExecTimeout of both)."""


def failure(error: Exception, call: ToolCall) -> ToolCallError | None:
    """Returns what a model is told of an exception of a tool; None where it must fail the run.

    Args:
        error: What the tool raised.
        call: The call, as the model wrote it.
    """
    if isinstance(error, ExceptionGroup):  # of a tool's own task group
        parts = [failure(each, call) for each in error.exceptions]
        told = [each for each in parts if each is not None]
        if len(told) < len(parts):
            return None
        return ToolCallError(type=told[0].type, message="\n".join(each.message for each in told))
    for kind, name in _KINDS:
        if isinstance(error, kind):
            return ToolCallError(type=name, message=_words(error))
    if isinstance(error, ValueError) and _holds_zero_byte(call):
        # Python raises a bare ValueError where such a text would reach the operating system.
        message = "an argument holds a zero byte, which the operating system does not take"
        return ToolCallError(type="parsing", message=message)
    return None


def _holds_zero_byte(call: ToolCall) -> bool:
    written = call.raw if call.raw is not None else json.dumps(call.arguments, default=str)
    return "\\u0000" in written or "\0" in written


def _words(error: Exception) -> str:
    if isinstance(error, ExecTimeout):
        return report(error.result)
    if isinstance(error, UnicodeDecodeError):
        return f"cannot be decoded as {error.encoding}: {error.reason} at byte {error.start}"
    if isinstance(error, OSError) and error.strerror:
        where = f": {error.filename}" if error.filename is not None else ""
        return f"{error.strerror}{where}"
    return str(error) or type(error).__name__
