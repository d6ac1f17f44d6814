"""What one bot can change in its process to the harm of the others: read, and put back."""

import _signal  # type: ignore[import-not-found]  # the functions of signal without its enums: much faster
import decimal
import gc
import locale
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

Settings = tuple[Any, ...]
"""A value of each of what is looked at."""

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)

_LIMITS = sorted({value for name, value in vars(resource).items() if name.startswith("RLIMIT_")})

_SIGNALS = sorted(signal.valid_signals())

_ENVIRONMENT = os.environb
_VARIABLES: dict[bytes, bytes] = vars(_ENVIRONMENT)["_data"]  # read for each game, without decoding all

_NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
"""What numpy begins with."""

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


def _read_path() -> list[str]:
    return sys.path.copy()


def _write_path(path: list[str]) -> None:
    sys.path[:] = path


def _read_filters() -> list[Any]:
    return list(warnings.filters)


def _write_filters(filters: list[Any]) -> None:
    warnings.resetwarnings()  # with all that was remembered of them
    cast(list[Any], warnings.filters).extend(filters)


def _read_decimals() -> tuple[Any, ...]:
    now = decimal.getcontext()
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, now.traps.copy()


def _write_decimals(values: tuple[Any, ...]) -> None:
    prec, rounding, e_min, e_max, capitals, clamp, traps = values
    decimal.setcontext(decimal.Context(prec, rounding, e_min, e_max, capitals, clamp, traps=traps))


def _read_timers() -> list[tuple[float, float]]:
    return [signal.getitimer(timer) for timer in _TIMERS]


def _write_timers(values: list[tuple[float, float]]) -> None:
    for timer, value in zip(_TIMERS, values, strict=True):
        signal.setitimer(timer, *value)


def _read_handlers() -> list[Any]:
    return [_signal.getsignal(number) for number in _SIGNALS]


def _write_handlers(handlers: list[Any]) -> None:
    for number, handler, now in zip(_SIGNALS, handlers, _read_handlers(), strict=True):
        if now != handler:
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _read_environment() -> tuple[Any, dict[bytes, bytes]]:
    return os.environ, _VARIABLES.copy()


def _write_environment(value: tuple[Any, dict[bytes, bytes]]) -> None:
    os.environ, variables = value
    for name in _VARIABLES.keys() - variables.keys():
        del _ENVIRONMENT[name]
    _ENVIRONMENT.update(variables)


def _read_garbage() -> tuple[Any, ...]:
    return gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.callbacks.copy()


def _write_garbage(values: tuple[Any, ...]) -> None:
    is_enabled, threshold, debug, callbacks = values
    (gc.enable if is_enabled else gc.disable)()
    gc.set_threshold(*threshold)
    gc.set_debug(debug)
    gc.callbacks[:] = callbacks


def _read_locale() -> str:
    return locale.setlocale(locale.LC_ALL)


def _write_locale(name: str) -> None:
    locale.setlocale(locale.LC_ALL, name)


def _read_numpy() -> dict[str, Any]:
    numpy = sys.modules.get("numpy")
    return _NUMPY_ERRORS if numpy is None else numpy.geterr()


def _write_numpy(errors: dict[str, Any]) -> None:
    sys.modules["numpy"].seterr(**errors)


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
    (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    (_read_path, _write_path),
    (_read_filters, _write_filters),
    (_read_decimals, _write_decimals),
    (_read_folder, _write_folder),
    (_read_timers, _write_timers),
    (_read_handlers, _write_handlers),
    (_read_environment, _write_environment),
    (_read_garbage, _write_garbage),
    (_read_locale, _write_locale),
    (_read_numpy, _write_numpy),
    (_read_limits, _write_limits),
    (_read_streams, _write_streams),
)
