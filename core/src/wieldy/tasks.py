"""A task group that belongs to an object, and leaves the errors of the body as they are."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def owned_tasks() -> AsyncIterator[TaskGroup]:
    """Opens a task group whose tasks end with the block.

    A bare task group would wrap an error of the block in an exception group, and every caller would
    have to look inside; here the error passes as it is.
    """
    failure: BaseException | None = None
    async with anyio.create_task_group() as tasks:
        try:
            yield tasks
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised again, outside the group
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
