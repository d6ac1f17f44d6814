"""The host: a supervised child process that plays games, so that no bot can take its run down.

    Host, in the parent                          python -m arena.hosted, the child
    the job, then some games at a time ───────>  a referee plays the first of them
    their results                          <───
    looks at the crumb while it waits      <···  leaves a crumb before and after every call into a bot

The crumb lies in shared memory and so outlives the child: when the child dies or stands still, the crumb
names the game, the decision and the seat. That seat is charged, and a fresh child plays the game again from
its seed, with the seat passive from that decision on. A death may have been chance, or another's doing: the
game is first tried once more under close watch. A bot that fails by itself fails at the same decision again;
else the one is charged that has left something running. Where there is none the game is void.

Bots are stopped here, not contained: they run with the user's rights.
"""

import os
import pickle
import resource
import secrets
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import dropwhile, takewhile
from multiprocessing import Pipe
from multiprocessing.connection import wait
from pathlib import Path
from signal import SIGABRT, SIGKILL, Signals
from threading import Event
from typing import Any, Self

from arena import match
from arena.asking import Entrants, Task
from arena.config import Fault, FaultKind, GameResult, GameSpec, Job, Void
from arena.errors import ArenaError, PluginError, RunStopped, shown
from arena.guard import Crumb, Place, count_running, read_tail
from arena.match import NOBODY
from arena.plugins import BotIdentity

POLL_SECONDS = 0.05
"""How often a waiting parent looks at the crumb."""

_FRAME = struct.Struct("!i")
"""Before each message of a `Connection`: its length."""

REST_SECONDS = 5.0
"""How long the next piece of a message may take."""

STALL_SECONDS = 60.0
"""A child that stands still outside of any bot for so long is given up."""

MARK = resource.RLIMIT_RTTIME
"""The limit in whose value, which has no effect, a child is marked: all that it starts inherits that."""

LEAST_MARK = 1 << 40
"""Smaller values may be somebody's limit."""

MOST_DEATHS = 4
"""So many in a row in one game, each in another bot's decision, make it void."""

LOG_LINES = 20
"""Lines kept of what a dying child reports."""

COLLECTING = "  Garbage-collecting"
"""How faulthandler says that it was a finalizer that ran."""


class ChildDied(Exception):
    """A child is gone: by itself, or ended because it stood still. Its text says how.

    `place` is the call that it was in, `suspected` an earlier one that left something running. `is_killed`:
    it met a SIGKILL that was not ours, from the kernel short of memory or a person rather than a bot.
    `is_alone`: nothing that a bot had left ran beside.
    """

    is_alone = False

    def __init__(
        self, kind: FaultKind, words: str, crumb: Crumb, log: str, output: str, is_killed: bool
    ) -> None:
        super().__init__(words)
        self.kind = kind
        self.game, self.place, self.suspected = crumb.game, crumb.place, crumb.suspected
        self.log, self.output = log, output
        self.is_killed = is_killed

    @property
    def is_sure(self) -> bool:
        """Whether it can only be the doing of the bot that was called: it has not answered in time.

        Finalizers that Python runs when it collects garbage may be another bot's.
        """
        is_called = self.place.seat != NOBODY and COLLECTING not in self.log.splitlines()
        return self.kind == "timeout" and is_called and self.is_alone

    def fault(self, charged: Place) -> Fault:
        """The charge against the seat; the referee knows the round when it applies it."""
        how = str(self) if charged == self.place else f"left a thread or process running, then: {self}"
        detail = f"{how}\n{self.log}".strip()
        output = self.output if charged.seat == self.place.seat else ""
        return Fault(charged.seat, self.kind, 0, charged.decision, detail, forfeit=True, output=output)

    def reason(self) -> str:
        """Why the game is void, or the process could not start."""
        seat = self.place.seat
        where = "outside of any bot" if seat == NOBODY else f"in a decision of seat {seat}"
        return ": ".join([f"host process {self} {where}", *self.log.splitlines()[-1:]])


class Child:
    """One child process from its start to its end.

    `answer` is what it makes of the task. Outside of bots it may stand still for `patience` seconds at its
    start, in a bot for `limit` seconds. Raises the ArenaError that it met, ChildDied, or CancelledError when
    `stop` is set.
    """

    def __init__(
        self, task: Job | Task, patience: float, limit: float, stop: Event, hash_seed: int = 0
    ) -> None:
        self._limit = limit
        self._stop = stop
        self._running = 1
        with ExitStack() as stack:
            self._log, self._output, crumb = (
                _memory_file(stack, name) for name in ("log", "output", "crumb")
            )
            os.ftruncate(crumb, Crumb.SIZE)
            self._crumb = Crumb(crumb)
            stack.callback(self._crumb.close)
            self._crumb.leave(NOBODY, 0)
            self._crumb.suspect(NOBODY, 0)
            self._connection, end = Pipe()
            stack.callback(self._connection.close)
            with end:
                self._process = _spawn(end.fileno(), crumb, self._log, self._output, hash_seed)
            stack.callback(self._kill)
            self._mark = _mark(self._process.pid)
            self._exit = os.pidfd_open(self._process.pid)  # becomes readable when the process ends
            stack.callback(os.close, self._exit)
            self.answer = self._ask(task, patience)
            if isinstance(self.answer, ArenaError):
                raise self.answer
            self._running = count_running(self._process.pid)
            self._stack = stack.pop_all()

    def play(self, specs: Sequence[GameSpec], is_close: bool) -> tuple[list[GameResult], bool, bool]:
        """Have the first of the games played, at least one: their results, whether no bot has changed what
        the others play with, and whether the child is fit for more games.

        `is_close`: look after each call into a bot for what it has left behind, which takes its time.
        Raises ChildDied when the child died or stood still, CancelledError when `stop` is set; after either
        the child can only be closed.
        """
        self._crumb.begin(0)
        answer = self._ask((specs, is_close), STALL_SECONDS)
        match answer:
            case ([GameResult(), *_] as played, bool(is_fair), bool(is_clean)) if _are_of(played, specs):
                return played, is_fair, is_clean
        raise self._died("crash", f"answered with {shown(answer)}")

    def close(self) -> None:
        """Kill the process with everything that it started."""
        self._stack.close()

    def _ask(self, question: object, patience: float) -> Any:
        """The child's answer; outside of bots it may stand still for `patience` seconds."""
        try:
            self._connection.send(question)
            if self._connection in self._watch(patience):
                return self._receive()
        except (ChildDied, CancelledError):
            raise
        except Exception:  # the child is gone, or a bot wrote into the pipe
            pass
        is_own_end = bool(wait([self._exit], 1))
        status = self._kill()
        words = _exit_words(status) if is_own_end else "hung up"
        raise self._died("crash", words, is_killed=is_own_end and status == -SIGKILL)

    def _receive(self) -> Any:
        """The child's word, as `Connection.send` frames it.

        It comes in one go; where it does not, a bot has written into the pipe.
        """
        said = bytearray()
        while len(said) < _FRAME.size or len(said) < _FRAME.size + _FRAME.unpack_from(said)[0]:
            if not wait([self._connection], REST_SECONDS):
                raise EOFError
            part = os.read(self._connection.fileno(), 1 << 20)
            if not part:
                raise EOFError
            said += part
        return pickle.loads(memoryview(said)[_FRAME.size :])

    def _watch(self, patience: float) -> list[Any]:
        """Wait for the child's word or its end.

        Standing still is counted in looks, not by the clock: a machine that sleeps charges nobody.
        """
        seen, still = self._crumb.moment, 0.0
        while not self._stop.is_set():
            if ready := wait([self._connection, self._exit], POLL_SECONDS):
                return ready
            moment = self._crumb.moment
            still = still + POLL_SECONDS if moment == seen else 0.0
            seen = moment
            limit = patience if self._crumb.place.seat == NOBODY else self._limit
            if still > limit:
                is_alone = count_running(self._process.pid) <= self._running
                self._process.send_signal(SIGABRT)  # faulthandler then writes where it stands, even inside C
                wait([self._exit], 1)
                death = self._died("timeout", f"no answer within {limit:g} s")
                death.is_alone = is_alone
                raise death
        raise CancelledError

    def _died(self, kind: FaultKind, words: str, is_killed: bool = False) -> ChildDied:
        self._kill()
        log = self._read_log()
        if log.rpartition("\n")[2].startswith("MemoryError"):
            kind = "memory"
        return ChildDied(kind, words, self._crumb, log, read_tail(self._output), is_killed)

    def _kill(self) -> int:
        """End the process's whole group, and what has left the group; the process's exit status.

        It is reaped last: until then its id, which is the group's too, cannot pass to another.
        """
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, SIGKILL)
            _kill_marked(self._mark)
        return self._process.wait()

    def _read_log(self) -> str:
        """The end of a traceback, or where faulthandler found the bot: latest call first."""
        lines = os.pread(self._log, 1 << 20, 0).decode(errors="replace").splitlines()
        if not any(line.startswith("Fatal Python error") for line in lines):
            return "\n".join(lines[-LOG_LINES:])
        current = dropwhile(lambda line: not line.startswith("Current thread"), lines)
        stack = [line for line in current if line.startswith(("  File ", COLLECTING))]
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
        self._child: Child | None = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def play_some(self, specs: Sequence[GameSpec]) -> list[GameResult | Void]:
        """What comes of the first of the games, at least one: of as many as the child plays together.

        What anything is wrong with is played again by itself, which tells whose doing it is.
        """
        try:
            played, is_fair = self._send(specs, is_close=False)
        except ChildDied as death:
            before = specs[: max(death.game, 0)][: len(specs) - 1]  # a bot may have written over the crumb
            return [*map(self.play, before), self.play(specs[len(before)], death)]
        if is_fair:
            return [*played]
        *fair, last = played  # none is played after one that was not
        return [*fair, self.play(last.spec)]

    def play(self, spec: GameSpec, death: ChildDied | None = None) -> GameResult | Void:
        """The game's result, with a fault for every bot that had to be stopped.

        `death` is what an earlier try came to.
        """
        deaths = [death] if death else []  # since somebody was charged
        while True:
            if deaths:
                is_evidence = _is_evidence(*deaths[-2:])
                if is_evidence or len(deaths) == MOST_DEATHS:
                    places = _suspects(*deaths[-2:], spec=spec) if is_evidence else []
                    if not places:
                        return Void(spec, deaths[-1].reason())
                    outcome = self._find_culprit(spec, deaths[-1], *places)
                    if isinstance(outcome, GameResult):
                        return outcome
                    spec, deaths = outcome, []
            try:
                return self._try(spec, is_close=bool(deaths))
            except ChildDied as another:
                deaths.append(another)

    def _find_culprit(
        self, spec: GameSpec, death: ChildDied, place: Place, *others: Place
    ) -> GameResult | GameSpec:
        """The game with the bot charged that was called, or, if all is well without it, one that left
        something running before.
        """
        for other in others:
            without = _charge(spec, death, other)
            try:
                return self._try(without, is_close=True)
            except ChildDied as again:
                if again.place.seat != place.seat:
                    return without
        return _charge(spec, death, place)

    def _try(self, spec: GameSpec, is_close: bool) -> GameResult:
        (result,), is_fair = self._send([spec], is_close)
        # What others have changed, or earlier games have left in memory, must not be charged to this one's.
        return result if is_fair or is_close else self._try(spec, is_close=True)

    def _send(self, specs: Sequence[GameSpec], is_close: bool) -> tuple[list[GameResult], bool]:
        """The results of the first of the games, and whether they may be taken."""
        child = self._child = self._child or self._start()
        try:
            played, is_fair, is_clean = child.play(specs, is_close)
        except BaseException:
            self.close()
            raise
        last = played[-1]  # with which alone anything may be wrong
        is_short = any(fault.kind == "memory" for fault in last.faults)
        if last.spec.crashes or is_short or not is_clean:
            self.close()
        return played, is_fair and not is_short

    def _start(self, is_second_try: bool = False) -> Child:
        """A child that is ready to play; one that is killed while it starts gets a second chance."""
        try:
            return Child(self.job, self.job.start_seconds, self.job.decision_seconds, self._stop)
        except ChildDied as death:
            if death.is_killed and not is_second_try:
                return self._start(is_second_try=True)
            words = "\n".join(filter(None, (death.log.strip(), death.output.strip())))
            raise RunStopped(f"a host process could not start: {death}\n{words}".strip()) from None

    def close(self) -> None:
        """Leave no process behind; a later `play` starts a new one."""
        if self._child is not None:
            self._child.close()
            self._child = None


def _are_of(played: Sequence[object], specs: Sequence[GameSpec]) -> bool:
    """Whether a child's answer is that of the first of these games."""
    of = [result.spec for result in played if isinstance(result, GameResult)]
    return len(of) == len(played) and of == [*specs[: len(of)]]


def _is_evidence(*deaths: ChildDied) -> bool:
    """Whether the last one or two deaths of a game tell whose doing they are, or that they are no bot's.

    Where each was in another bot's decision and nothing had been left running, they may have been chance.
    """
    death = deaths[-1]
    if len(deaths) == 1:
        return death.is_sure
    return death.suspected.seat != NOBODY or death.place.seat == deaths[0].place.seat


def _suspects(*deaths: ChildDied, spec: GameSpec) -> list[Place]:
    """The calls that may be to blame, the likeliest first.

    A bot that fails by itself fails at the same decision again; another's leftovers may do so by chance.
    """
    death = deaths[-1]
    is_same = death.place == deaths[0].place and (len(deaths) == 1 or not death.is_killed)
    both = [death.place, death.suspected] if is_same else [death.suspected, death.place]
    places = [place for place in both if _is_chargeable(place, spec)]
    is_doubtful = is_same and len({place.seat for place in places}) > 1
    return places if is_doubtful else places[:1]


def _charge(spec: GameSpec, death: ChildDied, place: Place) -> GameSpec:
    return replace(spec, crashes=(*spec.crashes, death.fault(place)))


def _is_chargeable(place: Place, spec: GameSpec) -> bool:
    """Whether it is of a seat, and before the decision from which that seat is passive already.

    A bot may have written over the crumb.
    """
    charged = [fault.decision for fault in spec.crashes if fault.seat == place.seat]
    return 0 <= place.seat < spec.players and place.decision < min(charged, default=sys.maxsize)


def identify(
    texts: Sequence[str],
    base: Path,
    seconds: float,
    warn: Callable[[str], None] = lambda line: None,
    is_second_try: bool = False,
) -> Iterator[BotIdentity]:
    """What `Registry.identify` makes of each, found in a process of its own.

    A bot's code may hang or end its process before it has played a game: after `seconds` it is given up.
    `warn` takes a line for each method that looks like a misspelt decision.
    """
    try:
        answers = ask(Entrants(tuple(texts), base), seconds)
    except ChildDied as death:
        culprit = death.place.seat
        if death.is_killed and not is_second_try:
            yield from identify(texts, base, seconds, warn, is_second_try=True)
            return
        if culprit == NOBODY:
            raise RunStopped(f"bots could not be looked at: {death.reason()}") from None
        yield from identify(texts[:culprit], base, seconds, warn)
        lines = death.log.splitlines() or [""]
        where = lines[0 if death.kind == "timeout" else -1].strip()
        raise PluginError(f"bot {texts[culprit]}: {death}{where and f' ({where})'}") from None
    for text, answer in zip(texts, answers, strict=False):  # none come after an error
        if isinstance(answer, ArenaError):
            raise answer
        for line in answer.warnings:
            warn(f"bot {text}: {line}")
        yield answer.bot


def ask(task: Task, limit: float, hash_seed: int = 0) -> Any:
    """What comes of a task in a process of its own, which may stand still in a bot for `limit` seconds.

    `hash_seed` is its PYTHONHASHSEED. Raises the ArenaError that the task met, ChildDied where the process
    did not live to tell.
    """
    child = Child(task, STALL_SECONDS, limit, Event(), hash_seed)
    child.close()
    return child.answer


def _exit_words(status: int) -> str:
    if status >= 0:
        return f"exited with status {status}"
    names = [signal.name for signal in Signals if signal == -status]
    return f"killed by signal {names[0] if names else -status}"


def _memory_file(stack: ExitStack, name: str) -> int:
    fd = os.memfd_create(name)
    stack.callback(os.close, fd)
    return fd


def _spawn(connection: int, crumb: int, log: int, output: int, hash_seed: int) -> "subprocess.Popen[bytes]":
    arguments = [os.getpid(), connection, crumb, log]
    return subprocess.Popen(
        [sys.executable, "-P", "-u", "-m", "arena.hosted", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=(connection, crumb, log),
        start_new_session=True,
        # One core a host.
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "OMP_NUM_THREADS": "1"},
    )


def _mark(process: int) -> int:
    """Give the process, which has not yet run a bot's code, a mark that no other has; 0 where none can be."""
    _, hard = resource.getrlimit(MARK)
    mark = secrets.randbelow(1 << 62) + 1 if hard == resource.RLIM_INFINITY else secrets.randbelow(hard + 1)
    if mark < LEAST_MARK:  # with so little room it might be another's
        return 0
    with suppress(OSError):
        resource.prlimit(process, MARK, (mark, mark))
        return mark
    return 0


def _kill_marked(mark: int) -> None:
    """Kill every process with that mark: it may have a session, an environment and a parent of its own."""
    killed = set[Path]()
    while mark and (found := set(_marked(mark)) - killed):  # until none has started another meanwhile
        for folder in found:
            with suppress(OSError):
                os.kill(int(folder.name), SIGKILL)
        killed |= found


def _marked(mark: int) -> Iterator[Path]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            *_, hard, _ = (folder / "limits").read_text().split()  # the last line is that of MARK
            if hard == str(mark):
                yield folder
