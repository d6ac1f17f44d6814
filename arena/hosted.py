"""What runs in a host's child process (`python -m arena.hosted`): plays the games that `arena.host` sends."""

import ctypes
import faulthandler
import os
import resource
import struct
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from mmap import mmap
from multiprocessing.connection import Connection
from pathlib import Path
from signal import SIGKILL
from typing import Any

from arena.errors import ArenaError
from arena.match import Referee
from arena.process import worker_name

MEMORY_BYTES = 2 << 30
"""Address space that the games in one child may take on top of what the imports of its bots took."""

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


class Crumb:
    """Where a child stands, in shared memory: a count of calls, the deciding seat, the decision number."""

    LAYOUT = struct.Struct("qii")

    def __init__(self, fd: int) -> None:
        self._memory = mmap(fd, self.LAYOUT.size)
        self._calls = 0

    def leave(self, seat: int, decision: int) -> None:
        """Note that a bot is called now, or with NOBODY that none is. Fit to be a `Watch`."""
        self._calls += 1
        self.LAYOUT.pack_into(self._memory, 0, self._calls, seat, decision)

    def read(self) -> tuple[int, int, int]:
        """The latest (count of calls, seat, decision)."""
        calls, seat, decision = self.LAYOUT.unpack_from(self._memory)
        return calls, seat, decision

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


def main() -> None:
    """Serve the parent whose process id and file descriptors are the arguments."""
    parent, connection, crumb, log = map(int, sys.argv[1:])
    _die_with(parent)
    with _reported(log):
        _serve(Connection(connection), Crumb(crumb), log)


def _serve(connection: "Connection[Any, Any]", crumb: Crumb, log: int) -> None:
    """Take the job, answer None or the ArenaError that it met, then play until the parent hangs up."""
    try:
        referee = Referee.for_job(connection.recv())
    except ArenaError as error:
        connection.send(error)
        return
    _quieten(log)
    _limit_memory()
    connection.send(None)
    while True:
        result = referee.play(connection.recv(), crumb.leave)
        connection.send(replace(result, worker=worker_name()))


def _die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


@contextmanager
def _reported(log: int) -> Iterator[None]:
    """Write what escapes to the log, where the parent finds it; then end whatever threads bots have left."""
    try:
        yield
    except EOFError:
        pass
    except BaseException:
        os.write(log, traceback.format_exc().encode())
        os._exit(1)
    os._exit(0)


def _quieten(log: int) -> None:
    """From now on only a dying process writes to the log: what bots print goes nowhere."""
    os.dup2(1, 2)
    os.ftruncate(log, 0)
    os.lseek(log, 0, os.SEEK_SET)
    faulthandler.enable(log, all_threads=False)


def _limit_memory() -> None:
    _lower(resource.RLIMIT_CORE, 0)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY_BYTES)


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    main()
