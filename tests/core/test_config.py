"""The configuration: where it stands, what it may hold, and what an environment makes current."""

import pytest

from wieldy import (
    ConfigError,
    UnknownNameError,
    react,
    run,
    sandbox,
    turn_limit,
    use_environment,
)
from wieldy.config import Config, EnvironmentConfig, find_config, load_config


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes a configuration into a directory of its own, which is made current."""
    monkeypatch.delenv("WIELDY_ENV", raising=False)
    monkeypatch.chdir(tmp_path)

    def write(text, name="wieldy.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_nearest_file(written, tmp_path):
    """The configuration stands in the directory or the nearest one above."""
    path = written("default_environment = 'dev'\n[environments.dev]")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert find_config(below) == path


def test_pyproject(written):
    """A pyproject.toml may hold it as tool.wieldy; one without is passed over."""
    written("[tool.wieldy.environments.dev]\nmodel = 'scripted/x.json'", "pyproject.toml")
    assert load_config().environments["dev"].model == "scripted/x.json"
    written("[tool.other]", "pyproject.toml")
    assert load_config() == Config()


def test_wieldy_toml_first(written):
    """Where one directory has both, wieldy.toml counts."""
    written("[tool.wieldy.environments.a]", "pyproject.toml")
    written("[environments.b]")
    assert list(load_config().environments) == ["b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[environment.dev]", "unknown key environment; did you mean environments"),
        (
            "[environments.dev]\nmodle = 'x'",
            "unknown key environments.dev.modle; did you mean model",
        ),
        ("[plugins]\nblocked = []", "unknown key plugins.blocked; did you mean block"),
        (
            "[environments.dev]\ntools = 'bash'",
            "environments.dev.tools: Input should be a valid list",
        ),
        ("[environments.dev]\nlimits = { turns = true }", "environments.dev.limits.turns"),
        ("[environments.dev", "cannot read"),
    ],
)
def test_wrong_configuration(written, text, message):
    """A key that does not exist is refused with the nearest one, a wrong value with what is expected."""
    written(text)
    with pytest.raises(ConfigError, match=message):
        load_config()


def test_current_directory_that_was_removed(written, tmp_path, monkeypatch):
    """Where the current directory was removed, the error says so."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ConfigError, match="does not exist any more"):
        load_config()
    monkeypatch.chdir(tmp_path)


def test_file_that_is_not_there(tmp_path):
    """A file that was named and is not there is an error."""
    with pytest.raises(ConfigError, match="cannot read"):
        load_config(tmp_path / "none.toml")


def test_choice_of_the_environment(monkeypatch):
    """A name counts before WIELDY_ENV, that before the configured default, and that before "default"."""
    names = ("default", "a", "b", "c")
    environments = {name: EnvironmentConfig(model=name) for name in names}
    config = Config(environments=environments, default_environment="a")
    monkeypatch.delenv("WIELDY_ENV", raising=False)
    assert Config(environments=environments).environment()[0] == "default"
    assert config.environment()[0] == "a"
    monkeypatch.setenv("WIELDY_ENV", "b")
    assert config.environment()[0] == "b"
    assert config.environment("c") == ("c", environments["c"])


def test_unknown_environment():
    """An environment that does not exist is an error that names near ones and how to make it."""
    config = Config(environments={"staging": EnvironmentConfig()})
    with pytest.raises(UnknownNameError, match=r"did you mean staging\?.*\[environments.stagin\]"):
        config.environment("stagin")


async def test_use_environment(written, tmp_path):
    """An environment makes its sandboxes, its model and the plugins current, and closes what it opened."""
    script = written(
        '[{"tool_calls": [{"function": "submit", "arguments": {"answer": "4"}}]}]', "turns.json"
    )
    written(
        f"[environments.ci]\nmodel = 'scripted/{script}'\nlimits = {{ turns = 5 }}\n"
        f"[environments.ci.sandboxes.default]\nbackend = 'local'\nworkdir = '{tmp_path}'\n"
        "[environments.ci.sandboxes.victim]\nbackend = 'local'\n"
    )
    async with use_environment("ci") as environment:
        assert environment.limits == [turn_limit(5)]
        assert (await sandbox().exec(["pwd"])).stdout == f"{tmp_path}\n"
        victim = sandbox("victim")
        assert victim is not sandbox()
        state = await run(react(), "go")
    assert state.output.completion == "4"


async def test_backend_that_is_not_installed():
    """A backend that no plugin has is an error that names the package to install."""
    config = Config(environments={"default": EnvironmentConfig(sandbox="dockr")})
    with pytest.raises(UnknownNameError, match="pip install wieldy-sandbox-dockr"):
        async with use_environment("default", config=config):
            pass


async def test_settings_of_a_backend():
    """A setting that a backend does not have is refused with the nearest one."""
    settings = {"backend": "local", "workdri": "/tmp"}
    config = Config(environments={"default": EnvironmentConfig(sandbox=settings)})
    with pytest.raises(ConfigError, match="unknown key workdri; did you mean workdir"):
        async with use_environment("default", config=config):
            pass


async def test_sandbox_and_sandboxes():
    """An environment has one sandbox or several, not both."""
    chosen = EnvironmentConfig(sandbox="local", sandboxes={"a": "local"})
    with pytest.raises(ConfigError, match="not both"):
        async with use_environment("default", config=Config(environments={"default": chosen})):
            pass
