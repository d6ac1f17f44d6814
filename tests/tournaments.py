"""What tests of whole tournaments share: small ones as files, an executor that plays in this process."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any, Self

from arena.config import GameSpec, Job, ResolvedTournament, load_tournament
from arena.executors import Outcome
from arena.match import Referee
from arena.plugins import load_registry

REGISTRY = load_registry()

CUP: dict[str, Any] = {
    "name": "cup",
    "edition": "house-four-shores",
    "players": 3,
    "bots": ["uniform", "turtle", "greedy", "continental"],
    "blocks": 4,
    "seed": 7,
}
"""Twelve games on a small map."""

FAULTY = """
import arena

class Faulty(arena.Bot):
    def attack(self, view):
        return 1 / (view.round < 3)
"""
"""The source of a bot that answers with what is no order, and from round 3 on raises."""


def write_tournament(folder: Path, **changes: Any) -> Path:
    """The file of a tournament: CUP with these keys changed, and left out where None."""
    table = {key: value for key, value in (CUP | changes).items() if value is not None}
    lines = [f"{key} = {_toml(value)}\n" for key, value in table.items()]
    path = folder / f"{table.get('name', 'nameless')}.toml"
    path.write_text("".join(lines))
    return path


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items())} }}"
    return json.dumps(value)


def tournament(folder: Path, **changes: Any) -> ResolvedTournament:
    """That tournament, found and checked."""
    return load_tournament(str(write_tournament(folder, **changes)), REGISTRY)


class HereExecutor:
    """Plays in this process, in batches of `size`; knows how often it was opened and what it has played."""

    def __init__(self, size: int = 5) -> None:
        self.stopping = Event()
        self.size = size
        self.is_open = False
        self.opened = 0
        self.played: list[GameSpec] = []

    def __enter__(self) -> Self:
        self.is_open, self.opened = True, self.opened + 1
        return self

    def __exit__(self, *_: object) -> None:
        self.is_open = False

    def play(self, job: Job, specs: Iterable[GameSpec]) -> Iterator[list[Outcome]]:
        assert self.is_open
        self.referee = Referee.for_job(job)
        stream = iter(specs)
        while not self.stopping.is_set() and (batch := list(islice(stream, self.size))):
            yield [self.outcome(spec) for spec in batch]

    def outcome(self, spec: GameSpec) -> Outcome:
        self.played.append(spec)
        return self.referee.play(spec)


def query(path: Path, sql: str) -> list[Any]:
    """What is in a database, past all of our code."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def change(path: Path, sql: str, *values: Any, **named: Any) -> None:
    """Change a database past all of our code, by values for `?` or for `:name`; something must change."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql, named or values).rowcount != 0


def any_key(path: Path, condition: str = "1") -> str:
    """The key of one of the games that the condition holds for, the same each time."""
    return str(query(path, f"select min(key) from games where {condition}")[0][0])


def games_in(path: Path) -> set[tuple[str, str]]:
    """(key, digest) of every stored game."""
    return {(key, digest) for key, digest in query(path, "select key, digest from games")}
