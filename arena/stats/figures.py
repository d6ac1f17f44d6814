"""Figures that callers give, looked at before anything is made of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

from arena.errors import StatsError, shown


def number(what: str, value: Any, low: float = -inf, high: float = inf, *, within: bool = False) -> float:
    """The value as a float, `low` to `high`, or with `within` between them. Raises StatsError for others."""
    try:
        found = float(value / 1)  # no text, which float would read
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or not (low < found < high if within else low <= found <= high):
        raise StatsError(f"{what}: expected a number{_bounds(low, high, within)}, got {_told(value)}")
    return found


def _bounds(low: float, high: float, within: bool) -> str:
    if low == -inf and high == inf:
        return ""
    if high == inf:
        return f" {'above' if within else 'from'} {low:g}{'' if within else ' on'}"
    return f" {'between' if within else 'from'} {low:g} {'and' if within else 'to'} {high:g}"


def _told(value: object) -> str:
    return str(value) if type(value).__module__ == "numpy" else shown(value)


@contextmanager
def expected(what: str) -> Iterator[None]:
    """Raise a TypeError about what is given as a StatsError."""
    try:
        yield
    except TypeError as error:
        raise StatsError(f"expected {what}, got: {error}") from None
