"""Every error that Wieldy raises, in one tree.

    WieldyError
    ├── ConfigError                     a configuration file or an option is wrong
    ├── PluginError                     a plugin cannot be used
    │   └── NameConflictError           two plugins give the same name
    ├── UnknownNameError                nothing of that kind has that name (a LookupError)
    ├── NoSandboxError                  a tool needs a sandbox, and none is open
    ├── ToolDefinitionError             a tool cannot be offered to a model (a TypeError)
    ├── ToolError                       a tool failed; the model reads why and may try again
    │   ├── ToolParsingError            what the model wrote does not fit the tool's parameters
    │   └── ToolApprovalError           the call was refused
    ├── LimitExceededError              a limit of the run, or of a part of it, was reached
    ├── RunTerminatedError              an approver ended the run
    ├── ModelError                      a model could not answer
    │   └── ScriptError                 a scripted model saw something else than its script says
    └── SandboxError                    a sandbox could not do what was asked
        ├── SandboxInputError           no operating system could take this argument (a ValueError)
        ├── SandboxUnsupportedError     this backend does not claim the capability
        ├── SandboxUnavailable          the sandbox is gone, or cannot be reached
        ├── SandboxLimitError           a file is larger than may be read
        └── ExecTimeout                 a command ran out of time (a TimeoutError); it lives in
                                        `wieldy.sandboxes.result`, beside the result that it carries

Errors about files inside a sandbox are the ones of the operating system: FileNotFoundError,
PermissionError, IsADirectoryError, NotADirectoryError.
"""

import difflib
from collections.abc import Iterable


class WieldyError(Exception):
    """The root of all errors that Wieldy raises on purpose."""


class ConfigError(WieldyError):
    """A configuration file, an environment variable or an option is wrong."""


class PluginError(WieldyError):
    """A plugin cannot be used; the message names its distribution and the cause."""


class NameConflictError(PluginError):
    """Two plugins give the same name, so that neither can be used by it."""


class UnknownNameError(WieldyError, LookupError):
    """Nothing of that kind has that name.

    Args:
        kind: What was looked up, for instance "tool" or "sandbox".
        name: The name that was asked for.
        known: The names that exist.
        hint: What to do about it.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = sorted(known)
        near = nearest(name, self.known)
        parts = [f"unknown {kind} {name!r}"]
        if near:
            parts.append(f"did you mean {' or '.join(near)}?")
        parts.append(f"known: {', '.join(self.known) or 'none'}")
        if hint:
            parts.append(hint)
        super().__init__("; ".join(parts))


class NoSandboxError(WieldyError):
    """No sandbox is open where one is needed: a mistake of the program, which no model can repair."""


class ToolDefinitionError(WieldyError, TypeError):
    """A function or schema cannot be offered to a model as a tool; the message says which part."""


class ToolError(WieldyError):
    """A tool failed in a way that the model should read: raise it with the text for the model.

    Args:
        message: What the model reads.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ToolParsingError(ToolError):
    """What the model wrote does not fit the parameters of the tool."""


class ToolApprovalError(ToolError):
    """The call was refused by an approver; the message is its explanation."""


class LimitExceededError(WieldyError):
    """A limit was reached.

    Args:
        kind: What is limited, for instance "turns".
        used: How much would have been used.
        limit: How much was allowed.
        source: The scope whose limit it is, by which the caller knows its own.
    """

    def __init__(self, kind: str, used: float, limit: float, source: object = None) -> None:
        super().__init__(f"limit of {kind} exceeded: {limit:g} allowed, {used:g} needed")
        self.kind = kind
        self.used = used
        self.limit = limit
        self.source = source


class RunTerminatedError(WieldyError):
    """An approver ended the run; the message is its explanation."""


class ModelError(WieldyError):
    """A model could not answer; the message says why and what to do."""


class ScriptError(ModelError):
    """A scripted model was asked once too often, or did not see what its script expects."""


class SandboxError(WieldyError):
    """A sandbox could not do what was asked; the message names the step that failed."""


class SandboxInputError(SandboxError, ValueError):
    """No operating system could take this: a zero byte in a path, an empty command, ..."""


class SandboxUnsupportedError(SandboxError):
    """The backend does not claim the capability that was asked for."""


class SandboxUnavailable(SandboxError):
    """The sandbox is gone or cannot be reached; nothing more can be run in it."""


class SandboxLimitError(SandboxError):
    """A file is larger than the caller allowed to read; nothing of it was returned."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Returns up to three of the known names that look like `name`, the most similar first."""
    return difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
