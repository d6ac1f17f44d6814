"""What runs in a host's child process (`python -m arena.hosted`): does what `arena.host` sends."""

import ctypes
import faulthandler
import gc
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from signal import SIGKILL
from time import monotonic
from typing import Any

from arena.asking import Task
from arena.config import GameResult, GameSpec, Job
from arena.errors import ArenaError
from arena.guard import Crumb, Guard, Output, Terminal, set_limits
from arena.integrity import Memory
from arena.match import Referee
from arena.process import worker_name

SOME_SECONDS = 0.1
"""Games are answered together that take so long: less would cost, more would be lost with this process."""

_STDERR = 2
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> None:
    """Serve the parent whose process id and file descriptors are the arguments."""
    parent, connection, crumb, log = map(int, sys.argv[1:])
    _die_with(parent)
    faulthandler.enable(log)  # of all threads: else it does not say whether garbage is being collected
    with _reported(log):
        _serve(Connection(connection), Crumb(crumb))


def _serve(connection: "Connection[Any, Any]", crumb: Crumb) -> None:
    """Do a task and answer what comes of it; or take a job and play its games until the parent hangs up."""
    task = connection.recv()
    if isinstance(task, Job):
        _play(task, connection, crumb)
    else:
        connection.send(_do(task, crumb))


def _do(task: Task, crumb: Crumb) -> Any:
    """What comes of the task, or the ArenaError that it met."""
    try:
        return task.run(crumb)
    except ArenaError as error:
        return error


def _play(job: Job, connection: "Connection[Any, Any]", crumb: Crumb) -> None:
    """Answer None or the ArenaError that the job met, then play its games.

    Some come at a time. The first of them are answered by their results, whether they were fair ones (no bot
    has changed what the others play with), and whether this process is fit for more.
    """
    try:
        referee = Referee.for_job(job)
    except ArenaError as error:
        connection.send(error)
        return
    gc.collect()
    gc.freeze()  # what is loaded by now stays, so to collect garbage after a call takes little time
    set_limits()
    output = Output(_STDERR, crumb)
    sys.stdout = sys.stderr = Terminal(output, errors="replace", write_through=True)
    shared = [part for rules in referee.rules.values() for part in (rules, rules.board)]
    guard = Guard(crumb, connection.fileno(), output, Memory(shared))
    connection.send(None)
    while True:
        specs, is_close = connection.recv()
        guard.begin(is_close)
        connection.send(_play_some(referee, specs, guard))


def _play_some(referee: Referee, specs: list[GameSpec], guard: Guard) -> tuple[list[GameResult], bool, bool]:
    """Play for SOME_SECONDS, but no game after one with which anything was wrong."""
    end, worker, played = monotonic() + SOME_SECONDS, worker_name(), list[GameResult]()
    is_fair = is_clean = True
    for number, spec in enumerate(specs):
        guard.begin_game(number)
        result = referee.play(spec, guard)
        played.append(replace(result, worker=worker))
        is_fair, is_clean = guard.end_game()
        if result.faults or not is_fair or not is_clean or monotonic() > end:
            break
    return played, is_fair, is_clean


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


if __name__ == "__main__":
    main()
