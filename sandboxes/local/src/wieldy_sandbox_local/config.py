"""The settings of the local sandbox."""

from pathlib import Path

from pydantic import Field, field_validator

from wieldy.sandboxes import SandboxConfig


class LocalConfig(SandboxConfig):
    """The settings of the local sandbox; the defaults suit most uses."""

    workdir: Path | None = None
    """The directory in which commands run and at which relative paths start. It must exist, and is
    left as it is at the end. None: a directory of the sandbox's own, removed at the end."""

    pass_env: tuple[str, ...] = ()
    """Names of further environment variables of the host that commands see, exactly as written, for
    instance `["HOME", "HTTPS_PROXY"]`. One that is not set on the host is not set inside."""

    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables to set for every command; they win over those of the host."""

    @field_validator("env")
    @classmethod
    def _is_an_environment(cls, value: dict[str, str]) -> dict[str, str]:
        for name, content in value.items():
            if not name or "=" in name or "\0" in name + content:
                msg = (
                    f"{name!r} cannot be an environment variable: empty, or with '=' or a zero byte"
                )
                raise ValueError(msg)
        return value
