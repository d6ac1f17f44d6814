"""What runs in a host's child process (`python -m arena.hosted`): does what `arena.host` sends."""

import ctypes
import faulthandler
import io
import os
import resource
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from signal import SIGKILL
from typing import Any

from arena.config import Job
from arena.errors import ArenaError
from arena.guard import Crumb, Guard, Output
from arena.match import Referee
from arena.plugins import BotIdentity, load_registry
from arena.process import worker_name

MEMORY_BYTES = 2 << 30
"""Address space that the games in one child may take on top of what the imports of its bots took."""

FILE_BYTES = 256 << 20
"""The largest file that a bot may write, what it prints in one decision included."""

_STDERR = 2
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> None:
    """Serve the parent whose process id and file descriptors are the arguments."""
    parent, connection, crumb, log = map(int, sys.argv[1:])
    _die_with(parent)
    faulthandler.enable(log, all_threads=False)
    with _reported(log):
        _serve(Connection(connection), Crumb(crumb))


def _serve(connection: "Connection[Any, Any]", crumb: Crumb) -> None:
    """Identify bots, or take a job: answer None or the ArenaError that it met, then play its games.

    Until the parent hangs up. Each game is answered by its result, and whether this process is fit for more.
    """
    task = connection.recv()
    if not isinstance(task, Job):
        texts, base = task
        connection.send(_identify(texts, base, crumb))
        return
    try:
        referee = Referee.for_job(task)
    except ArenaError as error:
        connection.send(error)
        return
    _set_limits()
    output = Output(_STDERR)
    sys.stdout = sys.stderr = io.TextIOWrapper(output, errors="replace", write_through=True)
    guard = Guard(crumb, connection.fileno(), output)
    connection.send(None)
    while True:
        spec, is_close = connection.recv()
        guard.begin(is_close)
        result = referee.play(spec, guard)
        connection.send((replace(result, worker=worker_name()), guard.is_clean))


def _identify(texts: list[str], base: Path, crumb: Crumb) -> list[BotIdentity | ArenaError]:
    """What becomes of each, up to the first error; the crumb has the place in the list for the seat."""
    registry, found = load_registry(), list[BotIdentity | ArenaError]()
    for i, text in enumerate(texts):
        crumb.leave(i, 0)
        try:
            found.append(registry.identify(text, base))
        except ArenaError as error:
            return [*found, error]
    return found


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
        with suppress(OSError):  # a bot may have closed it
            os.write(log, traceback.format_exc().encode())
        os._exit(1)
    os._exit(0)


def _set_limits() -> None:
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, FILE_BYTES)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY_BYTES)


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


if __name__ == "__main__":
    main()
