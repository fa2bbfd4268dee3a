"""The tools bash and python on the local sandbox: what a model sees."""

import pytest

from wieldy import (
    ChatMessageAssistant,
    ToolCall,
    ToolDef,
    execute_tools,
    sandbox,
    use_sandbox,
)
from wieldy_bash import bash
from wieldy_python import python
from wieldy_sandbox_local import LocalConfig, LocalSandbox


async def call(tool, **arguments):
    """What a model reads of one call, in a sandbox of its own."""
    async with use_sandbox(LocalSandbox.open()):
        return await call_here(tool, **arguments)


async def call_here(tool, **arguments):
    definition = ToolDef(tool)
    message = ChatMessageAssistant(
        tool_calls=[ToolCall(id="1", function=definition.name, arguments=arguments)]
    )
    return (await execute_tools([message], [tool])).messages[0]


# -- bash -------------------------------------------------------------------------------------------


async def test_bash_both_streams():
    """BA01: both streams are seen, standard error marked."""
    answer = await call(bash(), command="echo out; echo err >&2")
    assert answer.text == "out\n[stderr]\nerr"


async def test_bash_failure_without_output():
    """BA02: a failure is seen even where nothing was printed."""
    assert (await call(bash(), command="exit 2")).text == "[exit status 2]"


async def test_bash_signal():
    """A command that a signal killed says which."""
    assert (await call(bash(), command="kill -9 $$")).text == "[killed by SIGKILL]"


async def test_bash_keeps_no_state():
    """BA04: each call starts in the same directory; the description says so."""
    async with use_sandbox(LocalSandbox.open()):
        tool = bash()
        first = await call_here(tool, command="cd /; x=1; pwd")
        second = await call_here(tool, command='pwd; echo "[$x]"')
    assert first.text == "/"
    assert second.text.endswith("\n[]")
    assert not second.text.startswith("/\n")
    assert "do not last" in ToolDef(tool).info.description


async def test_bash_timeout():
    """A command that runs out of time shows what it printed, and is gone."""
    answer = await call(bash(timeout=0.3), command="echo begun; sleep 60")
    assert answer.error.type == "timeout"
    lines = answer.seen.splitlines()
    assert lines[0] == "begun"
    assert lines[1].startswith("[timed out after 0.3")


async def test_bash_never_waits_for_an_answer():
    """A command that asks for input gets the end of file, and has no terminal to ask on."""
    answer = await call(bash(), command="read x; echo $?; : < /dev/tty")
    assert answer.text.startswith("1\n[stderr]")


async def test_bash_options():
    """Directory, environment and time are options of the factory; env overrides the defaults."""
    answer = await call(bash(cwd="/", env={"PAGER": "less"}), command="pwd; echo $PAGER $GIT_PAGER")
    assert answer.text == "/\nless cat"


async def test_bash_where_there_is_only_sh():
    """Where there is no bash, sh runs the command."""
    config = LocalConfig(env={"PATH": "/nowhere"})
    async with use_sandbox(LocalSandbox.open(config)):
        await sandbox().write_file("bin/sh", '#!/bin/sh\nexec /bin/sh "$@"\n')
        await sandbox().exec(["/bin/chmod", "+x", "bin/sh"])
        path = await sandbox().realpath("bin")
        answer = await call_here(bash(env={"PATH": path}), command="echo $0")
    assert answer.seen == "/bin/sh"


@pytest.mark.parametrize("text", ["echo '```'", "a\n````\nb"])
def test_bash_view(text):
    """People see the command as a block of bash, whatever is in it."""
    view = ToolDef(bash()).view(ToolCall(id="1", function="bash", arguments={"command": text}))
    fence = view.call.content.partition("bash")[0]
    assert view.call.content == f"{fence}bash\n{text}\n{fence}"
    assert fence not in text


async def test_background_process():
    """A process in the background does not hold the call up."""
    answer = await call(bash(timeout=30), command="sleep 60 & echo done")
    assert answer.text == "done"


# -- python -----------------------------------------------------------------------------------------


async def test_python_prints():
    """Code prints, and quotes, size and line ends do not matter to it."""
    code = "text = '''a \"b\" $c `d`'''\nprint(text, len('" + "x" * 200_000 + "'))\n"
    assert (await call(python(), code=code)).text == 'a "b" $c `d` 200000'


async def test_python_traceback():
    """PY02: an exception is seen with its traceback and the line of the code."""
    answer = await call(python(), code="x = 1\nraise KeyError('k')\n")
    assert "line 2" in answer.text
    assert "KeyError: 'k'" in answer.text
    assert answer.text.endswith("[exit status 1]")


async def test_python_without_bash():
    """PY04: python works where there is no shell at all."""
    python3 = "/usr/bin/env"
    config = LocalConfig(env={"PATH": "/nowhere"})
    async with use_sandbox(LocalSandbox.open(config)):
        box = sandbox()
        found = (
            await box.exec([python3, "PATH=/usr/bin:/usr/local/bin", "which", "python3"])
        ).stdout
        real = found.strip() or "/usr/bin/python3"
        await box.exec(["/bin/mkdir", "bin"])
        await box.exec(["/bin/ln", "-s", real, "bin/python3"])
        path = await box.realpath(".")
        answer = await call_here(python(env={"PATH": f"{path}/bin"}), code="print(40 + 2)")
    assert answer.seen == "42"


async def test_python_where_there_is_none():
    """Where there is no Python, the model is told so."""
    answer = await call(python(env={"PATH": "/nowhere"}), code="print(1)")
    assert answer.error.message.startswith("there is no Python in this sandbox")


async def test_python_timeout():
    """Code that runs out of time shows what it printed until then."""
    answer = await call(python(timeout=1), code="print('begun')\nwhile True: pass\n")
    assert answer.seen.startswith("begun\n[timed out after 1")
