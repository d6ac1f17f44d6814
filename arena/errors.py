"""Every error that arena raises on purpose, and words that their texts share.

    ArenaError             one clear line for a person; the command line shows it and exits with `exit_code`
    ├── ConfigError        a tournament, edition, map, position or bot name is wrong
    ├── PluginError        a plugin cannot be loaded or registers something wrong
    ├── StoreError         the results database cannot be read or written
    ├── StatsError         figures that no statistics can be made of; a ValueError too
    ├── IllegalOrder       an order that the rules refuse; the game is as it was
    ├── ReplayDiffers      a game played again does not come out as it was stored
    └── RunStopped         a run gave up: the reason says why, what was played is kept

OutputLost is none of them: our own streams raise it, in whatever prints. Anything else that escapes is a bug
of ours and keeps its traceback.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from signal import SIGPIPE

READER_GONE = 128 + SIGPIPE
"""The exit code when nobody reads a pipe any more, as shells give it for a program that SIGPIPE ends."""


class ArenaError(Exception):
    """A mistake that a person can mend; its text names the place, what was expected, what was found."""

    exit_code = 2


class ConfigError(ArenaError):
    """A tournament, edition, map, position or bot name is wrong."""


class PluginError(ArenaError):
    """A plugin cannot be loaded or registers something wrong."""


class StoreError(ArenaError):
    """The results database cannot be read or written."""


class StatsError(ArenaError, ValueError):
    """Figures that no statistics can be made of."""


class IllegalOrder(ArenaError):
    """An order that the rules refuse; the game is as it was before."""


class ReplayDiffers(ArenaError):
    """A game played again does not come out as it was stored."""

    exit_code = 1


class RunStopped(ArenaError):
    """A run gave up; the reason says why, and what was played is kept."""

    exit_code = 1


class OutputLost(Exception):
    """Stdout or stderr cannot be written. No OSError: click and rich would end the process on some."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(f"{name}: {error.strerror}")
        self.exit_code = READER_GONE if isinstance(error, BrokenPipeError) else 2


@contextmanager
def placed(where: str) -> Iterator[None]:
    """Put the place before each line of an ArenaError."""
    try:
        yield
    except ArenaError as error:
        lines = [f"{where}: {line}" for line in str(error).splitlines()]
        raise type(error)("\n".join(lines)) from error


def shown(value: object) -> str:
    """A value from outside, safe to print: whatever it is, its own code does not run."""
    if type(value) is int:
        return str(value) if value.bit_length() < 64 else "a huge int"
    if value is None or type(value) is bool or type(value) is float:
        return repr(value)
    if type(value) is str:
        return repr(value[:40])
    return f"a {class_name(value)}"


def class_name(value: object) -> str:
    """The name of its class, past what a class of that class may make of it."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def counted(number: int, what: str) -> str:
    """So many of something, whose plural has an s."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known, as a question; empty where nothing is like it."""
    close = get_close_matches(wrong, known)
    return f"did you mean {' or '.join(close)}?" if close else ""


def hint(wrong: str, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known, or else what is known."""
    known = list(known)
    return did_you_mean(wrong, known) or f"known are {', '.join(known) or 'none'}"
