"""What makes an object a plugin, and what is refused: `PluginManager.register`."""

from types import SimpleNamespace

import pytest

from wieldy import PluginError, PluginManager, Sandbox, hookimpl, tool
from wieldy.plugins import current_plugins, use_plugins


@tool
async def hammer() -> str:
    """Hammers."""
    return "bang"


@tool
async def saw() -> str:
    """Saws."""
    return "ratch"


class Tools:
    """A plugin with the given tools."""

    def __init__(self, *tools):
        self._tools = tools

    @hookimpl
    def wieldy_tools(self):
        return self._tools


@pytest.fixture
def manager():
    """A manager with one plugin, which gives a hammer."""
    manager = PluginManager()
    manager.register(Tools(hammer), "smith")
    return manager


def hooks(**functions):
    """Makes a plugin of functions by hook."""
    return SimpleNamespace(**{name: hookimpl(each) for name, each in functions.items()})


def refused(manager, plugin):
    """Returns why a plugin is refused, and checks that all is as it was before."""
    before = manager.plugins(), dict(manager.tools), dict(manager.sandboxes), manager.approves
    with pytest.raises(PluginError) as caught:
        manager.register(plugin, "new")
    after = manager.plugins(), dict(manager.tools), dict(manager.sandboxes), manager.approves
    assert after == before
    return str(caught.value)


def test_what_a_plugin_gives_is_found_by_name(manager) -> None:
    """A registered object gives its tools under the names that `@tool` gave them."""
    assert list(manager.tools) == ["hammer"]
    assert manager.tools.provider("hammer") == "smith"


def test_a_registered_plugin_is_listed(manager) -> None:
    """A plugin that was added by hand is listed under the name that it was given."""
    status = manager.plugins()[0]
    assert (status.name, status.distribution, status.status, status.hooks) == (
        "smith",
        "",
        "ok",
        ("wieldy_tools",),
    )


async def test_a_bare_tool_becomes_a_factory_of_itself(manager) -> None:
    """A tool without arguments is looked up like a factory."""
    assert await manager.tool("hammer")() == "bang"


@pytest.mark.parametrize(
    "hook",
    [
        "wieldy_tools",
        "wieldy_sandboxes",
        "wieldy_models",
        "wieldy_approvers",
        "wieldy_compactions",
        "wieldy_message_filters",
    ],
)
def test_a_registration_hook_may_give_nothing(manager, hook) -> None:
    """None from a registration hook means that the plugin has none of that kind."""
    manager.register(hooks(**{hook: lambda: None}), "empty")
    assert manager.plugins()[1].hooks == (hook,)
    assert manager.gives(manager.plugins()[1]) == {}


@pytest.mark.parametrize("hook", ["wieldy_tools", "wieldy_sandboxes"])
@pytest.mark.parametrize("answer", [5, 0, "text", "", {"a": 1}, hammer], ids=repr)
def test_lists_must_be_lists(manager, hook, answer) -> None:
    """A hook that gives several things must return a list of them, and the error names the hook."""
    plugin = hooks(**{hook: lambda: answer})
    assert refused(manager, plugin) == f"{hook} must return a list, got {answer!r}"


@pytest.mark.parametrize(
    "hook", ["wieldy_models", "wieldy_approvers", "wieldy_compactions", "wieldy_message_filters"]
)
@pytest.mark.parametrize("answer", [5, [], ["text"], ""], ids=repr)
def test_mappings_must_be_mappings(manager, hook, answer) -> None:
    """A hook that gives things by name must return a mapping, and the error names the hook."""
    plugin = hooks(**{hook: lambda: answer})
    assert refused(manager, plugin) == f"{hook} must return a mapping of names, got {answer!r}"


@pytest.mark.parametrize(("name", "value"), [(1, print), ("name", 1), ("name", None)], ids=repr)
def test_mappings_go_from_names_to_functions(manager, name, value) -> None:
    """Each entry must be a function under a text, or the plugin is refused."""
    plugin = hooks(wieldy_approvers=lambda: {name: value})
    assert refused(manager, plugin) == (
        f"wieldy_approvers must map names to functions, got {name!r}: {value!r}"
    )


def test_a_function_without_the_decorator_is_no_tool(manager) -> None:
    """A plain function among the tools is refused, and the error says what is asked for."""

    async def plain():
        """Says nothing."""

    said = refused(manager, Tools(saw, plain))
    assert said == f"ToolDefinitionError: a plugin registers what `@tool` made, got {plain!r}"


def test_a_sandbox_for_a_newer_contract_is_refused(manager) -> None:
    """A backend that was written for a later core is refused, and the error says to upgrade."""

    class Newer(Sandbox):
        name = "newer"
        api_version = 2

    assert refused(manager, hooks(wieldy_sandboxes=lambda: [Newer])) == (
        "the sandbox newer is written for version 2 of the contract, and this wieldy has version 1: "
        "upgrade wieldy"
    )


def test_a_sandbox_for_an_older_contract_is_taken(manager) -> None:
    """A backend that was written for an earlier core still works."""

    class Older(Sandbox):
        name = "older"
        api_version = 0

    manager.register(hooks(wieldy_sandboxes=lambda: [Older]))
    assert manager.sandboxes["older"] is Older


def test_an_unknown_hook_is_refused(manager) -> None:
    """A marked function that is no hook is a mistake, and the error has the near matches."""
    plugin = hooks(wieldy_tool=lambda: None)
    assert refused(manager, plugin) == (
        "wieldy_tool is no hook of wieldy; did you mean wieldy_tools or wieldy_cli or wieldy_models?"
    )


def test_an_unknown_hook_may_be_optional(manager) -> None:
    """A hook of a later core is passed over where its implementation is marked as optional."""
    plugin = SimpleNamespace(
        wieldy_dreams=hookimpl(optionalhook=True)(lambda: None),
        wieldy_tools=hookimpl(lambda: [saw]),
    )
    manager.register(plugin, "later")
    assert manager.plugins()[1].hooks == ("wieldy_tools",)
    assert list(manager.tools) == ["hammer", "saw"]


def test_a_function_may_implement_a_hook_under_another_name(manager) -> None:
    """`specname` says which hook a function implements."""
    manager.register(SimpleNamespace(anything=hookimpl(specname="wieldy_tools")(lambda: [saw])))
    assert list(manager.tools) == ["hammer", "saw"]


def test_an_unmarked_function_is_refused(manager) -> None:
    """A function with the name of a hook that lacks the marker is a mistake, not a silent nothing."""
    plugin = SimpleNamespace(wieldy_approve=lambda request: None)
    assert refused(manager, plugin) == (
        "wieldy_approve is not marked with @hookimpl (from wieldy import hookimpl)"
    )


def test_an_unmarked_method_is_refused(manager) -> None:
    """A method with the name of a hook needs the marker too."""

    class Forgetful:
        def wieldy_approve(self, request):
            return None

    assert refused(manager, Forgetful()) == (
        "wieldy_approve is not marked with @hookimpl (from wieldy import hookimpl)"
    )


@pytest.mark.parametrize("hook", ["wieldy_approve", "wieldy_event", "wieldy_tools"])
def test_a_hook_wrapper_is_refused(manager, hook) -> None:
    """A wrapper could not be awaited, and would stand between the user and an approver."""

    def wrapper():
        return (yield)

    plugin = SimpleNamespace(**{hook: hookimpl(wrapper=True)(wrapper)})
    assert refused(manager, plugin) == f"{hook} is a hook wrapper, which wieldy does not call"


def test_an_argument_that_the_hook_does_not_have_is_refused(manager) -> None:
    """An implementation can only ask for arguments of the hook, and the error names the others."""
    said = refused(manager, hooks(wieldy_approve=lambda tool: None))
    assert "Argument(s) {'tool'}" in said
    assert "wieldy_approve" in said


def test_an_implementation_may_take_fewer_arguments(manager) -> None:
    """What an implementation does not need, it need not name."""
    manager.register(hooks(wieldy_event=lambda: None, wieldy_approve=lambda: None))
    assert manager.plugins()[1].hooks == ("wieldy_approve", "wieldy_event")


@pytest.mark.parametrize("hook", ["wieldy_tools", "wieldy_models", "wieldy_event"])
def test_hooks_that_are_not_awaited_must_be_plain(manager, hook) -> None:
    """An async function for a hook that nobody awaits would silently do nothing: it is refused."""

    async def asynchronous():
        return None

    assert refused(manager, hooks(**{hook: asynchronous})) == (
        f"{hook} must be a plain function, not an async one"
    )


@pytest.mark.parametrize("error", [ValueError("no key"), SystemExit("no key")], ids=repr)
def test_an_exception_in_a_registration_hook_is_the_cause(manager, error) -> None:
    """Whatever a registration hook raises makes the plugin unusable, and is chained."""

    def failing():
        raise error

    plugin = hooks(wieldy_tools=lambda: [saw], wieldy_models=failing)
    with pytest.raises(PluginError, match=f"^{type(error).__name__}: no key$") as caught:
        manager.register(plugin)
    assert caught.value.__cause__ is error
    assert list(manager.tools) == ["hammer"]


def test_an_interrupt_is_not_taken_for_a_broken_plugin(manager) -> None:
    """Ctrl-C while a plugin is asked stops the program, as everywhere."""

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        manager.register(hooks(wieldy_tools=interrupted))
    assert list(manager.tools) == ["hammer"]


def test_one_object_is_one_plugin(manager) -> None:
    """The same object cannot be added twice, and the first stays whole."""
    guard = hooks(wieldy_approve=lambda: None, wieldy_tools=lambda: [saw])
    manager.register(guard, "guard")
    assert refused(manager, guard) == (
        "it is the same object as the plugin guard, which is registered already"
    )
    assert manager.approves


def test_one_name_is_one_plugin(manager) -> None:
    """Two plugins cannot have one name, and the first stays whole."""
    with pytest.raises(PluginError, match=r"^a plugin is already registered as smith$"):
        manager.register(Tools(saw), "smith")
    assert list(manager.tools) == ["hammer"]


def test_two_plugins_may_give_different_tools(manager) -> None:
    """What plugins give adds up."""
    manager.register(Tools(saw), "carpenter")
    assert list(manager.tools) == ["hammer", "saw"]


def test_a_plugin_may_not_give_a_name_twice(manager) -> None:
    """A name that one plugin gives twice is in conflict like any other."""
    manager.register(Tools(saw, saw), "carpenter")
    assert manager.conflicts() == {"tool saw": ["carpenter", "carpenter"]}


def test_a_manager_knows_nothing_of_another() -> None:
    """Plugins belong to the object that they were registered with; there is no global list."""
    assert (PluginManager().plugins(), list(PluginManager().tools)) == ([], [])


def test_plugins_are_current_for_a_block(manager) -> None:
    """`use_plugins` makes a manager current, and the one before is current again at its end."""
    other = PluginManager()
    with use_plugins(manager):
        with use_plugins(other):
            inside = current_plugins()
        after = current_plugins()
    assert (inside, after, current_plugins()) == (other, manager, None)


def test_a_plugin_without_hooks_is_refused() -> None:
    """A plugin that implements nothing is a mistake, and the error says how a hook is marked."""
    with pytest.raises(PluginError, match="implements no hook: mark its functions with @hookimpl"):
        PluginManager().register(object(), "idle")


def test_a_class_is_refused() -> None:
    """A class with hooks is no plugin; an instance of it is."""

    class Plugin:
        @hookimpl
        def wieldy_tools(self):
            return []

    with pytest.raises(PluginError, match="Plugin is a class"):
        PluginManager().register(Plugin)
    PluginManager().register(Plugin())
