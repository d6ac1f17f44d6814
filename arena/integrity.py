"""Python's and arena's own objects, which all bots of a process play by: whether they are as they were."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from arena.risk.compiled import MODULES

_GUARDED = (
    "builtins",
    "random",
    "arena.bot",
    "arena.match",
    "arena.seal",
    "arena.guard",
    *(f"arena.risk.{name}" for name in MODULES),
)
"""Modules whose names, classes and their attributes no bot has reason to change."""


_Watched: TypeAlias = tuple[str, Mapping[str, Any], dict[str, Any]]
"""The name of something, its attributes, and what they were."""


class Memory:
    """The attributes of what is guarded, and of `others`, as they are now."""

    def __init__(self, others: Iterable[object]) -> None:
        self._modules = [(name, sys.modules[name]) for name in _GUARDED if name in sys.modules]
        self._names: list[_Watched] = [
            (name, vars(module), dict(vars(module))) for name, module in self._modules
        ]
        self._objects: list[_Watched] = [
            (f"{name}.{value.__qualname__}", vars(value), dict(vars(value)))
            for name, module in self._modules
            for value in vars(module).values()
            if isinstance(value, type) and value.__module__ == name
        ]
        self._objects += [
            (type(other).__name__, vars(other), dict(vars(other)))
            for other in others
            if hasattr(other, "__dict__")  # compiled ones cannot be changed
        ]

    def changed(self) -> str:
        """The name of something that is no longer what it was; empty where there is nothing."""
        for name, module in self._modules:
            if sys.modules.get(name) is not module:
                return name
        for name, now, before in self._names:
            if now != before and (other := _other(before, now)):  # an import may bring more names
                return f"{name}.{other}"
        for name, now, before in self._objects:
            if now != before and (other := _other(before, now) or _other(_methods(now), before)):
                return f"{name}.{other}"
        return ""


def _other(some: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """The first of some names that has another value, or none, among the others."""
    return next((name for name, value in some.items() if others.get(name) is not value), "")


def _methods(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Without data: Python itself keeps some with a class when it is first pickled or looked at."""
    return {
        name: value for name, value in attributes.items() if callable(value) or isinstance(value, property)
    }
