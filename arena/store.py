"""The results database: one run writes it, in whole batches; any number of readers look on."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from sqlite_utils import Database

from arena.columns import COLUMNS
from arena.config import GameResult, ResolvedTournament, Void
from arena.database import clear_errors
from arena.errors import ConfigError, StoreError
from arena.history import History
from arena.lock import locked
from arena.migrations import check_schema, migrate_schema
from arena.plugins import BotIdentity

BUSY_SECONDS = 30
"""So long a write waits while another program has the database locked."""

_INSERT_GAME = """
    insert into games (key, tournament, edition, players, block, rotation, seed, starter, status, winner_seat,
        rounds, rolls, decisions, digest, seconds, worker, record)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_INSERT_SEAT = """
    insert into seats (game, seat, turn, bot, finish, eliminated_round, territories, troops, strikes, forfeit,
        seconds)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_INSERT_FAULT = """
    insert into faults (game, seat, bot, kind, round, decision, forfeit, detail, output)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)"""

_COUNT_VOID = """
    insert into voids (game, tournament, edition, players, reason, count) values (?, ?, ?, ?, ?, 1)
    on conflict (game) do update set count = count + 1, reason = excluded.reason"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A tournament in the database, ready to take results."""

    tournament: int
    """Its row."""
    bots: tuple[int, ...]
    """The row of each of its bots."""
    warnings: tuple[str, ...]
    """What a person should be told, a line each."""


class Store(History):
    """An open results database of the run that writes it. A method that fails has changed nothing."""

    def enter(self, resolved: ResolvedTournament) -> Entry:
        """Enter a tournament, or go on with the one that has its fingerprint.

        Raises ConfigError with the differences where its name is taken by another fingerprint.
        """
        self._check(*COLUMNS)
        with self._transaction():
            tournament, warnings = self._enter_tournament(resolved)
            for edition in resolved.editions:
                row = {"edition_id": edition.id, "rules": edition.model_dump_json()}
                self.db.table("editions").insert({"fingerprint": edition.fingerprint, **row}, ignore=True)
            bots = tuple(self._enter_bot(bot) for bot in resolved.bots)
            warnings += [line for bot in bots for line in self._changes(bot)]
        return Entry(tournament, bots, tuple(dict.fromkeys(warnings)))

    def write(self, entry: Entry, results: Iterable[GameResult | Void]) -> None:
        """Store a batch: all of it or, where a game is stored already or the disk is full, nothing.

        A void game is counted; it may be played later and keeps its count.
        """
        results = list(results)
        played = [result for result in results if isinstance(result, GameResult)]
        voids = [result for result in results if isinstance(result, Void)]
        execute = self.db.conn.executemany
        try:
            with self._transaction():
                execute(_INSERT_GAME, (_game_row(entry, result) for result in played))
                execute(_INSERT_SEAT, (row for result in played for row in _seat_rows(entry, result)))
                execute(_INSERT_FAULT, (row for result in played for row in _fault_rows(entry, result)))
                execute(_COUNT_VOID, (_void_row(entry, void) for void in voids))
        except sqlite3.IntegrityError as error:
            keys = Counter(result.spec.key for result in played)
            keys.update(self.played(keys))
            twice = [key for key, count in keys.items() if count > 1]
            if not twice:
                raise
            raise StoreError(
                f"{self.path}: expected each game once, got {twice[0]} again;"
                f" its batch of {len(results)} is left out"
            ) from error

    def _enter_tournament(self, resolved: ResolvedTournament) -> tuple[int, list[str]]:
        """Its row and what to tell about it."""
        name, table = resolved.tournament.name, self.db.table("tournaments")
        for old in table.rows_where("name = ? and fingerprint <> ?", [name, resolved.fingerprint]):
            changes = "; ".join(differences(self.covered(old["id"]), resolved.covered))
            raise ConfigError(
                f"{self.path}: expected tournament {name} as it was begun here, got it changed ({changes}):"
                " give it another name or another database"
            )
        row = {"name": name, "config": resolved.tournament.model_dump_json()}
        for old in table.rows_where("fingerprint = ?", [resolved.fingerprint]):
            table.update(old["id"], row)
            renamed = (
                f"tournament {old['name']} is the same under another name: from now on it is called {name}"
            )
            return old["id"], [renamed] if old["name"] != name else []
        row |= {
            "covered": json.dumps(resolved.covered),
            "fingerprint": resolved.fingerprint,
            "created": _now(),
        }
        return cast(int, table.insert(row).last_pk), []

    def _enter_bot(self, bot: BotIdentity) -> int:
        table = self.db.table("bots")
        identity = {"bot_id": bot.bot_id, "version": bot.version, "options": bot.options}
        identity |= {"source_hash": bot.source_hash, "isolation": "in-process"}
        row = int(table.lookup(identity, {"name": bot.name, "created": _now()}))
        table.update(row, {"path": bot.path})
        return row

    def _changes(self, bot: int) -> list[str]:
        """A line if the bot had other source before under its version; of another file it is another bot."""
        sql = """
            select new.bot_id, new.version, max(old.created)
            from bots new join bots old using (bot_id, version)
            where new.id = ? and old.id < new.id and old.source_hash <> new.source_hash
                and old.path = new.path
            group by new.id"""
        return [
            f"bot {bot_id} {version} has changed since {created}: it is rated separately"
            for bot_id, version, created in self._rows(sql, [bot])
        ]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with clear_errors(self.path, "written"), self.db.atomic():
            yield


@contextmanager
def open_store(path: str | Path, tournament: str | None = None) -> Iterator[Store]:
    """The results database at `path`, for the one run that may write to it, of that tournament.

    It is made when missing and brought up to date when older. Raises StoreError where that cannot be or
    another run has it; nothing has changed then.
    """
    path = Path(path)
    if _exists(path):
        with _connected(path, "rw") as db:
            _check(db, path, migrate=True)  # before anything is touched
    with locked(path) as lock, _connected(path, "rwc") as db:
        with clear_errors(path, "written"):
            db.enable_wal()
            db.execute("pragma synchronous = normal")  # a power cut may lose games: they are played again
            db.execute("pragma foreign_keys = on")
            migrate_schema(db, path)
        store = Store(db, path)
        lock.tell(tournament, store.count_games())
        yield store


@contextmanager
def open_history(path: str | Path) -> Iterator[History]:
    """The results database at `path` for reading: as it is at this moment, while a run may go on writing.

    Raises StoreError where there is none or it cannot be read.
    """
    path = Path(path)
    if not _exists(path):
        raise StoreError(f"no database at {path}; `arena run` makes one")
    # Not opened with mode=ro: SQLite would leave its two WAL files behind.
    with _connected(path, "ro&immutable=1" if _is_frozen(path) else "rw") as db:
        _check(db, path, migrate=False)
        yield History(db, path)


def _is_frozen(path: Path) -> bool:
    """Whether it lies where no file can be made, and no run has it: SQLite then has to be told."""
    real = path.resolve()
    is_open = real.with_name(f"{real.name}-wal").exists()
    return not is_open and not os.access(real.parent, os.W_OK, effective_ids=True)


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between the `covered` of two tournaments, a phrase each."""
    changed = [
        f"{key}: {old.get(key)} -> {new.get(key)}"
        for key in {**old, **new}
        if key not in ("editions", "bots") and old.get(key) != new.get(key)
    ]
    changed += _edition_differences(old["editions"], new["editions"])
    changed += _bot_differences(old["bots"], new["bots"])
    return changed or ["the order of editions or bots"]


def _edition_differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """By edition id and fingerprint."""
    return [
        f"edition {edition}: {_change(edition in old, edition in new, 'rules changed')}"
        for edition in {**old, **new}
        if old.get(edition) != new.get(edition)
    ]


def _bot_differences(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> list[str]:
    """By the fields of BotIdentity; bots of one name are told apart by version and source."""
    gone = {BotIdentity(*bot).name: bot for bot in old if bot not in new}
    come = {BotIdentity(*bot).name: bot for bot in new if bot not in old}
    changed = []
    for name in {**gone, **come}:
        before, after = gone.get(name), come.get(name)
        what = "source changed"
        if before and after and before[1] != after[1]:
            what = f"version {before[1]} -> {after[1]}"
        changed.append(f"bot {name}: {_change(bool(before), bool(after), what)}")
    return changed


def _change(before: bool, after: bool, what: str) -> str:
    return what if before and after else "left out" if before else "added"


def _game_row(entry: Entry, played: GameResult) -> tuple[Any, ...]:
    spec, result = played.spec, played.result
    place = (spec.key, entry.tournament, spec.edition, spec.players, spec.block, spec.rotation, spec.seed)
    end = (result.starter, result.status, result.winner)
    counts = (result.rounds, result.rolls, result.decisions, result.digest)
    return (*place, *end, *counts, played.seconds, played.worker, played.record)


def _seat_rows(entry: Entry, played: GameResult) -> Iterator[tuple[Any, ...]]:
    spec, result = played.spec, played.result
    for seat, bot in enumerate(spec.lineup):
        faults = [fault for fault in played.faults if fault.seat == seat]
        yield (
            spec.key,
            seat,
            result.turn_position(seat),
            entry.bots[bot],
            result.finish[seat],
            result.eliminated_round[seat],
            result.territories[seat],
            result.troops[seat],
            sum(fault.is_strike for fault in faults),
            any(fault.forfeit for fault in faults),
            played.seat_seconds[seat],
        )


def _fault_rows(entry: Entry, played: GameResult) -> Iterator[tuple[Any, ...]]:
    for fault in played.faults:
        bot = entry.bots[played.spec.lineup[fault.seat]]
        when = (fault.kind, fault.round, fault.decision, fault.forfeit)
        yield (played.spec.key, fault.seat, bot, *when, _as_utf8(fault.detail), _as_utf8(fault.output))


def _as_utf8(text: str) -> str:
    """A bot's words, which may hold what UTF-8 cannot."""
    return text.encode(errors="backslashreplace").decode()


def _void_row(entry: Entry, void: Void) -> tuple[Any, ...]:
    spec = void.spec
    return spec.key, entry.tournament, spec.edition, spec.players, void.reason


def _exists(path: Path) -> bool:
    with clear_errors(path, "opened"):
        if path.is_dir():
            raise StoreError(f"{path}: expected a database, got a folder")
        try:
            path.stat()
        except FileNotFoundError:
            return False
        return True


@contextmanager
def _connected(path: Path, mode: str) -> Iterator[Database]:
    with clear_errors(path, "opened"):
        uri = f"{path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
    with closing(connection):
        yield Database(connection, recursive_triggers=False, execute_plugins=False)


def _check(db: Database, path: Path, *, migrate: bool) -> None:
    with clear_errors(path, "read"):
        db.execute("pragma query_only = on")
        db.begin()  # all that is read from here on is of one moment
        check_schema(db, path, migrate=migrate)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
