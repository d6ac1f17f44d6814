"""The standard streams of this process: closed ones, full disks behind them, readers that went away."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOWrapper
from typing import Any, TextIO, cast

from arena.errors import OutputLost


@contextmanager
def checked_streams() -> Iterator[None]:
    """Raise OutputLost when stdout or stderr cannot be written, and give those that are closed a file.

    Otherwise the next file opened, the database even, would get their number. Writing to a closed stdout
    fails, so that no output is lost without a word; to a closed stderr it does not.
    """
    for fd, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)
    out = _Checked("stdout", sys.stdout or open(1, "w"))  # noqa: SIM115 - it stays open
    err = _Checked("stderr", sys.stderr or open(2, "w"))  # noqa: SIM115
    try:
        with redirect_stdout(cast(TextIO, out)), redirect_stderr(cast(TextIO, err)):
            yield
    finally:
        out.give_up_what_is_lost()
        err.give_up_what_is_lost()


def is_unicode(stream: TextIO) -> bool:
    """Whether any text can be written to it."""
    return stream.encoding.lower().startswith("utf")


class _Checked:
    """A stream that raises OutputLost."""

    def __init__(self, name: str, stream: TextIO) -> None:
        self._name = name
        self._stream = stream
        if isinstance(stream, TextIOWrapper) and not is_unicode(stream):
            stream.reconfigure(errors="replace")  # of a table that has a dash the rest can be read
        self._is_lost = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def give_up_what_is_lost(self) -> None:
        """Let what could not be written go nowhere: Python would try again in the end, and complain."""
        if self._is_lost:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def write(self, text: str) -> int:
        with self._checked():
            return self._stream.write(text)

    def flush(self) -> None:
        with self._checked():
            self._stream.flush()

    @contextmanager
    def _checked(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._is_lost = True
            raise OutputLost(self._name, error) from error
