"""SIGHUP, SIGINT (Ctrl-C) and SIGTERM: all three end a command in the same way."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, current_thread, main_thread
from types import FrameType
from typing import Any, TypeAlias

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)

STOPPING = "arena: stopping once the games in flight are stored; again to stop at once\n"

_STDERR = 2

_Handler: TypeAlias = Callable[[int, FrameType | None], Any]


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt on the first of SIGNALS; later ones do nothing, so that cleaning up ends."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _handle(_interrupt)
    try:
        yield
    finally:
        if current_thread() is main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def stoppable(stopping: Event) -> Iterator[None]:
    """For a run, within `interruptible`: the first of SIGNALS sets `stopping`, the second interrupts."""

    def stop(number: int, frame: FrameType | None) -> None:
        _handle(_interrupt)
        stopping.set()
        with suppress(OSError):  # the terminal may have gone; and sys.stderr be in use, so not by that
            start = "\n" if os.isatty(_STDERR) else ""  # below a progress bar and the terminal's ^C
            os.write(_STDERR, (start + STOPPING).encode())

    _handle(stop)
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what is played is stored, run again to go on") from None
    finally:
        _handle(_ignore if stopping.is_set() else _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _handle(_ignore)
    raise KeyboardInterrupt


def _ignore(number: int, frame: FrameType | None) -> None:
    """Unlike SIG_IGN not inherited by the processes that are started."""


def _handle(handler: _Handler) -> None:
    """Let `handler` take the signals, but for those that the caller wants ignored, as `nohup` does."""
    if current_thread() is main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)
