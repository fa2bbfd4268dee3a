"""How much a run, or a part of it, may use.

A limit is a value, made by `turn_limit(50)`, and may be used any number of times. `use_limits` opens
a scope with counters of its own; scopes nest, each counts what happens inside it, and where several
are exceeded at once the outermost is reported.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from .exceptions import ConfigError, LimitExceededError, UnknownNameError

LimitKind: TypeAlias = Literal["turns"]
"""What can be limited. "turns" are the answers that a model gives."""

LIMIT_KINDS: tuple[str, ...] = get_args(LimitKind)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit as a value.

    Attributes:
        kind: What is limited.
        value: How much of it is allowed.
    """

    kind: LimitKind
    value: float

    def __post_init__(self) -> None:
        if self.kind not in LIMIT_KINDS:
            raise UnknownNameError(kind="limit", name=str(self.kind), known=LIMIT_KINDS)
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value <= 0:
            msg = (
                f"a limit of {self.kind} must be a whole number of more than 0, got {self.value!r}"
            )
            raise ConfigError(msg)


def turn_limit(turns: int) -> Limit:
    """Limits how many answers a model may give.

    Raises:
        ConfigError: It is no whole number of more than 0.
    """
    return Limit("turns", turns)


def parse_limit(text: str) -> Limit:
    """Reads a limit as the command line writes it: "turns=50".

    Raises:
        ConfigError: It is not of that form.
        UnknownNameError: There is no such kind of limit.
    """
    kind, equals, value = text.partition("=")
    kind = kind.strip()
    if not equals:
        msg = f"a limit is written KIND=NUMBER, for instance turns=50; got {text!r}"
        raise ConfigError(msg)
    try:
        number = int(value)
    except ValueError:
        msg = f"the limit of {kind} must be a whole number, got {value!r}"
        raise ConfigError(msg) from None
    return Limit(kind, number)  # type: ignore[arg-type]  # Limit checks the kind


@dataclass(slots=True)
class LimitScope:
    """The counters of one scope, by kind; `outer` is the scope around it."""

    limits: dict[str, float]
    outer: "LimitScope | None"
    used: dict[str, float] = field(default_factory=dict)


_current: ContextVar[LimitScope | None] = ContextVar("wieldy_limits", default=None)


@contextmanager
def use_limits(limits: Sequence[Limit]) -> Iterator[LimitScope]:
    """Applies limits to a block of code, with counters that start at 0; of two of a kind the smaller."""
    smallest: dict[str, float] = {}
    for limit in limits:
        smallest[limit.kind] = min(limit.value, smallest.get(limit.kind, limit.value))
    scope = LimitScope(smallest, _current.get())
    token = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(token)


def take_turn() -> None:
    """Counts one more turn, before the model is asked.

    Raises:
        LimitExceededError: It would be one more than a limit allows; nothing is counted then.
    """
    _check("turns", 1)
    scope = _current.get()
    while scope is not None:
        scope.used["turns"] = scope.used.get("turns", 0) + 1
        scope = scope.outer


def _check(kind: LimitKind, more: float) -> None:
    exceeded: LimitExceededError | None = None
    scope = _current.get()
    while scope is not None:
        used = scope.used.get(kind, 0) + more
        limit = scope.limits.get(kind)
        if limit is not None and used > limit:
            exceeded = LimitExceededError(kind, used, limit, source=scope)
        scope = scope.outer
    if exceeded is not None:
        raise exceeded
