"""Which of the host's environment variables a command sees: those of a list, never the rest."""

import os
from collections.abc import Mapping

from .config import LocalConfig

ALLOWED = frozenset(
    {b"PATH", b"LANG", b"LANGUAGE", b"TZ", b"TERM", b"COLORTERM", b"USER", b"LOGNAME", b"SHELL"}
)
"""What every command sees of the host: where programs are, how text is shown, who the user is."""

COOKIE_PREFIX = b"WIELDY_BOX_"
"""How the variable starts by which the processes of a sandbox are known."""

# A sandbox may run inside a command of another one. The cookie of the outer one has to go on, so
# that the outer one still finds what the inner one started.
_ALLOWED_PREFIXES = (b"LC_", COOKIE_PREFIX)


def base_environment(
    host: Mapping[bytes, bytes], config: LocalConfig, home: str, tmp: str
) -> dict[bytes, bytes]:
    """Returns the environment of every command of a sandbox.

    Args:
        host: The environment of the host process.
        config: What the user lets through and sets.
        home: The sandbox's home directory: the user's own one has keys and tokens in it.
        tmp: The sandbox's directory for temporary files.
    """
    passed = {os.fsencode(name) for name in config.pass_env}
    return {
        b"PATH": os.fsencode(os.defpath),
        b"HOME": os.fsencode(home),
        b"TMPDIR": os.fsencode(tmp),
        **{name: value for name, value in host.items() if _is_allowed(name) or name in passed},
        **encoded(config.env),
    }


def encoded(env: Mapping[str, str]) -> dict[bytes, bytes]:
    """Returns environment variables in the form in which the operating system takes them."""
    return {os.fsencode(name): os.fsencode(value) for name, value in env.items()}


def _is_allowed(name: bytes) -> bool:
    return name in ALLOWED or name.startswith(_ALLOWED_PREFIXES)
