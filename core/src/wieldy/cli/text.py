"""Text of models and tools, made safe and short for people who read it on a terminal."""

import re

FOLD_LINES = 8
"""How many lines of a result are shown."""

FOLD_COLUMNS = 400
"""How many characters of a line are shown."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")

# Control characters can move the cursor, retitle the window or write to the clipboard; marks of direction
# and invisible line ends can show a command as another one; half of a surrogate pair cannot be printed.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Returns a text that a terminal shows as it is: colours dropped, other control characters spelled out.

    A carriage return ends a line, so that every state of a progress bar is seen.

    Args:
        text: What a model or a tool wrote. `"\x1b]0;title\x07"` becomes `r"\x1b]0;title\x07"`.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(_spelled, _COLOURS.sub("", lines))


def folded(text: str, lines: int = FOLD_LINES) -> list[str]:
    """Returns the first and the last lines of a text, with a line between that says how many are left out.

    Args:
        text: The text.
        lines: How many lines to keep. One line more is kept whole: the notice would be as long.
    """
    every = [_shortened(line) for line in text.rstrip("\n").split("\n")]
    if len(every) <= lines + 1:
        return every
    head, tail = lines // 2, lines - lines // 2
    return [*every[:head], f"… {len(every) - lines} more lines", *every[-tail:]]


def indented(text: str, by: int) -> str:
    """Returns a text whose lines, the empty ones apart, start with that many spaces."""
    return "\n".join(" " * by + line if line else "" for line in text.split("\n"))


def counted(number: int, noun: str) -> str:
    """Returns "1 turn", "2 turns"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """Returns a time for people: "0.03 s", "12 s", "3 min 5 s"."""
    if seconds < 9.95:  # noqa: PLR2004 - what rounds to two digits
        return f"{seconds:.2g} s" if seconds >= 0.01 else "0.01 s"  # noqa: PLR2004 - nothing is 0 s
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _shortened(line: str) -> str:
    more = len(line) - FOLD_COLUMNS
    return line if more <= 0 else f"{line[:FOLD_COLUMNS]}… {more} more characters"


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - two digits
