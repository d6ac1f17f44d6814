import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database
from storing import no_file_larger_than

from arena.errors import StoreError
from arena.migrations import LATEST, migrations
from arena.store import open_history, open_store

GOLDEN = Path(__file__).parent / "golden" / "store-001.sql"


def oldest(path: Path) -> Path:
    """A database as the first schema had it, with three games."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(GOLDEN.read_text())
    return path


def schema(connection: sqlite3.Connection) -> set[str]:
    return {
        sql
        for (sql,) in connection.execute("select sql from sqlite_master where sql not like '%_sqlite_migr%'")
    }


def test_latest_is_the_last_of_the_steps_and_their_names_sort() -> None:
    with Database(memory=True) as db:
        names = [step.name for step in migrations.pending(db)]
    assert names == sorted(names)
    assert names[-1] == LATEST


def test_the_released_first_step_still_makes_the_tables_that_it_made(tmp_path: Path) -> None:
    with Database(memory=True) as db, closing(sqlite3.connect(oldest(tmp_path / "old.db"))) as old:
        migrations.apply(db, stop_before="m002_totals")
        assert schema(db.conn) == schema(old)


def test_a_run_brings_the_oldest_database_up_to_date_and_keeps_its_games(tmp_path: Path) -> None:
    path = oldest(tmp_path / "old.db")
    with open_store(path) as store:
        assert migrations.pending(store.db) == []
        assert store.problems() == []
    with open_history(path) as history:
        (pool,) = history.pools()
        assert (pool.tournament, pool.games) == ("cup", 3)
        assert sum(total.games for total in history.bot_totals(pool)) == 9


def test_a_run_puts_a_copy_beside_an_older_database_before_it_changes_it(tmp_path: Path) -> None:
    path = oldest(tmp_path / "old.db")
    before = path.read_bytes()
    for _ in range(2):
        with open_store(path):
            pass
    copies = [file for file in tmp_path.iterdir() if "m001" in file.name]
    assert [file.name for file in copies] == ["old.db.m001_tables"]
    with closing(sqlite3.connect(copies[0])) as copy, closing(sqlite3.connect(":memory:")) as old:
        old.deserialize(before)
        assert list(copy.iterdump()) == list(old.iterdump())


def test_an_earlier_copy_is_never_overwritten(tmp_path: Path) -> None:
    for _ in range(2):
        path = oldest(tmp_path / "old.db")
        with open_store(path):
            pass
        path.unlink()
    copies = sorted(file.name for file in tmp_path.iterdir() if "m001" in file.name)
    assert copies == ["old.db.m001_tables", "old.db.m001_tables.1"]


def test_a_copy_that_does_not_fit_on_the_disk_leaves_the_older_database_as_it_was(tmp_path: Path) -> None:
    path = oldest(tmp_path / "old.db")
    before = path.read_bytes()
    with (
        no_file_larger_than(path.stat().st_size // 2),
        pytest.raises(StoreError, match=r"old\.db: expected a database that can be written, got: [^\n]*$"),
        open_store(path),
    ):
        pass
    assert path.read_bytes()[100:] == before[100:]  # the header tells of the journal
    assert not [file for file in tmp_path.iterdir() if "m001" in file.name]
    with open_store(path) as store:
        assert len(list(store.games())) == 3


def test_a_step_that_fails_leaves_the_older_database_as_it_was(tmp_path: Path) -> None:
    path = oldest(tmp_path / "old.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table turn_totals (a)")  # where the second step wants a view
        before = schema(connection)
    with (
        pytest.raises(
            StoreError, match=r"old\.db: expected a database that can be written, got: .*turn_totals"
        ),
        open_store(path),
    ):
        pass
    with closing(sqlite3.connect(path)) as connection:
        assert schema(connection) == before


def test_a_reader_of_an_older_database_is_told_what_brings_it_up_to_date(tmp_path: Path) -> None:
    path = oldest(tmp_path / "old.db")
    with (
        pytest.raises(StoreError, match="older version of arena; the next `arena run` on it brings"),
        open_history(path),
    ):
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["old.db"]
