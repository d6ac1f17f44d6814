"""Games played again: from their orders or with their bots, to the same end; and what `verify` finds."""

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tournaments import FAULTY, REGISTRY, HereExecutor, any_key, change, query, tournament

import arena
from arena.errors import ArenaError, ConfigError, PluginError
from arena.replay import (
    Verification,
    as_text,
    narrate,
    position_at,
    replay,
    replayed_result,
    steps,
    verify,
    verify_record,
)
from arena.risk.edition import Edition
from arena.risk.game import Game
from arena.rows import StoredGame
from arena.run import run
from arena.store import open_history

CALM = "import arena\n\nclass Calm(arena.Bot): ...\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve games with records and twelve without; in both a bot forfeits and some games are unfinished."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "faulty.py").write_text(FAULTY)
    (folder / "short.toml").write_text(
        'id = "short"\nname = "Short"\nextends = "house-four-shores"\n[victory]\nmax_rounds = 6\n'
    )
    for name, records in (("kept", "all"), ("bare", "none")):
        bots = ["greedy", "uniform", "faulty.py", "continental"]
        resolved = tournament(folder, name=name, records=records, bots=bots, edition="short.toml")
        run(resolved, folder / f"{name}.db", HereExecutor())
    return folder


@pytest.fixture
def kept(folder: Path, tmp_path: Path) -> Path:
    """A database of one's own, with records."""
    return Path(shutil.copy(folder / "kept.db", tmp_path / "arena.db"))


@pytest.fixture
def bare(folder: Path, tmp_path: Path) -> Path:
    """A database of one's own, without records."""
    return Path(shutil.copy(folder / "bare.db", tmp_path / "arena.db"))


def games_of(path: Path) -> list[StoredGame]:
    with open_history(path) as history:
        return [history.game(row.key) for row in history.games()]


def verified(path: Path, sample: int = 99) -> Verification:
    with open_history(path) as history:
        return verify(history, sample)


# --- playing again


def test_record_replays_to_the_stored_result(kept: Path) -> None:
    stored = games_of(kept)
    assert len(stored) == 12
    for game in stored:
        *_, last = replay(game)
        assert last.result == game.result.result
    assert {game.result.winner is None for game in stored} == {True, False}
    assert any(fault.forfeit for game in stored for fault in game.result.faults)


def test_game_without_a_record_is_played_again_with_its_bots(bare: Path) -> None:
    stored = games_of(bare)
    assert {game.result.record for game in stored} == {None}
    forfeited = next(game for game in stored if len(game.result.faults) == 3)
    assert replayed_result(forfeited) == forfeited.result.result


def test_game_without_a_record_whose_bot_was_stopped_ends_as_it_did(tmp_path: Path) -> None:
    (tmp_path / "hungry.py").write_text(FAULTY.replace("1 / (view.round < 3)", "bytes(1 << 60)"))
    resolved = tournament(tmp_path, bots=["greedy", "hungry.py", "uniform"], records="none", blocks=1)
    run(resolved, tmp_path / "arena.db", HereExecutor())
    assert query(tmp_path / "arena.db", "select distinct kind from faults") == [("memory",)]
    found = verified(tmp_path / "arena.db", 3)
    assert (found.same, found.skipped, found.problems) == (3, [], [])


def test_game_without_a_record_of_a_changed_bot_cannot_be_played_again(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CALM)
    resolved = tournament(tmp_path, bots=["greedy", "mine.py", "uniform"], records="none", blocks=1)
    run(resolved, tmp_path / "arena.db", HereExecutor())
    (tmp_path / "mine.py").write_text("# changed\n" + CALM)
    with pytest.raises(PluginError, match="bot mine: its source has changed"):
        replayed_result(games_of(tmp_path / "arena.db")[0])


def test_battles_of_a_game_come_to_all_its_rolls_and_to_what_the_board_shows(kept: Path) -> None:
    for game in games_of(kept):
        before = [(list(now.owners), list(now.troops)) for now in map(Game.copy, replay(game))]
        told = list(steps(game))
        battles = [step.battle for step in told if step.battle]
        assert sum(battle.rolls for battle in battles) == game.result.result.rolls
        assert all(battle.rolls <= battle.lost + battle.killed <= 2 * battle.rolls for battle in battles)
        for step, (owners, troops), (owners_then, troops_then) in zip(told, before, before[1:], strict=False):
            if step.battle is not None:
                assert sum(troops) - sum(troops_then) == step.battle.lost + step.battle.killed
                assert step.battle.captured == (owners != owners_then)


def test_game_is_told_order_by_order(kept: Path) -> None:
    for game in games_of(kept):
        *orders, end = narrate(game)
        assert [line.partition(".")[0] for line in orders] == [str(i) for i in range(len(orders))]
        assert orders[0].split(": ")[1].startswith("claim ")
        leaving = [line for line in orders if line.endswith(": leaves")]
        assert len(leaving) == sum(fault.forfeit for fault in game.result.faults)
        winner = game.result.winner
        if winner is None:
            assert end == "unfinished after round 6"
        else:
            bot = game.job.bots[game.result.spec.lineup[winner]]
            rounds = game.result.result.rounds
            assert end == f"seat {winner} ({bot.name} {bot.version}) wins in round {rounds}"


def test_position_after_any_number_of_orders_is_one_that_a_game_goes_on_from(kept: Path) -> None:
    stored = games_of(kept)[0]
    *_, last = replay(stored)
    for orders in (0, 20, len(last.history) - 1):
        game = position_at(stored, orders)
        assert len(game.history) == orders
        position = json.loads(json.dumps(game.to_position()))
        rules = Edition.model_validate_json(stored.job.editions[stored.result.spec.edition])
        again = arena.load_position(position, edition=rules)
        assert (again.seat, again.decision, again.owners) == (game.seat, game.decision, game.owners)


def test_position_after_the_end_is_refused(kept: Path) -> None:
    stored = games_of(kept)[0]
    *_, last = replay(stored)
    orders = len(last.history)
    assert position_at(stored, orders).result == stored.result.result
    with pytest.raises(ConfigError, match=f"expected at most {orders} orders, got {orders + 1}"):
        position_at(stored, orders + 1)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A record as text, of a game with a registered edition."""
    folder = tmp_path_factory.mktemp("text")
    run(tournament(folder, blocks=1), folder / "arena.db", HereExecutor())
    return "\n".join(as_text(games_of(folder / "arena.db")[0])) + "\n"


def test_record_as_text_plays_to_the_same_end_without_the_bots(text: str, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(text)
    orders = verify_record(path, REGISTRY)
    assert [step.line for step in orders] == text.partition("\n\n")[2].splitlines()
    assert sum(step.battle.rolls for step in orders if step.battle) > 0


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("digest ", "digest 0", "expected digest 0"),
        ("edition house-four-shores", "edition house-five-shores", "unknown edition 'house-five-shores'"),
        (
            "edition house-four-shores ",
            "edition house-four-shores 0",
            "expected edition house-four-shores of rules 0",
        ),
        ("\n3. r0 s", "\n3. r0 s1", "order 3: expected seat"),
        ("seed ", "seed 1", "expected"),
    ],
)
def test_changed_record_as_text_is_one_clear_line(
    text: str, tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    path = tmp_path / "game.txt"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ArenaError) as caught:
        verify_record(path, REGISTRY)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_file_that_is_no_text_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    for make in (lambda: None, lambda: path.write_bytes(b"\xff\xfe"), lambda: path.write_text("hello")):
        make()
        with pytest.raises(ConfigError, match=r"^[^\n]*game\.txt: [^\n]+$"):
            verify_record(path, REGISTRY)


# --- verify


def test_sound_database_agrees_in_every_game(kept: Path) -> None:
    found = verified(kept)
    assert (found.sampled, found.same, found.skipped, found.problems) == (12, 12, [], [])


@pytest.mark.parametrize("sample", [0, 5])
def test_only_a_sample_is_played_again(kept: Path, sample: int) -> None:
    found = verified(kept, sample)
    assert (found.sampled, found.same) == (sample, sample)


def test_games_without_records_are_played_again_with_the_bots(bare: Path) -> None:
    found = verified(bare, 2)
    assert (found.sampled, found.same, found.skipped, found.problems) == (2, 2, [], [])


def test_games_without_records_of_changed_bots_are_skipped_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CALM)
    for name, records in (("kept", "all"), ("bare", "none")):
        bots = ["greedy", "mine.py", "uniform"]
        seed = len(records)  # another tournament, not this one under another name
        resolved = tournament(tmp_path, name=name, bots=bots, records=records, blocks=1, seed=seed)
        run(resolved, tmp_path / "arena.db", HereExecutor())
    (tmp_path / "mine.py").write_text("# changed\n" + CALM)
    found = verified(tmp_path / "arena.db")
    assert (found.sampled, found.same, found.problems) == (18, 9, [])
    assert len(found.skipped) == 9
    assert all("bot mine: its source has changed" in line for line in found.skipped)


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        (
            "update games set winner_seat = null, status = 'unfinished' where key = ?",
            "expected winner None",
        ),
        ("update games set rounds = rounds + 1 where key = ?", "expected rounds "),
        ("update games set rolls = rolls + 1 where key = ?", "expected rolls "),
        ("update games set decisions = decisions + 1 where key = ?", "expected decisions "),
        ("update seats set finish = 7 - finish where seat = 1 and game = ?", "finish"),
        ("update seats set troops = troops + 1 where seat = 1 and game = ?", "expected troops "),
        ("update seats set territories = 77 where seat = 1 and game = ?", "expected territories "),
        ("update seats set eliminated_round = 99 where seat = 1 and game = ?", "expected eliminated_round "),
        ("update seats set strikes = 9 where seat = 1 and game = ?", "got 9 strikes"),
        ("update seats set forfeit = 1 - forfeit where seat = 1 and game = ?", "forfeits"),
    ],
)
def test_any_changed_figure_of_a_result_is_found(kept: Path, sql: str, complaint: str) -> None:
    key = any_key(kept, "status = 'finished'")
    change(kept, sql, key)
    found = verified(kept)
    assert found.problems
    assert all(line.startswith(f"game {key}: ") for line in found.problems)
    assert complaint in found.problems[0]


def dropped(orders: list[Any]) -> list[Any]:
    return orders[:-1]


def appended(orders: list[Any]) -> list[Any]:
    return [*orders, None]


def swapped(orders: list[Any]) -> list[Any]:
    return [orders[1], orders[0], *orders[2:]]


def repeated(orders: list[Any]) -> list[Any]:
    return [orders[0], *orders]


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (dropped, "expected an end, got none"),
        (appended, "the game is over"),
        (swapped, "record: order "),
        (repeated, "record: order 1: claim: "),
    ],
)
def test_changed_orders_of_a_record_are_found(
    kept: Path, edit: Callable[[list[Any]], list[Any]], complaint: str
) -> None:
    key = any_key(kept)
    ((packed,),) = query(kept, f"select record from games where key = '{key}'")
    asks_defend, orders = json.loads(zlib.decompress(packed))
    packed = zlib.compress(json.dumps([asks_defend, edit(orders)]).encode())
    change(kept, "update games set record = ? where key = ?", packed, key)
    found = verified(kept)
    assert found.same == 11
    (problem,) = found.problems
    assert problem.startswith(f"game {key}: ")
    assert complaint in problem
    assert "\n" not in problem


def packed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value).encode())


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"not packed",
        zlib.compress(b"no JSON"),
        zlib.compress(b"\xff"),
        packed(None),
        packed([1, 2, 3]),
        packed([[], None]),
        packed([5, []]),
        packed([[["x"]], []]),
        packed([[], {"a": 1}]),
        packed([[], [["leave"]]]),
        packed([[], [["leave", "x"]]]),
        packed([[], [["leave", 9]]]),
        packed([[], [[[[]]]]]),
        packed([[], []]),
    ],
)
def test_record_that_is_none_is_found(kept: Path, record: object) -> None:
    key = any_key(kept)
    change(kept, "update games set record = ? where key = ?", record, key)
    found = verified(kept)
    assert found.same == 11
    (problem,) = found.problems
    assert problem.startswith(f"game {key}: ")
    assert "\n" not in problem


def test_changed_digest_is_found(kept: Path) -> None:
    key = any_key(kept)
    ((digest,),) = query(kept, f"select digest from games where key = '{key}'")
    change(kept, "update games set digest = 'beef' where key = ?", key)
    assert verified(kept).problems == [f"game {key}: expected digest beef, got {digest}"]


def test_changed_seed_is_found(kept: Path) -> None:
    change(kept, "update games set seed = seed + 1 where key = ?", key := any_key(kept))
    problem, end = verified(kept).problems
    assert problem.startswith(f"game {key}: expected the seed ")
    assert end.startswith(f"game {key}: ")


def test_game_of_other_bots_than_its_schedule_has_is_found(kept: Path) -> None:
    key = any_key(kept)
    seats = query(
        kept, f"select name, version from seats join bots on id = bot where game = '{key}' order by seat"
    )
    planned = [f"{name} {version}" for name, version in seats]
    found = [planned[1], planned[0], planned[2]]
    bots = dict(query(kept, f"select seat, bot from seats where game = '{key}'"))
    for seat in (0, 1):
        change(kept, "update seats set bot = ? where game = ? and seat = ?", bots[1 - seat], key, seat)
    assert verified(kept).problems == [
        f"game {key}: expected the line-up {', '.join(planned)} of its place in the schedule,"
        f" got {', '.join(found)}"
    ]


@pytest.mark.parametrize("change_of_place", ["rotation = 7", "players = 4"])
def test_game_that_its_schedule_has_not_is_found(kept: Path, change_of_place: str) -> None:
    key = any_key(kept)
    change(kept, f"update games set {change_of_place} where key = ?", key)
    line = "expected 4 seats, got 3" if "players" in change_of_place else "expected a place in the schedule"
    assert verified(kept).problems[0].startswith(f"game {key}: {line}")


def test_changed_key_is_found(kept: Path) -> None:
    key = any_key(kept, "key in (select game from faults)")
    for table, column in (("games", "key"), ("seats", "game"), ("faults", "game")):
        change(kept, f"update {table} set {column} = 'abc' where {column} = ?", key)
    found = verified(kept)
    assert found.problems == [f"game abc: expected the key {key} of its place in the schedule"]
    assert found.same == 12


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("delete from seats where game = :key and seat = 1", "game {key}: expected 3 seats, got 2"),
        ("update seats set turn = 3 - turn where game = :key and turn = 1", "expected its turn counted"),
        (
            "update seats set finish = 4 where game = :key and finish = 1",
            "expected a winner that finished first",
        ),
        ("delete from bots where bot_id = 'faulty'", "expected the id of a row of bots, got "),
        ("delete from editions", "games.edition where key = '{key}': expected the fingerprint of a row of "),
        ("delete from tournaments", "games.tournament where key = '{key}': expected the id of a row of "),
        (
            "delete from games where key = :key",
            "seats.game where game = '{key}' and seat = 2: expected the key of a row of games, got '{key}'",
        ),
    ],
)
def test_what_does_not_fit_together_is_found_before_games_are_played_again(
    kept: Path, sql: str, complaint: str
) -> None:
    key = any_key(kept, "status = 'finished'")
    change(kept, sql, key=key)
    found = verified(kept)
    assert found.sampled == 0
    assert any(complaint.format(key=key) in problem for problem in found.problems)


def test_changed_rules_are_found(kept: Path) -> None:
    ((rules,),) = query(kept, "select rules from editions")
    table = json.loads(rules)
    table["reinforcement"]["minimum"] = 9
    change(kept, "update editions set rules = ?", json.dumps(table))
    problem, *problems = verified(kept).problems
    assert problem.startswith("tournament kept: expected the fingerprint ")
    assert len(problems) == 12
    table["reinforcement"]["minimum"] = -9
    change(kept, "update editions set rules = ?", json.dumps(table))
    problem, *problems = verified(kept).problems
    assert "editions.rules where fingerprint = " in problem
    assert problem.endswith(": reinforcement.minimum: expected at least 0, got -9")
    assert len(problems) == 12
    assert all("editions.rules of short: reinforcement.minimum: expected " in line for line in problems)


def test_damaged_file_is_a_problem_or_one_clear_line(kept: Path) -> None:
    data = bytearray(kept.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    for page in range(4, len(data) // size, 3):
        data[page * size : page * size + 100] = bytes(100)
    kept.write_bytes(data)
    try:
        assert verified(kept).problems
    except ArenaError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either will do


def test_empty_database_is_sound(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tournament(tmp_path), tmp_path / "arena.db", Impatient())
    found = verified(tmp_path / "arena.db")
    assert (found.sampled, found.same, found.problems) == (0, 0, [])


class Impatient(HereExecutor):
    def play(self, *_: object) -> Any:
        raise KeyboardInterrupt
