"""What a command writes, kept with bounded memory while it runs."""

from wieldy.sandboxes import Output

_SLACK = 64 * 1024


class OutputBuffer:
    """Collects one stream: its first bytes, its last bytes, and a count of what was between.

    Args:
        limit: How many bytes to keep; half of them from the end.
    """

    def __init__(self, limit: int) -> None:
        self._head_size = limit - limit // 2
        self._tail_size = limit // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """Takes what was read."""
        self._total += len(data)
        room = self._head_size - len(self._head)
        if room >= len(data):
            self._head += data
            return
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if self._tail_size:
            self._tail += data
            # Cut rarely: each cut moves the whole tail, so cutting at every read would cost a
            # multiple of what the command writes.
            if len(self._tail) > 2 * self._tail_size + _SLACK:
                del self._tail[: -self._tail_size]

    def output(self) -> Output:
        """Returns what was kept; everything is in the head where nothing was dropped."""
        kept = min(len(self._tail), self._tail_size)
        tail = bytes(self._tail[len(self._tail) - kept :])
        dropped = self._total - len(self._head) - kept
        if not dropped:
            return Output(head=bytes(self._head) + tail)
        return Output(head=bytes(self._head), tail=tail, dropped=dropped)
