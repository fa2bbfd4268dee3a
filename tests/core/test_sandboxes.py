"""The sandbox that is current."""

import pytest

from wieldy import NoSandboxError, SandboxError, UnknownNameError, sandbox, use_sandbox
from wieldy_sandbox_local import LocalSandbox


async def test_several_sandboxes():
    """LC02: of several sandboxes the one named default comes first, any other by name; a wrong name lists them."""
    async with LocalSandbox.open() as first, LocalSandbox.open() as second:
        async with use_sandbox({"victim": first, "default": second}) as default:
            assert default is sandbox() is second
            assert sandbox("victim") is first
            with pytest.raises(
                UnknownNameError, match=r"did you mean victim\?; known: default, victim"
            ):
                sandbox("victem")
        # What was handed over open stays open.
        assert (await first.exec(["true"])).success


async def test_first_is_the_default():
    """Where none is named default, the first one is."""
    async with use_sandbox({"a": LocalSandbox.open(), "b": LocalSandbox.open()}):
        assert sandbox() is sandbox("a")


async def test_block_inside_a_block():
    """A block has its own sandbox; after it the outer one is current again."""
    async with use_sandbox(LocalSandbox.open()) as outer:
        async with use_sandbox(LocalSandbox.open()) as inner:
            assert sandbox() is inner
        assert sandbox() is outer


async def test_no_sandbox():
    """Outside of any block there is no sandbox, and the error says what to do."""
    with pytest.raises(NoSandboxError, match="use_sandbox"):
        sandbox()
    with pytest.raises(SandboxError, match="at least one"):
        async with use_sandbox({}):
            pass
