"""The configuration: `wieldy.toml`, or the table `tool.wieldy` of a `pyproject.toml`.

    default_environment = "dev"

    [plugins]
    block = ["wieldy-noisy"]

    [secrets]
    environment = ["GITHUB_TOKEN"]

    [environments.dev]
    model = "anthropic/claude-..."
    tools = ["bash", "python"]
    sandbox = "local"
    limits = { turns = 50 }

    [environments.ci]
    sandbox = { backend = "docker", image = "python:3.12" }

The same agent runs on another backend by the name of another environment: `--env ci`, or WIELDY_ENV=ci.
"""

import os
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, StrictInt, ValidationError

from .exceptions import ConfigError, UnknownNameError, nearest
from .limits import Limit, parse_limit
from .models import Model, use_model
from .plugins import PluginManager, current_plugins, use_plugins
from .sandboxes import Sandbox, use_sandbox
from .secrets import secrets_from_environment, use_secrets

ENVIRONMENT_VARIABLE = "WIELDY_ENV"
"""The environment variable that names the environment to use."""

FILE_NAMES = ("wieldy.toml", "pyproject.toml")
"""Where a configuration may stand; in one directory, the first that has one is read."""

SandboxSettings: TypeAlias = str | dict[str, Any]
"""The name of a backend; or a table with `backend` and the backend's own settings."""


T = TypeVar("T", bound=BaseModel)


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PluginsConfig(_Section):
    """`[plugins]`: which plugins are used."""

    block: list[str] = []
    """Plugins to leave out: names of entry points or of distributions."""
    strict: bool | None = None
    """Whether a broken plugin is fatal; where it is not said, WIELDY_PLUGINS=strict says it."""


class EnvironmentConfig(_Section):
    """`[environments.NAME]`: what an agent runs with."""

    model: str | None = None
    """The model, for instance "anthropic/claude-..."."""
    tools: list[str] = []
    """The names of the tools that `wieldy run` offers."""
    sandbox: SandboxSettings | None = None
    """The sandbox in which tools run; "local" where neither this nor `sandboxes` is given."""
    sandboxes: dict[str, SandboxSettings] = {}
    """Several sandboxes by name, in place of `sandbox`; the one named "default", or the first, is default."""
    limits: dict[str, StrictInt] = {}
    """What a run may use, by kind: `{ turns = 50 }`."""

    @property
    def boxes(self) -> dict[str, SandboxSettings]:
        """The settings of every sandbox by name.

        Raises:
            ConfigError: Both `sandbox` and `sandboxes` are given.
        """
        if self.sandbox is not None and self.sandboxes:
            msg = "an environment has either `sandbox` or `sandboxes`, not both"
            raise ConfigError(msg)
        return self.sandboxes or {"default": self.sandbox or "local"}


class SecretsConfig(_Section):
    """`[secrets]`: what is masked in results, events and logs."""

    environment: list[str] = []
    """The names of environment variables that hold secrets."""


class Config(_Section):
    """A whole configuration."""

    default_environment: str | None = None
    """The environment that is used where none is named."""
    plugins: PluginsConfig = PluginsConfig()
    """Which plugins are used."""
    secrets: SecretsConfig = SecretsConfig()
    """What is masked."""
    environments: dict[str, EnvironmentConfig] = {}
    """The environments by name."""

    def environment(self, name: str | None = None) -> tuple[str, EnvironmentConfig]:
        """Returns the environment to use, and its name.

        Args:
            name: Its name; None for the one that WIELDY_ENV names, else `default_environment`, else the
                one named "default".

        Raises:
            UnknownNameError: There is no environment of that name.
        """
        name = name or os.environ.get(ENVIRONMENT_VARIABLE) or self.default_environment
        if name is None:
            return "default", self.environments.get("default", EnvironmentConfig())
        if name not in self.environments:
            raise UnknownNameError(
                name=name,
                kind="environment",
                known=self.environments,
                hint=f"write [environments.{name}] in wieldy.toml",
            )
        return name, self.environments[name]


def find_config(start: Path | None = None) -> Path | None:
    """Returns the file with the configuration: in a directory or the nearest one above; None for none.

    Args:
        start: The directory to start in; None for the current one.

    Raises:
        ConfigError: The current directory was removed.
    """
    try:
        directory = (start or Path.cwd()).resolve()
    except FileNotFoundError as error:
        msg = "the current directory does not exist any more: change to another one"
        raise ConfigError(msg) from error
    for each in (directory, *directory.parents):
        for name in FILE_NAMES:
            path = each / name
            if path.is_file() and _table(path) is not None:
                return path
    return None


def load_config(path: Path | None = None) -> Config:
    """Reads a configuration.

    Args:
        path: The file; None looks for one from the current directory up. Where there is none, the
            configuration is empty.

    Raises:
        ConfigError: The file cannot be read, or holds what a configuration does not have.
    """
    path = path or find_config()
    table = {} if path is None else _table(path)
    if table is None:
        msg = f"{path} has no table [tool.wieldy]"
        raise ConfigError(msg)
    return _checked(Config, table, str(path))


@dataclass(frozen=True, slots=True)
class Environment:
    """What `use_environment` made current.

    Attributes:
        name: The name of the environment.
        config: Its settings.
        sandbox: The default sandbox, open.
        model: The model; None where the environment names none.
    """

    name: str
    config: EnvironmentConfig
    sandbox: Sandbox
    model: Model | None

    @property
    def limits(self) -> list[Limit]:
        """The limits of a run."""
        return [parse_limit(f"{kind}={value}") for kind, value in self.config.limits.items()]


@asynccontextmanager
async def use_environment(
    name: str | None = None, *, config: Config | None = None
) -> AsyncIterator[Environment]:
    """Makes all that an environment says current for a block of code: plugins, sandboxes, model.

        async with use_environment("ci"):
            state = await run(agent, "...")

    Args:
        name: The name of the environment; None for the one that WIELDY_ENV or the configuration names.
        config: The configuration; None reads it from the current directory or the nearest one above.

    Raises:
        ConfigError: The configuration is wrong; the message names the key and the nearest valid one.
        UnknownNameError: No installed plugin has a backend or model of that name.
        SandboxUnavailable: The sandbox cannot be opened here.
    """
    if config is None:
        config = await anyio.to_thread.run_sync(load_config)
    name, chosen = config.environment(name)
    plugins = current_plugins()
    if plugins is None:
        plugins = await anyio.to_thread.run_sync(load_plugins, config)
    model = await anyio.to_thread.run_sync(plugins.model, chosen.model) if chosen.model else None
    async with open_environment(plugins, config, chosen) as box:
        with use_model(model) if model else nullcontext():
            yield Environment(name, chosen, box, model)


@asynccontextmanager
async def open_environment(
    plugins: PluginManager, config: Config, environment: EnvironmentConfig
) -> AsyncIterator[Sandbox]:
    """Makes plugins current, and the secrets and sandboxes of an environment; gives the default sandbox.

    Args:
        plugins: The plugins.
        config: The configuration, for what belongs to all environments.
        environment: The settings of the environment.
    """
    openers = sandbox_openers(plugins, environment)
    secrets = secrets_from_environment(config.secrets.environment)
    with use_plugins(plugins), use_secrets(secrets):
        async with use_sandbox(openers) as box:
            yield box


def load_plugins(config: Config) -> PluginManager:
    """Finds the installed plugins, as the configuration says."""
    return PluginManager.load(block=config.plugins.block, strict=config.plugins.strict)


def sandbox_openers(
    plugins: PluginManager, environment: EnvironmentConfig
) -> dict[str, AbstractAsyncContextManager[Sandbox]]:
    """Returns what opens each sandbox of an environment, by name; nothing is opened yet.

    Raises:
        ConfigError: The settings of a backend are wrong.
        UnknownNameError: No installed plugin has such a backend.
    """
    return {name: sandbox_opener(plugins, each) for name, each in environment.boxes.items()}


def sandbox_opener(
    plugins: PluginManager, settings: SandboxSettings
) -> AbstractAsyncContextManager[Sandbox]:
    """Returns what opens a sandbox of the given settings.

    Raises:
        ConfigError: The settings are wrong.
        UnknownNameError: No installed plugin has such a backend.
    """
    table = {"backend": settings} if isinstance(settings, str) else dict(settings)
    backend = table.pop("backend", None)
    if not isinstance(backend, str):
        msg = 'a sandbox is the name of a backend, or a table with `backend = "NAME"`'
        raise ConfigError(msg)
    kind = plugins.sandboxes[backend]
    return kind.open(_checked(kind.Config, table, f"the sandbox {backend}"))


def _table(path: Path) -> dict[str, Any] | None:
    """Returns the configuration in a file; None where a pyproject.toml has none."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"cannot read {path}: {error}"
        raise ConfigError(msg) from error
    if path.name != "pyproject.toml":
        return table
    tool = table.get("tool", {})
    return tool.get("wieldy") if isinstance(tool, dict) else None


def _checked(kind: type[T], table: Mapping[str, Any], where: str) -> T:
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        problems = [
            _problem(kind, each["loc"], each["msg"], each["type"]) for each in error.errors()
        ]
        msg = f"{where}: {'; '.join(dict.fromkeys(problems))}"
        raise ConfigError(msg) from error


def _problem(kind: type[BaseModel], location: Sequence[int | str], text: str, code: str) -> str:
    path = ".".join(map(str, location))
    if code != "extra_forbidden":
        return f"{path}: {text}"
    known = _keys(kind, location[:-1])
    near = nearest(str(location[-1]), known)
    meant = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
    return f"unknown key {path}; {meant}"


def _keys(kind: type[BaseModel], location: Sequence[int | str]) -> list[str]:
    """Returns the keys of the section at a location."""
    sections: dict[str, type[BaseModel]] = {
        "plugins": PluginsConfig,
        "secrets": SecretsConfig,
        "environments": EnvironmentConfig,
    }
    inner = sections.get(str(location[0])) if location and kind is Config else None
    return list((inner or kind).model_fields)
