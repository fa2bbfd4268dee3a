"""What is found, what is left out, and what is said where a name is given twice or not at all."""

import dataclasses
import sys

import pytest

from wieldy import NameConflictError, PluginManager, UnknownNameError, __version__


@pytest.fixture(scope="module")
def report(acme):
    """What the plugin manager found where the dummies are installed."""
    return acme.script("report.py")


def test_a_distribution_may_have_several_plugins(report) -> None:
    """Each entry point of a distribution is a plugin, with a name, hooks and a status of its own."""
    ours = [report["plugins"][name] for name in ("acme", "acme-bonus")]
    assert [(each["distribution"], each["status"]) for each in ours] == [("acme-toolbox", "ok")] * 2
    assert [report["gives"][each["name"]]["tools"] for each in ours] == [
        ["acme_shout", "acme_run"],
        ["acme_whisper"],
    ]


def test_the_distribution_need_not_be_named_like_the_module(report) -> None:
    """A plugin is reported by its distribution (`acme-toolbox`), whatever its module is called."""
    assert report["plugins"]["acme"] == {
        "name": "acme",
        "distribution": "acme-toolbox",
        "version": "1.2",
        "status": "ok",
        "hooks": [
            "wieldy_approvers",
            "wieldy_cli",
            "wieldy_compactions",
            "wieldy_message_filters",
            "wieldy_models",
            "wieldy_sandboxes",
            "wieldy_tools",
        ],
        "cause": "",
    }


def test_a_plugin_says_what_it_gives(report) -> None:
    """`gives` lists the names that a plugin registered, by kind."""
    assert report["gives"]["acme"] == {
        "tools": ["acme_shout", "acme_run"],
        "sandboxes": ["acme-memory"],
        "models": ["acme"],
        "approvers": ["acme_refuser"],
        "compactions": ["acme_keep_last"],
        "message_filters": ["acme_only_users"],
    }


def test_the_built_ins_come_through_an_entry_point(report) -> None:
    """The built-ins are a plugin like any other: listed, with their hooks, and what they give."""
    found = report["plugins"]["builtin"]
    assert (found["distribution"], found["version"], found["status"]) == (
        "wieldy",
        __version__,
        "ok",
    )
    assert "wieldy_models" in found["hooks"]
    assert "scripted" in report["gives"]["builtin"]["models"]


@pytest.mark.parametrize(
    ("block", "blocked", "tools"),
    [
        ("acme", ["acme"], ["acme_whisper"]),
        ("acme-toolbox", ["acme", "acme-bonus"], []),
        ("Acme_Toolbox", ["acme", "acme-bonus"], []),
        ("builtin", ["builtin"], ["acme_run", "acme_shout", "acme_whisper"]),
    ],
)
def test_a_plugin_can_be_blocked(acme, block, blocked, tools) -> None:
    """A plugin is left out by its own name, or by that of its distribution in any spelling."""
    found = acme.script("report.py", block)
    states = {name: each["status"] for name, each in found["plugins"].items()}
    assert [name for name, status in sorted(states.items()) if status == "blocked"] == blocked
    assert [name for name in found["tools"] if name.startswith("acme")] == tools


def test_a_blocked_plugin_is_not_imported(broken) -> None:
    """Blocking a plugin that breaks at import leaves it unread: it is blocked, and not broken."""
    found = broken.script("report.py", "missing-import")["plugins"]["missing-import"]
    assert (found["status"], found["cause"]) == ("blocked", "")


@pytest.fixture(scope="module")
def conflicts(twins):
    """What the plugin manager found where two distributions give the same names."""
    return twins.script("report.py")


def test_a_name_given_twice_names_both_distributions(conflicts) -> None:
    """Every name that two plugins give is reported together with both."""
    both = ["twin-left 1.0 (left)", "twin-right 1.0 (right)"]
    kinds = ["approver", "compaction", "message filter", "model provider", "sandbox", "tool"]
    found = {kind: sorted(providers) for kind, providers in conflicts["conflicts"].items()}
    assert found == {f"{kind} twin": both for kind in kinds}


def test_a_name_given_twice_is_not_among_the_names(conflicts) -> None:
    """A name in conflict is unusable, and nothing else: other names of the same plugins stay."""
    kinds = ["tools", "sandboxes", "models", "approvers", "compactions", "message_filters"]
    assert [kind for kind in kinds if "twin" in conflicts[kind]] == []
    assert [name for name in conflicts["tools"] if name.startswith("only")] == [
        "only_left",
        "only_right",
    ]


def test_plugins_in_conflict_are_not_broken(conflicts) -> None:
    """A conflict of names does not make a plugin broken."""
    assert [conflicts["plugins"][name]["status"] for name in ("left", "right")] == ["ok", "ok"]


def test_other_tools_of_plugins_in_conflict_run(twins) -> None:
    """What only one of the plugins gives can be called."""
    came = twins.agent(tools=["only_left", "only_right"], calls=[["only_right", {}]])
    assert came["answers"] == ["right"]


def test_blocking_one_plugin_ends_the_conflict(twins) -> None:
    """With one of the two blocked, the name is the other's."""
    found = twins.script("report.py", "twin-left")
    assert (found["conflicts"], found["gives"]["right"]["tools"]) == ({}, ["twin", "only_right"])
    assert "twin" in found["tools"]


@pytest.fixture
def plugins(twins, acme, monkeypatch):
    """The plugins of this process, with those of both sites."""
    monkeypatch.syspath_prepend(str(twins.path))
    monkeypatch.syspath_prepend(str(acme.path))
    modules = set(sys.modules)
    yield PluginManager.load()
    for name in set(sys.modules) - modules:
        if name.startswith(("acme", "twin")):
            del sys.modules[name]


def test_an_unknown_tool_is_answered_with_near_names(plugins) -> None:
    """The error for a mistyped name has the kind, near matches and all names, and no package to install."""
    with pytest.raises(UnknownNameError) as caught:
        plugins.tool("acme_shot")
    names = ", ".join(sorted(plugins.tools))
    assert str(caught.value) == (
        f"unknown tool 'acme_shot'; did you mean acme_shout?; known: {names}"
    )


def test_an_unknown_sandbox_is_answered_with_the_package_to_install(plugins) -> None:
    """For a sandbox the likely package is `wieldy-sandbox-NAME`."""
    with pytest.raises(UnknownNameError) as caught:
        plugins.sandboxes["firejail"]
    assert str(caught.value).endswith("pip install wieldy-sandbox-firejail")


def test_an_unknown_model_provider_is_answered_with_near_names(plugins) -> None:
    """A model is looked up by its prefix, and the error is about the prefix."""
    with pytest.raises(UnknownNameError) as caught:
        plugins.model("acne/polly")
    known = ", ".join(sorted(plugins.models))
    assert str(caught.value).startswith(
        f"unknown model provider 'acne'; did you mean acme?; known: {known}"
    )


@pytest.mark.parametrize("name", ["acme", "acme/", "polly"])
def test_a_model_without_a_provider_is_refused(plugins, name) -> None:
    """A model is PROVIDER/NAME; the error lists the providers in that form."""
    with pytest.raises(UnknownNameError) as caught:
        plugins.model(name)
    known = ", ".join(f"{each}/..." for each in sorted(plugins.models))
    assert f"known: {known}" in str(caught.value)


def test_a_registry_is_a_mapping_of_usable_names(plugins) -> None:
    """`in` and `get` say no for unknown names and for names in conflict; asking for one raises."""
    assert ["acme_shout" in plugins.tools, "nothing" in plugins.tools, "twin" in plugins.tools] == [
        True,
        False,
        False,
    ]
    assert plugins.tools.get("acme_shout") is plugins.tools["acme_shout"]
    assert [plugins.tools.get("nothing"), plugins.tools.get("twin", 7)] == [None, 7]
    with pytest.raises(NameConflictError):
        plugins.tools["twin"]


@pytest.mark.parametrize(("registry", "kind"), [("tools", "tool"), ("sandboxes", "sandbox")])
def test_asking_for_a_name_in_conflict_says_what_to_do(plugins, registry, kind) -> None:
    """The error names both distributions, and how to choose one."""
    with pytest.raises(NameConflictError) as caught:
        getattr(plugins, registry)["twin"]
    left_and_right = " and ".join(plugins.conflicts()[f"{kind} twin"])
    assert sorted(left_and_right.split(" and ")) == [
        "twin-left 1.0 (left)",
        "twin-right 1.0 (right)",
    ]
    assert str(caught.value) == (
        f"the {kind} 'twin' is given by {left_and_right}: uninstall one of them, or block it "
        "(`[plugins] block = [...]` in wieldy.toml)"
    )


def test_versions_of_active_distributions_are_known(plugins) -> None:
    """`versions` has each distribution once, as logs record it."""
    versions = plugins.versions()
    assert {name: versions[name] for name in ("acme-toolbox", "twin-left", "wieldy")} == {
        "acme-toolbox": "1.2",
        "twin-left": "1.0",
        "wieldy": __version__,
    }


def test_a_plugin_that_fails_later_is_taken_out(plugins) -> None:
    """`mark_broken` lists a plugin as broken with the cause, and drops all that it gave."""
    plugins.mark_broken("acme-toolbox 1.2 (acme)", RuntimeError("no terminal"))
    status = next(each for each in plugins.plugins() if each.name == "acme")
    assert (status.status, status.cause) == ("broken", "RuntimeError: no terminal")
    assert [name for name in plugins.tools if name.startswith("acme")] == ["acme_whisper"]


def test_statuses_are_values(plugins) -> None:
    """What is known of a plugin cannot be changed from outside."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        plugins.plugins()[0].status = "ok"
