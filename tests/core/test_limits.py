"""Limits as values, and their scopes."""

import pytest

from wieldy import ConfigError, LimitExceededError, UnknownNameError, turn_limit
from wieldy.limits import Limit, parse_limit, take_turn, use_limits


def test_parse():
    """LI09: a limit is written as kind and number, and is a value."""
    assert parse_limit("turns=50") == turn_limit(50) == Limit("turns", 50)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("turns", ConfigError, "KIND=NUMBER"),
        ("turns=many", ConfigError, "whole number, got 'many'"),
        ("turns=0", ConfigError, "more than 0"),
        ("turn=5", UnknownNameError, "did you mean turns"),
    ],
)
def test_parse_errors(text, error, message):
    """What is no limit is an error that shows how one is written."""
    with pytest.raises(error, match=message):
        parse_limit(text)


@pytest.mark.parametrize("turns", [1.5, True, 0, -1, "5"])
def test_no_number_of_turns(turns):
    """A limit of turns is a whole number of more than 0."""
    with pytest.raises(ConfigError, match="whole number"):
        turn_limit(turns)


def test_exact():
    """A limit allows exactly as many as it says."""
    with use_limits([turn_limit(2)]) as scope:
        take_turn()
        take_turn()
        with pytest.raises(LimitExceededError) as error:
            take_turn()
    assert (error.value.kind, error.value.used, error.value.limit) == ("turns", 3, 2)
    assert error.value.source is scope


def test_scopes_all_count():
    """LI03: of nested scopes each counts what happens inside it; after the inner one the outer goes on."""
    with use_limits([turn_limit(3)]) as outer:
        with use_limits([turn_limit(1)]) as inner:
            take_turn()
            with pytest.raises(LimitExceededError) as error:
                take_turn()
            assert error.value.source is inner
        take_turn()
        take_turn()
        with pytest.raises(LimitExceededError) as error:
            take_turn()
        assert error.value.source is outer


def test_outermost_is_reported():
    """Where several scopes are exceeded at once, the outermost is reported."""
    with use_limits([turn_limit(1)]) as outer, use_limits([turn_limit(1)]):
        take_turn()
        with pytest.raises(LimitExceededError) as error:
            take_turn()
    assert error.value.source is outer


def test_smallest_of_one_kind_counts():
    """Of two limits of one kind in one scope the smaller counts."""
    with use_limits([turn_limit(200), turn_limit(1), turn_limit(50)]):
        take_turn()
        with pytest.raises(LimitExceededError, match="1 allowed"):
            take_turn()


def test_no_scope():
    """Without any limit every turn is allowed."""
    for _ in range(1000):
        take_turn()
