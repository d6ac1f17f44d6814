"""What one bot can change in its process to the harm of the others: read, and put back."""

import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Settings = tuple[Any, ...]
"""A value of each of what is looked at."""

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)

_LIMITS = sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")})

_DEPTH = sys.getrecursionlimit()


def read_settings() -> Settings:
    """The values as they are now."""
    return tuple(read() for read, _ in _EACH)


def restore_settings(settings: Settings) -> None:
    """Set what has another value now. Raises ValueError for a limit that cannot be raised again."""
    for (read, write), value in zip(_EACH, settings, strict=True):
        if read() != value:
            write(value)


def _read_folder() -> str:
    with suppress(OSError):  # it may have been deleted
        return os.getcwd()
    return ""


def _write_folder(folder: str) -> None:
    with suppress(OSError):
        os.chdir(folder)


def _read_timers() -> list[tuple[float, float]]:
    return [signal.getitimer(timer) for timer in _TIMERS]


def _write_timers(values: list[tuple[float, float]]) -> None:
    for timer, value in zip(_TIMERS, values, strict=True):
        signal.setitimer(timer, *value)


def _read_limits() -> list[tuple[int, int]]:
    return [resource.getrlimit(limit) for limit in _LIMITS]


def _write_limits(values: list[tuple[int, int]]) -> None:
    for limit, value in zip(_LIMITS, values, strict=True):
        resource.setrlimit(limit, value)


def _read_streams() -> tuple[Any, Any]:
    return sys.stdout, sys.stderr


def _write_streams(streams: tuple[Any, Any]) -> None:
    sys.stdout, sys.stderr = streams


_EACH: tuple[tuple[Callable[[], Any], Callable[[Any], None]], ...] = (
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (lambda: min(sys.getrecursionlimit(), _DEPTH), sys.setrecursionlimit),  # more harms nobody
    (_read_folder, _write_folder),
    (_read_timers, _write_timers),
    (_read_limits, _write_limits),
    (_read_streams, _write_streams),
)
