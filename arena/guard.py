"""What a host's child process looks after around each call into a bot, its crumb, and its limits."""

import gc
import io
import os
import resource
import sys
from contextlib import suppress
from mmap import mmap
from multiprocessing.connection import wait
from pathlib import Path
from signal import SIGKILL
from time import monotonic, sleep
from typing import Any, NamedTuple

from arena.integrity import Memory
from arena.match import NOBODY
from arena.settings import read_settings, restore_settings

MEMORY_BYTES = 2 << 30
"""Address space that the games in one child may take on top of what the imports of its bots took."""

SPARE_BYTES = 256 << 20
"""Of these so much must be left, under close watch, after each call: else its bot has run out of memory."""

FILE_BYTES = 256 << 20
"""The largest file that a bot may write, what it prints in one decision included."""

OUTPUT_BYTES = 4096
"""Kept of what a bot prints in a game: its end."""

GRACE_SECONDS = 0.25
"""So long the game waits, under close watch, after a call that has left something running."""

FORK_SECONDS = 1.0
"""So long it waits for what was forked in a call to end, to become another program, or to come back."""

STEP_SECONDS = 0.01
"""How often the crumb says, during such a wait, that it is not the bot that stands still."""


class Place(NamedTuple):
    """A call into a bot: the seat, or NOBODY, and the number of the decision."""

    seat: int
    decision: int


class Crumb:
    """Where a child stands, in shared memory that outlives it."""

    SIZE = 6 * 8  # seat and decision of the call, then those of the suspect, then the game, and signs of life

    def __init__(self, fd: int) -> None:
        self._memory = mmap(fd, self.SIZE)
        self._numbers = memoryview(self._memory).cast("q")

    def leave(self, seat: int, decision: int) -> None:
        """Note that the seat's bot is called now, or with NOBODY that none is."""
        numbers = self._numbers
        numbers[0] = seat
        numbers[1] = decision

    def begin(self, game: int) -> None:
        """Note that the game of this number, of those that were sent together, begins."""
        self._numbers[4] = game

    def suspect(self, seat: int, decision: int) -> None:
        """Note that this call has left something running, which may do harm later."""
        self._numbers[2] = seat
        self._numbers[3] = decision

    def live(self) -> None:
        """Note that it is not the bot that stands still."""
        self._numbers[5] += 1

    @property
    def moment(self) -> bytes:
        """Another whenever the child has moved on."""
        return self._numbers.tobytes()

    @property
    def place(self) -> Place:
        """The call that the child is in."""
        return Place(self._numbers[0], self._numbers[1])

    @property
    def game(self) -> int:
        """The number of the game that the child is in."""
        return self._numbers[4]

    @property
    def suspected(self) -> Place:
        """The latest call that left something running; with seat NOBODY there is none."""
        return Place(self._numbers[2], self._numbers[3])

    def close(self) -> None:
        """Give the memory back."""
        self._numbers.release()
        self._memory.close()


class Output(io.RawIOBase):
    """Takes what bots print in place of stdout and stderr, and knows of each seat the end of it."""

    name = "<output>"

    def __init__(self, fd: int, crumb: Crumb) -> None:
        self._fd = fd
        self._crumb = crumb
        self._ends: dict[int, bytes] = {}
        self.shown = NOBODY
        """The seat whose end the file holds; the file outlives this process."""

    def begin(self) -> None:
        """Forget the last game."""
        self._ends.clear()
        self.show(NOBODY)

    def writable(self) -> bool:
        """True."""
        return True

    def fileno(self) -> int:
        """The file that code outside of Python writes to."""
        return self._fd

    def write(self, data: Any) -> int:
        """Keep the end of it."""
        text = bytes(data)
        seat = self._crumb.place.seat
        self._ends[seat] = (self._ends.get(seat, b"") + text)[-OUTPUT_BYTES:]
        self.show(seat)
        return len(text)

    def end(self, seat: int) -> str:
        """The end of what the seat's bot has printed in this game."""
        return self._ends.get(seat, b"").decode(errors="replace")

    def show(self, seat: int) -> None:
        """Have the file hold the end of what the seat's bot has printed, and nothing else."""
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, self._ends.get(seat, b""))
        self.shown = seat


class Terminal(io.TextIOWrapper):
    """In place of sys.stdout and sys.stderr: one bot cannot close them for all."""

    def close(self) -> None:
        """Nothing."""


class Guard:
    """A `Watch`: the crumb is left for every call, and each is looked into once a game has gone wrong."""

    def __init__(self, crumb: Crumb, connection: int, output: Output, memory: Memory) -> None:
        self._crumb, self._connection, self._output, self._memory = crumb, connection, output, memory
        self._inode = os.fstat(connection).st_ino
        self._running = count_running()
        self._settings = read_settings()
        self._is_close = self._must_look = self._has_forked = self._is_stray = False
        self._main = os.getpid()
        self._pipes: list[tuple[int, int]] = []  # of forks that are under way
        self._forks: list[int] = []  # each readable once nothing forked then holds its other end any more
        os.register_at_fork(before=self._fork, after_in_parent=self._forked, after_in_child=self._stray)

    def begin(self, is_close: bool) -> None:
        """Begin some games; `is_close`: look after each call for what it has left behind."""
        restore_settings(self._settings)
        self._is_close = self._must_look = is_close

    def begin_game(self, number: int) -> None:
        """Begin the game of that number among them."""
        self._crumb.begin(number)
        self._output.begin()

    def end_game(self) -> tuple[bool, bool]:
        """Whether the game was fair: no bot has changed what the others play with.

        And whether the process is fit for more: all is there that games are played by, and nothing runs that
        a bot has started.
        """
        is_whole = not self._memory.changed()
        is_clean = is_whole and not self._has_forked and count_running() <= self._running
        return is_whole and read_settings() == self._settings, is_clean

    def before(self, seat: int, decision: int) -> None:
        """See `Watch`."""
        if self._is_close or self._output.shown not in (seat, NOBODY):
            self._output.show(seat)
        self._crumb.leave(seat, decision)

    def after(self, seat: int, decision: int) -> None:
        """See `Watch`. Ends the process, with the crumb still naming the seat, where it cannot go on."""
        if self._must_look:
            self._look(seat, decision)
        self._crumb.leave(NOBODY, decision)

    def printed(self, seat: int) -> str:
        """See `Watch`."""
        return self._output.end(seat)

    def _look(self, seat: int, decision: int) -> None:
        if self._is_close:
            if changed := self._memory.changed():
                sys.exit(f"it changed {changed}")
            restore_settings(self._settings)
            gc.collect()  # finalizers of what the call threw away run now
        if self._is_stray:
            self._accuse(seat, decision)
        self._await_forks(seat, decision)
        if self._is_close:
            self._look_closely(seat, decision)
        self._must_look = self._is_close

    def _look_closely(self, seat: int, decision: int) -> None:
        try:
            mmap(-1, SPARE_BYTES).close()
        except OSError:
            raise MemoryError("it left no memory for the others") from None
        try:
            is_open = os.fstat(self._connection).st_ino == self._inode
        except OSError:
            is_open = False
        if not is_open:
            sys.exit("it closed files of its process")
        if (running := count_running()) > self._running:
            self._running = running
            self._crumb.suspect(seat, decision)
            end = monotonic() + GRACE_SECONDS
            while monotonic() < end:  # what may end the process soon does so while the crumb names the seat
                sleep(STEP_SECONDS)
                self._crumb.live()

    def _fork(self) -> None:
        self._pipes.append(os.pipe())

    def _forked(self) -> None:
        self._has_forked = self._must_look = True
        ours, theirs = self._pipes.pop()
        os.close(theirs)
        self._forks.append(ours)

    def _stray(self) -> None:
        self._is_stray = self._must_look = True

    def _await_forks(self, seat: int, decision: int) -> None:
        """Wait, so that whether a fork comes back does not depend on who gets the processor first."""
        pending = self._forks
        end = monotonic() + FORK_SECONDS
        while pending and monotonic() < end:
            over = wait(pending, STEP_SECONDS)
            pending = [fork for fork in pending if fork not in over]
            self._crumb.live()
        for fork in self._forks:
            with suppress(OSError):  # the bot may have closed it
                os.close(fork)
        self._forks = []

    def _accuse(self, seat: int, decision: int) -> None:
        """In a forked process that came back from the bot's call: end the game, whose bot did this."""
        os.write(self._output.fileno(), b"a process that it forked came back from the decision\n")
        self._crumb.suspect(seat, decision)
        os.kill(self._main, SIGKILL)
        os._exit(1)


def set_limits() -> None:
    """Limit the memory, files and core dumps of this process from now on: bots are imported by then."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, FILE_BYTES)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY_BYTES)


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def count_running(process: int | str = "self") -> int:
    """How many threads and children a process has."""
    running = 0
    for task in os.listdir(f"/proc/{process}/task"):  # pathlib would cost more, for every game
        with open(f"/proc/{process}/task/{task}/children", "rb") as children:
            running += 1 + len(children.read().split())
    return running


def read_tail(fd: int) -> str:
    """The end of a file, as text."""
    start = max(os.fstat(fd).st_size - OUTPUT_BYTES, 0)
    return os.pread(fd, OUTPUT_BYTES, start).decode(errors="replace")
