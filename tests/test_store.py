import multiprocessing
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from positions import variant
from sqlite_utils import Database
from storing import BOTS, bot, cup, cup_games, hold, no_file_larger_than, played, write_until_death
from tournaments import change

from arena.bot import Bot
from arena.config import Fault, GameResult, ResolvedTournament, Void
from arena.errors import ArenaError, ConfigError, StoreError
from arena.lock import find_holder
from arena.match import Referee
from arena.migrations import migrations
from arena.risk.edition import Edition
from arena.schedule import specs
from arena.store import Store, differences, open_history, open_store

SPAWN = multiprocessing.get_context("spawn")


def store_games(
    path: Path, resolved: ResolvedTournament, games: list[GameResult | Void] | None = None
) -> None:
    with open_store(path) as store:
        store.write(store.enter(resolved), cup_games(resolved) if games is None else games)


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


# What cannot be opened


def text_file(path: Path) -> None:
    path.write_text("not a database at all, but long enough to hold the header of one " * 9)


def truncated(path: Path) -> None:
    store_games(path, cup())
    path.with_name("arena.db.lock").unlink()
    os.truncate(path, path.stat().st_size // 2)


def of_another_program(path: Path) -> None:
    change(path, "create table recipes (name)")


def of_a_newer_version(path: Path) -> None:
    store_games(path, cup())
    path.with_name("arena.db.lock").unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("insert into _sqlite_migrations values (9, 'arena', 'm999_future', 'tomorrow')")
        connection.commit()
        connection.execute("pragma journal_mode = delete")


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("open_it", [open_store, open_history])
@pytest.mark.parametrize(
    ("make", "found"),
    [
        (text_file, "got: file is not a database"),
        (truncated, "got: database disk image is malformed"),
        (of_another_program, "expected a results database of arena, got one with the tables recipes"),
        (of_a_newer_version, "got m999_future, made by a newer version of arena"),
        (a_folder, "expected a database, got a folder"),
    ],
)
def test_what_is_no_database_of_ours_is_one_line_and_stays_as_it_was(
    path: Path, make: Callable[[Path], None], found: str, open_it: Callable[[Path], Any]
) -> None:
    make(path)
    before = contents(path.parent)
    with pytest.raises(StoreError) as error, open_it(path):
        pass
    assert str(error.value).startswith(f"{path}: expected ")
    assert found in str(error.value)
    assert "\n" not in str(error.value)
    assert contents(path.parent) == before


def test_reading_a_missing_database_names_the_command_that_makes_one(path: Path) -> None:
    with (
        pytest.raises(StoreError, match=r"^no database at .*arena\.db; `arena run` makes one$"),
        open_history(path),
    ):
        pass
    assert list(path.parent.iterdir()) == []


def test_a_run_makes_the_database_and_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "results" / "arena.db"
    store_games(path, cup())
    with open_history(path) as history:
        assert history.db.journal_mode == "wal"
        assert len(list(history.games())) == 12


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    path = tmp_path / "results" / "arena.db"
    with (
        pytest.raises(
            StoreError, match=r"arena\.db: expected a file that can be opened, got: Not a directory"
        ),
        open_store(path),
    ):
        pass


def test_an_empty_file_will_do_for_a_run_and_has_nothing_to_read(path: Path) -> None:
    path.touch()
    with (
        pytest.raises(StoreError, match="expected a results database of arena, got an empty one"),
        open_history(path),
    ):
        pass
    store_games(path, cup())
    with open_history(path) as history:
        assert len(list(history.games())) == 12


def test_a_path_with_signs_of_a_uri_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "50% of #1?mode=memory.db"
    store_games(path, cup())
    assert path.stat().st_size > 0
    with open_history(path) as history:
        assert len(list(history.games())) == 12


@contextmanager
def as_nobody() -> Iterator[None]:
    """With the rights of a user who owns nothing, whoever runs the tests."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that anybody may read, down from the root."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def freeze(path: Path) -> None:
    path.chmod(0o444)
    path.parent.chmod(0o555)


def test_a_database_where_nothing_can_be_written_is_read_and_left_as_it_is(shelf: Path) -> None:
    path = shelf / "arena.db"
    store_games(path, cup())
    freeze(path)
    before = contents(shelf)
    with as_nobody(), open_history(path) as history:
        assert len(list(history.games())) == 12
        assert history.problems() == []
        assert find_holder(path) is None
    assert contents(shelf) == before


def test_a_run_on_a_database_that_cannot_be_written_is_one_line_and_leaves_it_as_it_is(shelf: Path) -> None:
    path = shelf / "arena.db"
    store_games(path, cup())
    freeze(path)
    before = contents(shelf)
    with as_nobody(), pytest.raises(StoreError, match=r"arena\.db: expected a .*: [^\n]*$"), open_store(path):
        pass
    assert contents(shelf) == before


def test_a_database_with_unsaved_games_where_nothing_can_be_written_is_one_line(shelf: Path) -> None:
    """Without its -shm file nobody can read the -wal, and without that one games would be missing."""
    path, copy = shelf / "open.db", shelf / "arena.db"
    with open_store(path) as store:
        store.write(store.enter(cup()), cup_games(cup()))
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    freeze(copy)
    with (
        as_nobody(),
        pytest.raises(StoreError, match=r"arena\.db: expected a .*: [^\n]*$"),
        open_history(copy),
    ):
        pass


# One writer, any readers


@contextmanager
def other_run(path: Path) -> Iterator[int]:
    """The id of another process that has the database open as a run; it is killed in the end."""
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=hold, args=(path, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.kill()
        process.join()


def test_a_second_run_is_refused_with_the_first_one_s_process_until_that_is_killed(path: Path) -> None:
    link = path.with_name("link.db")
    link.symlink_to(path)
    with other_run(path) as pid:
        assert pid != os.getpid()
        for way in (path, link):
            with (
                pytest.raises(StoreError, match=rf": expected no other run on it, got process {pid} on "),
                open_store(way),
            ):
                pass
        with open_history(path) as history:
            assert history.pools() == []
    with open_store(link) as store:
        assert store.problems() == []


def test_a_reader_sees_whole_batches_of_one_moment_while_a_run_writes(path: Path) -> None:
    resolved = cup()
    games = cup_games(resolved)
    with open_store(path) as store:
        entry = store.enter(resolved)
        store.write(entry, games[:3])
        with open_history(path) as early:
            with store.db.atomic():
                store.write(entry, games[3:6])
                with open_history(path) as within:
                    assert len(list(within.games())) == 3
            with open_history(path) as late:
                assert len(list(late.games())) == 6
            assert len(list(early.games())) == 3
            assert early.pools()[0].games == 3


def test_a_reader_cannot_write(path: Path) -> None:
    store_games(path, cup())
    with open_history(path) as history, pytest.raises(sqlite3.OperationalError, match="readonly"):
        history.db.execute("delete from faults")


def test_kill_in_the_middle_of_a_batch_leaves_the_whole_batches_before_it(path: Path) -> None:
    process = SPAWN.Process(target=write_until_death, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    keys = [game.spec.key for game in cup_games(cup())]
    with open_history(path) as history:
        assert history.played(keys) == set(keys[:8])
        assert history.problems() == []


# Results


def test_a_game_played_is_read_back_with_what_it_needs_to_be_played_again(
    path: Path, hasbro: Edition
) -> None:
    resolved = cup(bots=BOTS, players=4, blocks=1)
    spec = next(specs(resolved))
    referee = Referee({hasbro.fingerprint: hasbro.rules}, [Bot] * 4)
    game = referee.play(spec)
    store_games(path, resolved, [game])
    with open_history(path) as history:
        stored = history.game(spec.key)
    assert (stored.tournament, stored.edition_id) == ("cup", "hasbro-us-2003")
    rules = Edition.model_validate_json(stored.job.editions[hasbro.fingerprint]).rules
    again = Referee({hasbro.fingerprint: rules}, [Bot] * 4).play(stored.result.spec)
    assert again.result == stored.result.result == game.result
    assert stored.result.record == game.record


FAULTS = st.builds(
    Fault,
    seat=st.integers(0, 2),
    kind=st.sampled_from(["exception", "illegal", "timeout", "memory", "crash"]),
    round=st.integers(0, 8),
    decision=st.integers(0, 899),
    detail=st.text(st.characters(exclude_categories=["Cs"])),
    forfeit=st.booleans(),
)


@settings(deadline=None)
@given(
    st.lists(FAULTS, max_size=4),
    st.none() | st.binary(),
    st.booleans(),
    st.floats(0, 1e6),
    st.integers(0, 2**63 - 1),
    st.permutations(range(4)),
)
def test_every_game_is_read_back_as_it_was_written(
    faults: list[Fault],
    record: bytes | None,
    unfinished: bool,
    seconds: float,
    seed: int,
    order: list[int],
) -> None:
    seats = [fault.seat for fault in faults if fault.forfeit]
    assume(len(seats) == len(set(seats)))  # a seat is made passive once
    resolved = cup(players=3)
    crashes = tuple(fault for fault in faults if fault.kind in ("timeout", "memory", "crash"))
    spec = replace(next(specs(resolved)), seed=seed, lineup=tuple(order[:3]), crashes=crashes)
    game = replace(played(spec, *faults, unfinished=unfinished), record=record, seconds=seconds)
    with Database(memory=True) as db:
        migrations.apply(db)
        store = Store(db, Path("memory"))
        store.write(store.enter(resolved), [game])
        stored = store.game(spec.key)
        assert store.problems() == []
    lineup = tuple(stored.job.bots.index(resolved.bots[bot]) for bot in spec.lineup)
    assert stored.result == replace(game, spec=replace(spec, lineup=lineup))


def test_a_fault_s_words_that_are_no_text_are_stored_readably(path: Path) -> None:
    resolved = cup()
    fault = Fault(0, "exception", 1, 2, "ValueError: \ud800", forfeit=False)
    store_games(path, resolved, [played(next(specs(resolved)), fault)])
    with open_history(path) as history:
        assert [row.fault.detail for row in history.faults()] == [r"ValueError: \ud800"]


def test_strikes_and_forfeits_are_counted_by_seat(path: Path) -> None:
    resolved = cup()
    spec = next(specs(resolved))
    faults = [
        Fault(1, "illegal", 3, 5, "", forfeit=False),
        Fault(1, "exception", 3, 6, "", forfeit=False),
        Fault(2, "timeout", 3, 7, "", forfeit=True),
        Fault(1, "illegal", 4, 8, "", forfeit=True),
    ]
    store_games(path, resolved, [played(spec, *faults)])
    with open_history(path) as history:
        seats = history.db.execute("select strikes, forfeit from seats order by seat").fetchall()
    assert seats == [(0, 0), (3, 1), (0, 1)]


@pytest.mark.parametrize("again", [0, 3], ids=["of an earlier batch", "twice in one batch"])
def test_a_batch_with_a_game_that_is_there_already_is_left_out_entirely(path: Path, again: int) -> None:
    resolved = cup()
    games = cup_games(resolved)
    with open_store(path) as store:
        entry = store.enter(resolved)
        store.write(entry, games[:3])
        batch: list[GameResult | Void] = [games[3], Void(games[5].spec, "lost"), games[4], games[again]]
        with pytest.raises(
            StoreError, match=f"got {games[again].spec.key} again; its batch of 4 is left out$"
        ):
            store.write(entry, batch)
        assert store.played(game.spec.key for game in games) == {game.spec.key for game in games[:3]}
        assert store.pools()[0].voids == 0
        store.write(entry, games[3:])
        assert store.problems() == []


def limited(store: Store, _path: Path) -> None:
    (pages,) = store.db.execute("pragma page_count").fetchone()
    store.db.execute(f"pragma max_page_count = {pages}").fetchone()


def readonly(store: Store, _path: Path) -> None:
    store.db.execute("pragma query_only = on")


@pytest.mark.parametrize(
    ("spoil", "found"),
    [(limited, "database or disk is full"), (readonly, "attempt to write a readonly database")],
)
def test_a_write_that_fails_is_one_line_and_stores_nothing(
    path: Path, spoil: Callable[[Store, Path], None], found: str
) -> None:
    resolved = cup(blocks=100)
    with open_store(path) as store:
        entry = store.enter(resolved)
        spoil(store, path)
        with pytest.raises(StoreError, match=f"expected a database that can be written, got: {found}$"):
            store.write(entry, cup_games(resolved))
    with open_history(path) as history:
        assert list(history.games()) == []


def test_a_full_disk_in_the_middle_of_a_run_is_one_line_and_the_run_goes_on_later(path: Path) -> None:
    resolved = cup(blocks=200)
    games = cup_games(resolved)
    with open_store(path) as store:
        entry = store.enter(resolved)
        store.write(entry, games[:60])
        with (
            no_file_larger_than(Path(f"{path}-wal").stat().st_size + 5000),
            pytest.raises(
                StoreError, match=r"arena\.db: expected a database that can be written, got: [^\n]*$"
            ),
        ):
            store.write(entry, games[60:])
    with open_store(path) as store:
        assert store.problems() == []
        assert store.played(game.spec.key for game in games) == {game.spec.key for game in games[:60]}
        store.write(store.enter(resolved), games[60:])
        assert store.count_games() == 600


@pytest.mark.parametrize("spoil", ["truncated", "overwritten"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_a_spoilt_file_is_one_line_wherever_it_is_spoilt_and_is_never_made_worse(
    tmp_path_factory: pytest.TempPathFactory, sound: bytes, spoil: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(1, len(sound) - 1))
    length = data.draw(st.integers(1, 5000))
    path = tmp_path_factory.mktemp("spoilt") / "arena.db"
    junk = Random(place).randbytes(length)
    spoilt = (
        sound[:place]
        if spoil == "truncated"
        else (sound[:place] + junk + sound[place + length :])[: len(sound)]
    )
    path.write_bytes(spoilt)
    with suppress(StoreError), open_history(path) as history:
        for look in (history.problems, history.pools, history.faults, lambda: list(history.games())):
            with suppress(StoreError):
                look()
        for row in history.tournaments():
            with suppress(StoreError):
                history.resolved(row)
    assert path.read_bytes() == spoilt


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "arena.db"
    store_games(path, cup(blocks=20))
    return path.read_bytes()


def test_a_write_while_another_program_has_the_database_locked_is_one_line(path: Path) -> None:
    resolved = cup()
    with open_store(path) as store, closing(sqlite3.connect(path)) as other:
        entry = store.enter(resolved)
        store.db.execute("pragma busy_timeout = 0").fetchone()
        other.execute("begin immediate")
        with pytest.raises(StoreError, match=r"arena\.db: .* got: database is locked$"):
            store.write(entry, cup_games(resolved))
        other.rollback()
        store.write(entry, cup_games(resolved))
        assert store.pools()[0].games == 12


def test_a_void_game_is_counted_and_keeps_its_count_when_it_is_played_later(path: Path) -> None:
    resolved = cup()
    games = cup_games(resolved)
    with open_store(path) as store:
        entry = store.enter(resolved)
        store.write(entry, [games[0], Void(games[1].spec, "worker lost")])
        store.write(entry, [Void(games[1].spec, "node lost"), games[2]])
        assert store.played(game.spec.key for game in games) == {games[0].spec.key, games[2].spec.key}
        store.write(entry, [games[1]])
        assert store.pools()[0].voids == 2
        assert store.pools()[0].games == 3
        assert store.db.execute("select game, reason, count from voids").fetchall() == [
            (games[1].spec.key, "node lost", 2)
        ]


# Entering a tournament


def test_a_tournament_goes_on_under_its_fingerprint_and_its_other_settings_may_change(path: Path) -> None:
    with open_store(path) as store:
        first = store.enter(cup(blocks=4))
        assert store.enter(cup(blocks=40, records="none")) == first
        assert store.db.execute("select json_extract(config, '$.blocks') from tournaments").fetchall() == [
            (40,)
        ]


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (cup(seed=7), "seed: 1 -> 7"),
        (cup(players=[3, 4]), "players: [3] -> [3, 4]"),
        (cup(format="round-robin"), "format: balanced -> round-robin"),
        (cup(editions=(variant(victory={"max_rounds": 9}),)), "edition hasbro-us-2003: rules changed"),
        (cup(bots=(bot("ant", source_hash="f00"), *BOTS[1:])), "bot ant: source changed"),
        (cup(bots=(bot("ant", version="1.1"), *BOTS[1:])), "bot ant: version 1.0 -> 1.1"),
        (cup(bots=BOTS[:3]), "bot dog:bark=2: left out"),
        (cup(bots=(*BOTS, bot("eel"))), "bot eel: added"),
        (cup(bots=BOTS[::-1]), "the order of editions or bots"),
        (cup(bots=(*BOTS[:3], bot("dog"))), "bot dog:bark=2: left out; bot dog: added"),
        (cup(seed=2, format="gauntlet", challengers=["ant"]), "challengers: [] -> ['ant']"),
    ],
)
def test_a_tournament_changed_under_the_same_name_is_refused_with_the_difference(
    path: Path, changed: ResolvedTournament, difference: str
) -> None:
    with open_store(path) as store:
        store.enter(cup())
        before = list(store.db.conn.iterdump())
        with pytest.raises(ConfigError) as error:
            store.enter(changed)
        assert difference in str(error.value)
        assert str(error.value).startswith(f"{path}: expected tournament cup as it was begun here")
        assert list(store.db.conn.iterdump()) == before


def test_two_bots_of_one_name_are_compared_by_their_source() -> None:
    first, path = bot("ant", source_hash="1"), "/other/ant.py"
    old = cup(bots=(first, bot("ant", source_hash="2", path=path), *BOTS[1:]))
    new = cup(bots=(first, bot("ant", source_hash="3", path=path), *BOTS[1:]))
    assert differences(old.covered, new.covered) == ["bot ant: source changed"]


def test_a_tournament_under_a_new_name_goes_on_with_its_games_and_says_so(path: Path) -> None:
    with open_store(path) as store:
        store.write(store.enter(cup("cup")), cup_games(cup()))
        entry = store.enter(cup("league"))
        assert entry.warnings == (
            "tournament cup is the same under another name: from now on it is called league",
        )
        assert [(row.name, row.games) for row in store.tournaments()] == [("league", 12)]
        assert store.enter(cup("league")).warnings == ()


def test_a_bot_changed_under_its_old_version_is_a_warning_and_another_bot(path: Path) -> None:
    changed = bot("ant", source_hash="f00")
    with open_store(path) as store:
        first = store.enter(cup("one"))
        second = store.enter(cup("two", bots=(changed, *BOTS[1:])))
        again = store.enter(cup("one"))
    assert first.warnings == again.warnings == ()
    assert second.bots[0] != first.bots[0]
    assert second.bots[1:] == first.bots[1:]
    (warning,) = second.warnings
    assert warning.startswith("bot ant 1.0 has changed since 2")
    assert warning.endswith(": it is rated separately")


def test_a_bot_of_a_new_version_or_other_options_is_another_bot_without_a_warning(path: Path) -> None:
    others = (bot("ant", version="1.1", source_hash="f00"), bot("ant", options="legs=6"))
    with open_store(path) as store:
        first = store.enter(cup("one"))
        second = store.enter(cup("two", bots=(*others, *BOTS[1:])))
    assert second.warnings == ()
    assert not set(second.bots[:2]) & set(first.bots)


def test_the_path_of_a_bot_given_as_a_file_follows_the_file(path: Path) -> None:
    resolved = cup(bots=(bot("ant", path="/old/ant.py"), *BOTS[1:]))
    moved = cup(bots=(bot("ant", path="/new/ant.py"), *BOTS[1:]))
    with open_store(path) as store:
        store.write(store.enter(resolved), cup_games(resolved))
        store.enter(moved)
        spec = next(spec for spec in specs(resolved) if 0 in spec.lineup)
        assert "/new/ant.py" in {known.path for known in store.game(spec.key).job.bots}


def test_errors_of_the_store_are_errors_that_a_person_can_mend() -> None:
    assert issubclass(StoreError, ArenaError)
    assert StoreError.exit_code == 2
