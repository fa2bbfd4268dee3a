"""A plugin that cannot be used is listed with its cause, and takes nothing else with it."""

import sys
from pathlib import Path

import pytest

CAUSES = {
    "async_event": "wieldy_event must be a plain function, not an async one",
    "async_registration": "wieldy_tools must be a plain function, not an async one",
    "exits_at_import": "SystemExit: no licence was found",
    "exits_in_hook": "SystemExit: 3",
    "missing_import": ("ModuleNotFoundError: No module named 'acme_library_that_is_not_installed'"),
    "misspelled_hook": (
        "wieldy_aprove is no hook of wieldy; did you mean wieldy_approve or wieldy_approvers or "
        "wieldy_event?"
    ),
    "model_no_function": "wieldy_models must map names to functions, got 'acme': 'gpt'",
    "models_in_list": "wieldy_models must return a mapping of names, got ['gpt']",
    "nameless_sandbox": "the sandbox Nameless has no `name`",
    "newer_sandbox": (
        "the sandbox newer is written for version 99 of the contract, and this wieldy has version 1: "
        "upgrade wieldy"
    ),
    "no_sandbox": "wieldy_sandboxes must return subclasses of Sandbox, got <class 'dict'>",
    "no_such_object": ("AttributeError: module 'broken_no_such_object' has no attribute 'plugin'"),
    "panics_at_import": "PanicException: called `Option::unwrap()` on a `None` value",
    "raises_in_hook": "ValueError: the settings are wrong: key: missing",
    "tool_without_decorator": (
        "ToolDefinitionError: a plugin registers what `@tool` made, got 'plain'"
    ),
    "tool_without_list": "wieldy_tools must return a list, got <tool lonely>",
    "unknown_argument": (
        "PluginValidationError: Plugin 'broken-unknown-argument 0.1 (unknown-argument)' for hook "
        "'wieldy_approve' hookimpl definition: wieldy_approve(call) Argument(s) {'call'} are declared in "
        "the hookimpl but can not be found in the hookspec"
    ),
    "unmarked_hook": "wieldy_approve is not marked with @hookimpl (from wieldy import hookimpl)",
    "wrapper_hook": "wieldy_approve is a hook wrapper, which wieldy does not call",
}
"""For each module in `dummies/broken` what is said of it."""


@pytest.fixture(scope="module")
def report(broken):
    """What the plugin manager found where all of them are installed."""
    return broken.script("report.py")


@pytest.mark.parametrize("name", sorted(CAUSES))
def test_a_broken_plugin_is_listed_with_its_cause(report, name) -> None:
    """A broken plugin is listed with its distribution, its version and the cause in one line."""
    plugin = name.replace("_", "-")
    assert report["plugins"][plugin] == {
        "name": plugin,
        "distribution": f"broken-{plugin}",
        "version": "0.1",
        "status": "broken",
        "hooks": [],
        "cause": CAUSES[name],
    }


def test_every_broken_dummy_has_a_cause() -> None:
    """Each module in `dummies/broken` is looked at by the test above."""
    modules = Path(__file__).parent.glob("dummies/broken/*.py")
    assert sorted(path.stem for path in modules) == sorted(CAUSES)


def test_all_other_plugins_work(report) -> None:
    """Broken plugins take none of the others with them, the built-ins included."""
    states = {name: report["plugins"][name]["status"] for name in ("builtin", "acme", "acme-bonus")}
    assert states == {"builtin": "ok", "acme": "ok", "acme-bonus": "ok"}


def test_tools_of_other_plugins_can_be_called(broken) -> None:
    """A run goes on as if the broken plugins were not there."""
    came = broken.agent(tools=["acme_shout"], calls=[["acme_shout", {"text": "hi"}]])
    assert came["answers"] == ["HI"]


def test_nothing_is_kept_of_a_broken_plugin(report) -> None:
    """What a plugin gave before it failed is not to be found: a half plugin is none."""
    gives = [report["gives"][name.replace("_", "-")] for name in CAUSES]
    assert gives == [{}] * len(CAUSES)
    assert "half_a_plugin" not in report["tools"]


def test_each_broken_plugin_is_warned_of_in_one_line(broken) -> None:
    """Loading writes one line for each broken plugin, which names it and the cause."""
    code = "from wieldy import PluginManager; PluginManager.load()"
    came = broken.run(sys.executable, "-c", code)
    expected = []
    for name, cause in CAUSES.items():
        plugin = name.replace("_", "-")
        expected.append(f"plugin broken-{plugin} 0.1 ({plugin}) is broken: {cause}")
    assert sorted(came.stderr.splitlines()) == sorted(expected)


def test_strict_makes_a_broken_plugin_fatal(install) -> None:
    """With WIELDY_PLUGINS=strict a broken plugin is an error, which names it and the cause."""
    site = install("broken_wrapper_hook*", "acme_toolbox*")
    came = site.run(sys.executable, *FATAL, WIELDY_PLUGINS="strict")
    assert came.stdout == (
        "PluginError: plugin broken-wrapper-hook 0.1 (wrapper-hook) is broken: wieldy_approve is a hook "
        "wrapper, which wieldy does not call\n"
    )


def test_a_caller_decides_on_strict_before_the_environment(broken) -> None:
    """`load(strict=False)` lists broken plugins whatever WIELDY_PLUGINS says."""
    code = "from wieldy import PluginManager; PluginManager.load(strict=False); print('loaded')"
    came = broken.run(sys.executable, "-c", code, WIELDY_PLUGINS="strict")
    assert came.stdout == "loaded\n"


def test_a_wrong_value_of_the_variable_is_an_error(acme) -> None:
    """WIELDY_PLUGINS with another value than "strict" is refused, and not taken for off."""
    came = acme.run(sys.executable, *FATAL, WIELDY_PLUGINS="1")
    assert came.stdout == "ConfigError: WIELDY_PLUGINS can only be 'strict', got '1'\n"


FATAL = (
    "-c",
    """
from wieldy import ConfigError, PluginError, PluginManager
try:
    PluginManager.load()
except (ConfigError, PluginError) as error:
    print(f"{type(error).__name__}: {error}")
""",
)
