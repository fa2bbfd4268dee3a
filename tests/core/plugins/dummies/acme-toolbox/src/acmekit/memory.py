"""A sandbox that only repeats what it should run."""

from wieldy import ExecResult, Sandbox
from wieldy.sandboxes import Ending, Output, SandboxConfig


class AcmeMemory(Sandbox):
    """Runs nothing: the output of a command is its greeting and its words."""

    name = "acme-memory"

    class Config(SandboxConfig):
        """The settings."""

        greeting: str = "ran"
        """What stands before the words."""

    def __init__(self, greeting):
        self._greeting = greeting

    @classmethod
    async def _open(cls, config, tasks):
        return cls(config.greeting)

    async def aclose(self):
        pass

    async def _exec(self, request):
        said = b" ".join([self._greeting.encode(), *request.argv])
        return ExecResult(0, Ending.EXITED, Output(said))

    async def _nothing(self, *arguments):
        raise NotImplementedError

    _spawn = _read = _write = _list_dir = _stat = _realpath = _remove = _chmod = _nothing
