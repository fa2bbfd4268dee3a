"""What every test of the tree runs under: both event loops, and a check that nothing blocks them."""

import importlib
import os
import signal
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
    measured = "benchmarks" in request.path.parts  # the guard would slow what is measured
    if measured or "anyio_backend" not in request.fixturenames:
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


def pytest_configure():
    """Signals that are ignored here (nohup, a background job) would be ignored by what tests start, too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


ALLOWED_SKIPS = (
    "does not claim",  # a backend need not claim everything: the contract says so
    "this sandbox has",
    "may do everything",  # run again without root's powers: test_user_who_may_not_do_everything
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """In CI nothing may be skipped: what is missing there, a service say, is a failure."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        reason = str(report.longrepr)
        if not any(allowed in reason for allowed in ALLOWED_SKIPS):
            report.outcome = "failed"
            report.longrepr = f"skipped in CI: {reason}"
    return report


def pytest_collection_modifyitems(items):
    """Marks tests by the folder that they are in."""
    for item in items:
        if os.sep + "packaging" + os.sep in str(item.path):
            item.add_marker(pytest.mark.packaging)
