"""Databases damaged by hand or by other programs: each command says so in a line, and changes nothing."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import call
from sqlite_utils import Database
from tournaments import FAULTY, REGISTRY, HereExecutor, query, tournament

from arena.columns import BLOB, COLUMNS, SECONDS, TEXT, wrong_values
from arena.compare import Terms, compare, resolve_comparison
from arena.config import Void
from arena.run import run
from arena.schedule import specs
from arena.store import open_store

COMPARISON = ["greedy", "turtle", "--edition", "house-four-shores", "--players", 2, "--max-games", 2]

ROWS = {
    "seats": "game = :key and seat = 0",
    "games": "key = :key",
    "faults": "game = :key",
    "editions": "true",
    "voids": "true",
}
"""Which rows are damaged; of the others the first."""

NEVER_NULL = [("seats", "game"), ("seats", "seat")]
IDS = [("tournaments", "id"), ("bots", "id"), ("faults", "id")]
"""What SQLite itself holds to something, being their tables' keys."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with something in every table, none of which holds its columns to `not null` any more."""
    folder = tmp_path_factory.mktemp("columns")
    (folder / "faulty.py").write_text(FAULTY)
    resolved = tournament(folder, bots=["greedy", "faulty.py", "turtle"], blocks=1)
    path, terms = folder / "arena.db", Terms(-30, 0, players=2, max_games=2)
    run(resolved, path, HereExecutor())
    compared = resolve_comparison("greedy", "turtle", "house-four-shores", 0, terms, REGISTRY)
    compare(compared, terms, path, HereExecutor())
    with open_store(path) as store:
        store.write(store.enter(resolved), [Void(next(specs(resolved)), "lost")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma writable_schema = on")
        connection.execute(
            "update sqlite_master set sql = replace(sql, ' not null', '') where type = 'table'"
        )
    return path


@pytest.fixture
def key(whole: Path) -> str:
    """A finished game with a fault, of the first tournament."""
    games = "games join faults on game = key where winner_seat is not null and tournament = 1"
    return str(query(whole, f"select min(key) from {games}")[0][0])


def damage(whole: Path, folder: Path, table: str, column: str, value: str, key: str) -> Path:
    """A copy of the database with an SQL expression in a column of a row, or some."""
    path = Path(shutil.copy(whole, folder / f"{len(list(folder.iterdir()))}.db"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("pragma ignore_check_constraints = on")
        where = ROWS.get(table, "id = 1")
        named = {"key": key} if ":key" in where else {}
        assert connection.execute(f"update {table} set {column} = {value} where {where}", named).rowcount
    return path


def content(path: Path) -> list[list[Any]]:
    """All rows of all tables."""
    return [
        query(path, f"select {', '.join(f'cast({name} as blob)' for name in columns)} from {table}")
        for table, columns in COLUMNS.items()
    ]


def commands(folder: Path, key: str) -> Iterator[tuple[list[object], int]]:
    """Every command that reads a database, and its exit code where that is sound."""
    yield ["standings"], 0
    yield ["standings", "cup", "--los", "--json"], 0
    yield ["matrix", "--samples", 1], 0
    yield ["status", "cup", "--json"], 0
    yield ["games"], 0
    yield ["faults"], 0
    yield ["faults", key], 0
    yield ["show", key, "--at", 3], 0
    yield ["replay", key], 0
    yield ["verify"], 0
    yield ["plan", "--elo", 30, "--players", 3, "--edition", "house-four-shores"], 0
    yield ["run", folder / "cup.toml", "--executor", "local"], 0
    yield ["compare", *COMPARISON, "--executor", "local"], 3


def test_a_sound_database_has_no_wrong_values_and_the_commands_work(whole: Path, key: str) -> None:
    assert [line for table in COLUMNS for line in wrong_values(Database(whole), table)] == []
    for command, exit_code in commands(whole.parent, key):
        result = call(*command, "--db", whole)
        assert result.exit_code == exit_code, result.output


@pytest.mark.parametrize(
    ("table", "column"), [(t, c) for t in COLUMNS for c in COLUMNS[t] if (t, c) not in IDS]
)
def test_a_wrong_value_is_named_with_its_place_and_what_its_column_holds(
    table: str, column: str, whole: Path, tmp_path: Path, key: str
) -> None:
    column_is = COLUMNS[table][column]
    wrong = {"x'ff00'": "a blob of 2 bytes", "null": "null", "'{'": "'{'", "-1": "-1", "0.5": "0.5"}
    if "null" in column_is.expected or (table, column) in NEVER_NULL:
        del wrong["null"]
    (kind,) = query(whole, f"select type from pragma_table_info('{table}') where name = '{column}'")[0]
    if kind == "TEXT":
        del wrong["-1"], wrong["0.5"]  # text is made of them
    if column_is == TEXT:
        del wrong["'{'"]
    if column_is == BLOB:
        del wrong["x'ff00'"]
    if column_is == SECONDS:
        del wrong["0.5"]
    for value, found in wrong.items():
        path = damage(whole, tmp_path, table, column, value, key)
        lines = list(wrong_values(Database(path), table))
        about = [line for line in lines if line.startswith(f"{table}.{column} where ")]
        assert any(f": expected {column_is.expected}, got {found}" in line for line in about), (value, lines)


def test_a_wrong_value_of_one_game_does_not_hide_another(whole: Path, tmp_path: Path, key: str) -> None:
    path = damage(whole, tmp_path, "games", "rounds", "'x'", key)
    (other, *_), *_ = query(path, f"select key from games where key <> '{key}' limit 1")
    assert call("show", key, "--db", path).exit_code == 2
    assert call("show", other, "--db", path).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column"),
    [(t, c) for t in COLUMNS for c in COLUMNS[t] if (t, c) not in IDS],
)
def test_a_wrong_value_is_one_line_of_every_command_and_stays_as_it_is(
    table: str, column: str, whole: Path, tmp_path: Path, key: str
) -> None:
    value = "'{'" if (table, column) == ("games", "record") else "x'ff00'"
    path = damage(whole, tmp_path, table, column, value, key)
    before = content(path)
    for command, exit_code in commands(whole.parent, key):
        result = call(*command, "--db", path)
        assert "Traceback" not in result.stderr, result.stderr
        assert content(path) == before, command
        if command == ["verify"]:
            assert result.exit_code != 0
            assert f"{table}.{column}" in result.output
        elif result.exit_code != exit_code:
            (line,) = result.stderr.splitlines()
            assert f"{table}.{column} where " in line or key in line or table in line, (command, line)
