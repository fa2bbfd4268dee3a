"""What a docstring tells a model: the description of a function and of its parameters.

The parameters are read by docstring-parser, in whichever of the google, numpy, reST and epydoc styles
fits. The description is everything else but the sections that a model has no use for (what is returned
or raised), so that notes and examples reach the model.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

import docstring_parser

_DROPPED = (
    r"args|arguments|parameters|params|keyword args|keyword arguments|other parameters|attributes"
    r"|returns?|yields?|raises|exceptions|receives|warns"
)
_GOOGLE_HEADING = re.compile(rf"(?i)(?:{_DROPPED}):\s*$")
_NUMPY_HEADING = re.compile(rf"(?i)(?:{_DROPPED})\s*$")
_NUMPY_RULE = re.compile(r"-{3,}\s*$")
_FIELD = re.compile(
    r"[:@](?:param|parameter|arg|argument|key|keyword|type|returns?|rtype|yields?|raises?|except|exception)\b"
)


@dataclass(frozen=True, slots=True)
class Documentation:
    """What a docstring says.

    Attributes:
        description: The text without the sections on parameters, results and errors.
        parameters: The description of each parameter that has one.
    """

    description: str
    parameters: dict[str, str]


def read_docstring(text: str | None) -> Documentation:
    """Reads a docstring in any of the usual styles.

    Args:
        text: The docstring as it stands in the source; None where there is none.
    """
    lines = _indented(inspect.cleandoc(text or "").splitlines())
    return Documentation(_description(lines), _parameters(lines))


def _indented(lines: list[str]) -> list[str]:
    # Where a docstring opens with "Args:", cleandoc has dedented what belongs below it.
    if len(lines) > 1 and _GOOGLE_HEADING.match(lines[0]):
        below = next(line for line in lines[1:] if line)
        if not below[0].isspace():
            return [lines[0], *(f"    {line}" if line else "" for line in lines[1:])]
    return lines


def _parameters(lines: list[str]) -> dict[str, str]:
    # The parser takes the first line for a summary, whatever it is; a docstring may open with "Args:".
    parsed = docstring_parser.parse("\n".join(["_", "", *lines]))
    found = {}
    for param in parsed.params:
        if param.args[0] == "attribute" or not param.description:
            continue
        for name in param.arg_name.split(","):
            # "x (int)" is what is left of the name where no blank line stands before the section.
            found[name.split("(")[0].strip().lstrip("*")] = param.description.strip()
    return found


def _description(lines: list[str]) -> str:
    kept = []
    at = 0
    while at < len(lines):
        end = _dropped_until(lines, at)
        if end == at:
            kept.append(lines[at])
            end = at + 1
        at = end
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _dropped_until(lines: list[str], at: int) -> int:
    """Returns where the section that starts at a line ends; the line itself where none starts."""
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if _GOOGLE_HEADING.match(line):
        return _skip(lines, at + 1, lambda i: not lines[i] or lines[i][0].isspace())
    if _NUMPY_HEADING.match(line) and _NUMPY_RULE.match(following):
        return _skip(lines, at + 2, lambda i: not _starts_numpy_section(lines, i))
    if _FIELD.match(line):
        return _skip(lines, at + 1, lambda i: bool(lines[i]) and lines[i][0].isspace())
    return at


def _starts_numpy_section(lines: list[str], at: int) -> bool:
    return at + 1 < len(lines) and bool(lines[at]) and bool(_NUMPY_RULE.match(lines[at + 1]))


def _skip(lines: list[str], at: int, inside: Callable[[int], bool]) -> int:
    while at < len(lines) and inside(at):
        at += 1
    return at
