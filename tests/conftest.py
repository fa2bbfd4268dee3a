"""What every test of the tree runs under: both event loops, and a check that nothing blocks them."""

import importlib
import os
import time

import pytest
from blockbuster import blockbuster_ctx

DISTRIBUTIONS = ("wieldy", "wieldy_bash", "wieldy_python", "wieldy_sandbox_local")

MAX_STEP = 1.0
"""Seconds that one step of a task may take on trio; a blocking wait takes longer than any honest one."""


class Watchdog:
    """Measures the longest step of a task; trio calls it as an instrument."""

    def __init__(self):
        self.start = 0.0
        self.longest = (0.0, "")

    def before_task_step(self, task):
        self.start = time.perf_counter() - time.thread_time()

    def after_task_step(self, task):
        # Waiting is what blocks: time on the processor (a slow import, say) does not count.
        waited = time.perf_counter() - time.thread_time() - self.start
        self.longest = max(self.longest, (waited, task.name))


_watchdog = Watchdog()


@pytest.fixture(
    params=[
        pytest.param("asyncio", id="asyncio"),
        pytest.param(("trio", {"instruments": [_watchdog]}), id="trio"),
    ]
)
def anyio_backend(request):
    """Every async test runs on both event loops."""
    return request.param


@pytest.fixture(autouse=True)
def _nothing_blocks(request):
    """A test fails in which our code blocks the event loop."""
    if "anyio_backend" not in request.fixturenames:
        yield
        return
    if request.getfixturevalue("anyio_backend") == "asyncio":
        modules = [importlib.import_module(name) for name in DISTRIBUTIONS]
        with blockbuster_ctx(modules) as guard:
            # The one listed place: starting a process waits until the program is executed.
            guard.functions["os.read"].can_block_in("subprocess.py", {"_execute_child"})
            yield
        return
    _watchdog.longest = (0.0, "")
    yield
    seconds, task = _watchdog.longest
    assert seconds < MAX_STEP, f"{task} blocked the event loop for {seconds:.1f} s"


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """In CI nothing may be skipped: a service that is missing there is a failure, not a skip."""
    skipped = terminalreporter.stats.get("skipped", [])
    missing = [report for report in skipped if "service is missing" in str(report.longrepr)]
    for report in missing:
        terminalreporter.write_line(f"SKIPPED FOR WANT OF A SERVICE: {report.nodeid}", red=True)


def pytest_collection_modifyitems(items):
    """Marks tests by the folder that they are in."""
    for item in items:
        if os.sep + "packaging" + os.sep in str(item.path):
            item.add_marker(pytest.mark.packaging)
