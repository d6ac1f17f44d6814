"""The lock beside a results database: one run holds it, anybody may ask which, and tell that run to stop."""

import fcntl
import json
import os
import platform
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from select import select

from arena.database import clear_errors
from arena.errors import StoreError

PATIENCE_SECONDS = 0.5
"""So long a run tries to get the lock: who only asks for the holder has it for a moment."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The run that has a database."""

    pid: int
    host: str
    since: str
    """When it opened the database, as ISO 8601."""
    tournament: str | None
    games: int
    """How many were stored then."""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since}"


class Lock:
    """The lock, held."""

    def __init__(self, fd: int, path: Path) -> None:
        self._fd, self._path = fd, path

    def tell(self, tournament: str | None, games: int) -> None:
        """Leave word of who holds it."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        holder = Holder(os.getpid(), platform.node(), now, tournament, games)
        with clear_errors(self._path, "locked"):
            os.pwrite(self._fd, json.dumps(asdict(holder)).encode(), 0)


@contextmanager
def locked(path: Path) -> Iterator[Lock]:
    """Hold the lock; the kernel lets go of it however this process ends.

    Raises StoreError where another run has it.
    """
    with clear_errors(path, "locked"):
        file = _lock_file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        end = time.monotonic() + PATIENCE_SECONDS
        while not _flock(fd, path, fcntl.LOCK_EX):
            if time.monotonic() > end:
                raise StoreError(f"{path}: expected no other run on it, got {_read(fd) or 'one'}")
            time.sleep(PATIENCE_SECONDS / 10)
        with clear_errors(path, "locked"):
            os.ftruncate(fd, 0)  # what an earlier run has left
        yield Lock(fd, path)
    finally:
        os.close(fd)


def find_holder(path: Path) -> Holder | None:
    """The run that has the database now, or None. Raises StoreError where that cannot be read."""
    try:
        fd = os.open(_lock_file(path), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: expected a lock that can be read, got: {error.strerror}") from None
    try:
        return None if _flock(fd, path, fcntl.LOCK_SH) else _read(fd)
    finally:
        os.close(fd)


def stop_holder(path: Path) -> Holder:
    """Have the run that has the database finish what is in flight, as after Ctrl-C; wait until it has ended.

    Raises StoreError where there is none, or it is not on this machine.
    """
    holder = find_holder(path)
    if holder is None:
        raise StoreError(f"{path}: expected a run on it, got none")
    if holder.host != platform.node():
        raise StoreError(f"{path}: expected a run on this machine, got {holder}")
    try:
        process = os.pidfd_open(holder.pid)
    except ProcessLookupError:
        return holder
    try:
        if find_holder(path) == holder:  # else the process id may be another's by now
            signal.pidfd_send_signal(process, signal.SIGTERM)
            select([process], [], [])
    except OSError as error:
        raise StoreError(
            f"{path}: expected a run that can be stopped, got {holder}: {error.strerror}"
        ) from None
    finally:
        os.close(process)
    return holder


def _lock_file(path: Path) -> Path:
    real = path.resolve()  # one lock whatever link leads here
    return real.with_name(f"{real.name}.lock")


def _flock(fd: int, path: Path, how: int) -> bool:
    """Whether the lock could be had."""
    with clear_errors(path, "locked"), suppress(BlockingIOError):
        fcntl.flock(fd, how | fcntl.LOCK_NB)
        return True
    return False


def _read(fd: int) -> Holder | None:
    """Who left word; None in the moment before a new holder has."""
    try:
        return Holder(**json.loads(os.pread(fd, 1 << 16, 0)))
    except (ValueError, TypeError):
        return None
