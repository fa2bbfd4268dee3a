"""What a model reads of a command that has ended."""

from .result import Ending, ExecResult


def report(result: ExecResult) -> str:
    """Returns what a command wrote and how it ended, in words for a model.

    Standard output stands as it is, standard error below a mark of its own, and how it ended at the
    end, unless it ended well.

    Args:
        result: What the command came to.
    """
    parts = []
    if result.stdout:
        parts.append(result.stdout.removesuffix("\n"))
    if result.stderr:
        parts.append(f"[stderr]\n{result.stderr.removesuffix(chr(10))}")
    if not result.success:
        parts.append(f"[{result.status}]")
    if result.ending is Ending.TIMED_OUT:
        parts.append("[it was killed, and all that it had started]")
    return "\n".join(parts)
