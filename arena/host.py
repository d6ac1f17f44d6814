"""The host: a supervised child process that plays games, so that no bot can take its run down.

    Host, in the parent                          python -m arena.hosted, the child
    the job, then one game after the other ───>  a referee plays it
    the game's result                      <───
    looks at the crumb while it waits      <···  leaves a crumb before and after every call into a bot

The crumb lies in shared memory and so outlives the child: when the child dies or stands still, the crumb
names the decision and the seat. That seat is charged, and a fresh child plays the game again from its seed,
with the seat passive from that decision on. Where the crumb names no seat nobody is charged: the game is
tried once more, then it is void.

Bots are stopped here, not contained: they run with the user's rights.
"""

import os
import subprocess
import sys
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import takewhile
from multiprocessing import Pipe
from multiprocessing.connection import wait
from signal import SIGABRT, SIGKILL, Signals
from threading import Event
from typing import Any, Self

from arena import match
from arena.config import Fault, FaultKind, GameResult, GameSpec, Job, Void
from arena.errors import ArenaError, RunStopped
from arena.hosted import Crumb
from arena.match import NOBODY

POLL_SECONDS = 0.02
"""How often a waiting parent looks at the crumb."""

START_SECONDS = 120.0
"""A child that has not imported its bots by then is given up."""

STALL_SECONDS = 60.0
"""A child that stands still outside of any bot for so long is given up."""

LOG_LINES = 20
"""Lines kept of what a dying child wrote."""


class ChildDied(Exception):
    """A child is gone: by itself, or killed because it stood still. Its text says how."""

    def __init__(self, kind: FaultKind, words: str, crumb: tuple[int, int, int], log: str) -> None:
        super().__init__(words)
        self.kind = kind
        _, self.seat, self.decision = crumb
        self.log = log

    def fault(self) -> Fault:
        """The charge against the seat that was deciding; the referee knows the round when it applies it."""
        detail = f"{self}\n{self.log}".strip()
        return Fault(self.seat, self.kind, round=0, decision=self.decision, detail=detail, forfeit=True)

    def reason(self) -> str:
        """Why the game is void."""
        where = "outside of any bot" if self.seat == NOBODY else f"in a decision of seat {self.seat}"
        return "\n".join([f"host process {self} {where}", *self.log.splitlines()[-1:]])


class ChildKilled(ChildDied):
    """A child met a SIGKILL that was not ours: the kernel short of memory, or a person, rather than a bot."""


class Child:
    """One child process from its start to its end, ready to play once it is made.

    Raises the ArenaError that the child met when it read the job, RunStopped where it died of something else.
    """

    def __init__(self, job: Job, stop: Event) -> None:
        self._decision_seconds = job.decision_seconds
        self._stop = stop
        with ExitStack() as stack:
            self._log, crumb = (_memory_file(stack, name) for name in ("log", "crumb"))
            os.ftruncate(crumb, Crumb.LAYOUT.size)
            self._crumb = Crumb(crumb)
            stack.callback(self._crumb.close)
            self._crumb.leave(NOBODY, 0)
            self._connection, end = Pipe()
            stack.callback(self._connection.close)
            with end:
                self._process = _spawn(end.fileno(), crumb, self._log)
            stack.callback(self._kill)
            self._exit = os.pidfd_open(self._process.pid)  # becomes readable when the process ends
            stack.callback(os.close, self._exit)
            self._prepare(job)
            self._stack = stack.pop_all()

    def _prepare(self, job: Job) -> None:
        try:
            answer = self._ask(job, START_SECONDS)
        except ChildDied as death:
            raise RunStopped(f"a host process could not start: {death}\n{death.log}".strip()) from None
        if isinstance(answer, ArenaError):
            raise answer

    def play(self, spec: GameSpec) -> GameResult:
        """Have the game played.

        Raises ChildDied when the child died or stood still, CancelledError when `stop` is set; after either
        the child can only be closed.
        """
        result = self._ask(spec, STALL_SECONDS)
        assert isinstance(result, GameResult)
        return result

    def close(self) -> None:
        """Kill the process with everything that it started."""
        self._stack.close()

    def _ask(self, question: Job | GameSpec, patience: float) -> Any:
        """The child's answer; outside of bots it may stand still for `patience` seconds."""
        try:
            self._connection.send(question)
            if self._connection in self._watch(patience):
                return self._connection.recv()
        except (EOFError, OSError):
            pass
        wait([self._exit], 1)
        status = self._kill()
        raise (ChildKilled if status == -SIGKILL else ChildDied)(
            "crash", _exit_words(status), self._crumb.read(), self._read_log()
        )

    def _watch(self, patience: float) -> list[Any]:
        """Wait for the child's word or its end.

        Standing still is counted in looks, not by the clock: a machine that sleeps charges nobody.
        """
        seen, still = self._crumb.read(), 0.0
        while not self._stop.is_set():
            if ready := wait([self._connection, self._exit], POLL_SECONDS):
                return ready
            crumb = self._crumb.read()
            still = still + POLL_SECONDS if crumb == seen else 0.0
            seen = crumb
            limit = patience if crumb[1] == NOBODY else self._decision_seconds
            if still > limit:
                raise self._stopped(limit, crumb)
        raise CancelledError

    def _stopped(self, limit: float, crumb: tuple[int, int, int]) -> ChildDied:
        self._process.send_signal(SIGABRT)  # faulthandler then writes where it stands, even inside C code
        wait([self._exit], 1)
        self._kill()
        return ChildDied("timeout", f"no answer within {limit:g} s", crumb, self._read_log())

    def _kill(self) -> int:
        """End the process's whole group; the process's exit status.

        It is reaped last: until then its id, which is the group's too, cannot pass to another.
        """
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, SIGKILL)
        return self._process.wait()

    def _read_log(self) -> str:
        """The end of a traceback, or where faulthandler found the bot: latest call first."""
        lines = os.pread(self._log, 1 << 20, 0).decode(errors="replace").splitlines()
        if not any(line.startswith("Fatal Python error") for line in lines):
            return "\n".join(lines[-LOG_LINES:])
        stack = [line for line in lines if line.startswith("  File ")]
        return "\n".join(list(takewhile(lambda line: match.__file__ not in line, stack))[:LOG_LINES])


class Host:
    """Plays a job's games one after the other in a child process, whatever their bots do.

    A context manager. Setting `stop`, from any thread, makes a running `play` raise CancelledError soon.
    Raises ArenaError where the job cannot be played here. The kernel ends the child with the thread that
    started it, so use a host while the thread lives that made it and plays with it.
    """

    def __init__(self, job: Job, stop: Event | None = None) -> None:
        self.job = job
        self._stop = stop or Event()
        self._child: Child | None = Child(job, self._stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def play(self, spec: GameSpec) -> GameResult | Void:
        """The game's result, with a fault for every bot that had to be stopped."""
        is_second_try = False
        while True:
            try:
                return self._try(spec)
            except ChildDied as death:
                is_sure = is_second_try or not isinstance(death, ChildKilled)
                if is_sure and _is_chargeable(death, spec):
                    spec = replace(spec, crashes=(*spec.crashes, death.fault()))
                elif is_second_try:
                    return Void(spec, death.reason())
                else:
                    is_second_try = True

    def _try(self, spec: GameSpec) -> GameResult:
        if self._child is None:
            self._child = Child(self.job, self._stop)
        try:
            return self._child.play(spec)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave no process behind; a later `play` starts a new one."""
        if self._child is not None:
            self._child.close()
            self._child = None


def _is_chargeable(death: ChildDied, spec: GameSpec) -> bool:
    """Whether it is in a seat's decision, and before the one from which that seat is passive already."""
    charged = [fault.decision for fault in spec.crashes if fault.seat == death.seat]
    return death.seat != NOBODY and death.decision < min(charged, default=sys.maxsize)


def _exit_words(status: int) -> str:
    if status >= 0:
        return f"exited with status {status}"
    names = [signal.name for signal in Signals if signal == -status]
    return f"killed by signal {names[0] if names else -status}"


def _memory_file(stack: ExitStack, name: str) -> int:
    fd = os.memfd_create(name)
    stack.callback(os.close, fd)
    return fd


def _spawn(connection: int, crumb: int, log: int) -> "subprocess.Popen[bytes]":
    arguments = [os.getpid(), connection, crumb, log]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "arena.hosted", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        pass_fds=(connection, crumb, log),
        start_new_session=True,
        env={**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"},  # one core a host
    )
