"""Standings: every number agrees with the rows of the database, and games of different rules never mix."""

import json
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from storing import BOTS
from tournaments import FAULTY, HereExecutor, query, tournament

from arena.errors import StoreError
from arena.history import History
from arena.rows import BotTotal, PlayedPool
from arena.run import run
from arena.standings import Standings, standings
from arena.stats import rate, wilson
from arena.store import open_history

SHORT = 'id = "short"\nname = "Short"\nextends = "house-four-shores"\n[victory]\nmax_rounds = {rounds}\n'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`first` has two editions and two table sizes; `second` shares one of these pools with it."""
    folder = tmp_path_factory.mktemp("standings")
    path = folder / "arena.db"
    (folder / "faulty.py").write_text(FAULTY)
    (folder / "short.toml").write_text(SHORT.format(rounds=6))
    bots = ["greedy", "uniform", "faulty.py", "continental"]
    first = tournament(
        folder, name="first", bots=bots, edition=["house-four-shores", "short.toml"], players=[3, 2], blocks=8
    )
    second = tournament(folder, name="second", bots=bots[:3], seed=8)
    for resolved in (first, second):
        run(resolved, path, HereExecutor(50))
    return path


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    with open_history(path) as history:
        yield history


def tables(history: History, tournament: str | None = None, **options: Any) -> list[dict[str, Any]]:
    """The standings as data that JSON holds without NaN."""
    pools = [pool.to_json() for pool in standings(history, tournament, **options)]
    text = json.dumps(pools, allow_nan=False)
    loaded: list[dict[str, Any]] = json.loads(text)
    return loaded


def where(table: dict[str, Any]) -> str:
    """The rows of a pool, as a condition on the tables below."""
    condition = f"edition_id = '{table['edition']}' and players = {table['players']}"
    return condition + (f" and t.name = '{table['tournament']}'" if table["tournament"] else "")


GAMES = "games g join editions e on e.fingerprint = edition join tournaments t on t.id = tournament"
SEATS = f"{GAMES} join seats s on s.game = key join bots b on b.id = s.bot"


def test_every_pool_of_every_tournament_is_listed_by_itself(history: History) -> None:
    found = [
        (table["tournament"], table["edition"], table["players"], table["games"]) for table in tables(history)
    ]
    assert found == [
        ("first", "house-four-shores", 2, 24),
        ("first", "house-four-shores", 3, 24),
        ("first", "short", 2, 24),
        ("first", "short", 3, 24),
        ("second", "house-four-shores", 3, 18),
    ]


@pytest.mark.parametrize("merge", [False, True])
def test_counts_of_a_pool_agree_with_its_rows(path: Path, history: History, merge: bool) -> None:
    for table in tables(history, merge=merge):
        games = query(path, f"select status, rounds from {GAMES} where {where(table)}")
        assert table["games"] == len(games)
        assert table["unfinished"] == sum(status == "unfinished" for status, _ in games)
        rounds = statistics.quantiles([length for _, length in games], method="inclusive")
        assert [table["rounds"][name] for name in ("q1", "median", "q3")] == rounds
    assert sum(table["unfinished"] for table in tables(history, merge=merge)) > 0


@pytest.mark.parametrize("merge", [False, True])
def test_counts_of_bots_agree_with_their_seats(path: Path, history: History, merge: bool) -> None:
    sql = f"""
        select b.name, count(*), sum(finish is 1), sum(status = 'unfinished'), sum(forfeit)
        from {SEATS} where {{where}} group by b.name"""
    for table in tables(history, merge=merge):
        counts = {name: tuple(numbers) for name, *numbers in query(path, sql.format(where=where(table)))}
        shown = {
            bot["bot"]: (bot["games"], bot["wins"], bot["unfinished"], bot["forfeits"])
            for bot in table["bots"]
        }
        assert shown == counts
        assert all(bot["win_rate"] == bot["wins"] / bot["games"] for bot in table["bots"])
        assert sum(bot["wins"] for bot in table["bots"]) == table["games"] - table["unfinished"]
    assert any(bot["forfeits"] > 0 for table in tables(history) for bot in table["bots"])


def test_counts_of_turn_positions_agree_with_their_seats(path: Path, history: History) -> None:
    sql = f"select turn, sum(finish is 1), count(*) from {SEATS} where {{where}} group by turn order by turn"
    for table in tables(history):
        shown = [(seat["turn"], seat["wins"], seat["games"]) for seat in table["seats"]]
        assert shown == query(path, sql.format(where=where(table)))
        assert [(seat["low"], seat["high"]) for seat in table["seats"]] == [wilson(*row[1:]) for row in shown]


@pytest.mark.parametrize("merge", [False, True])
def test_ratings_are_those_of_the_games(path: Path, history: History, merge: bool) -> None:
    sql = f"select key, seed, turn, b.name, finish is 1 from {SEATS} where {{where}} order by key, turn"
    for table in tables(history, merge=merge):
        games: dict[tuple[str, int], list[tuple[str, bool]]] = {}
        for key, seed, _, bot, won in query(path, sql.format(where=where(table))):
            games.setdefault((key, seed), []).append((bot, bool(won)))
        lineups = [[bot for bot, _ in seats] for seats in games.values()]
        winners = [next((i for i, (_, won) in enumerate(seats) if won), None) for seats in games.values()]
        ratings = rate(lineups, winners, [seed for _, seed in games])
        for bot in table["bots"]:
            assert bot["elo"] == pytest.approx(ratings.elo[bot["bot"]])
            assert bot["error"] == pytest.approx(ratings.error[bot["bot"]])
        assert [seat["elo"] for seat in table["seats"]] == pytest.approx(ratings.seats)


def test_bots_are_ranked_by_their_rating_within_its_interval(history: History) -> None:
    for table in tables(history):
        assert [bot["rank"] for bot in table["bots"]] == list(range(1, len(table["bots"]) + 1))
        ratings = [bot["elo"] for bot in table["bots"]]
        assert ratings == sorted(ratings, reverse=True)
        for bot in table["bots"]:
            assert (bot["error"] is None) == (None in (bot["low"], bot["high"]))
            if bot["error"] is not None:
                assert bot["low"] < bot["elo"] < bot["high"]
                assert bot["error"] == pytest.approx((bot["high"] - bot["low"]) / 2)


def test_likelihood_over_the_next_is_there_for_all_but_the_last(tmp_path: Path) -> None:
    resolved = tournament(tmp_path, bots=["uniform", "turtle", "greedy"], blocks=30)
    run(resolved, tmp_path / "arena.db", HereExecutor(50))
    with open_history(tmp_path / "arena.db") as history:
        (table,) = tables(history)
    *others, last = (bot["los_next"] for bot in table["bots"])
    assert last is None
    assert all(0.5 <= los <= 1 for los in others)
    assert table["connected"] is True


def test_one_tournament_can_be_asked_for(history: History) -> None:
    assert {table["tournament"] for table in tables(history, "second")} == {"second"}
    assert tables(history, "first") + tables(history, "second") == tables(history)


def test_unknown_tournament_is_named_with_the_known_ones(history: History) -> None:
    with pytest.raises(
        StoreError, match=r"expected a tournament that was run here, got 'third': known are first, second"
    ):
        standings(history, "third")


def test_merging_adds_up_equal_pools_and_no_others(history: History) -> None:
    merged = [(t["tournament"], t["edition"], t["players"], t["games"]) for t in tables(history, merge=True)]
    assert sorted(merged, key=str) == [
        (None, "house-four-shores", 2, 24),
        (None, "house-four-shores", 3, 24 + 18),
        (None, "short", 2, 24),
        (None, "short", 3, 24),
    ]


def test_changed_bot_is_rated_apart_in_a_merged_pool(tmp_path: Path) -> None:
    bots = ["greedy", "faulty.py", "uniform"]
    for name, source in (("before", FAULTY), ("after", "# calmer\n" + FAULTY)):
        (tmp_path / "faulty.py").write_text(source)
        run(tournament(tmp_path, name=name, bots=bots), tmp_path / "arena.db", HereExecutor())
    with open_history(tmp_path / "arena.db") as history:
        (table,) = tables(history, merge=True)
    names = sorted(bot["bot"] for bot in table["bots"])
    assert [name.partition("#")[0] for name in names] == ["faulty@0", "faulty@0", "greedy", "uniform"]
    assert {bot["bot"]: bot["games"] for bot in table["bots"]} == dict(
        zip(names, (18, 18, 36, 36), strict=True)
    )


class Interrupted(HereExecutor):
    def play(self, *_: object) -> Any:
        raise KeyboardInterrupt


def test_database_without_games_has_no_pools(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tournament(tmp_path), tmp_path / "arena.db", Interrupted())
    with open_history(tmp_path / "arena.db") as history:
        assert tables(history) == tables(history, "cup") == tables(history, merge=True) == []


def test_pool_of_unfinished_games_knows_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(SHORT.format(rounds=1))
    run(tournament(tmp_path, edition="short.toml"), tmp_path / "arena.db", HereExecutor())
    with open_history(tmp_path / "arena.db") as history:
        (table,) = tables(history)
    assert table["games"] == table["unfinished"] == 12
    assert table["connected"] is False
    for bot in table["bots"]:
        assert (bot["elo"], bot["error"], bot["los_next"]) == (1500, None, None)
        assert (bot["low"], bot["high"], bot["win_rate"]) == (None, None, 0)
    assert [seat["error"] for seat in table["seats"]] == [None] * 3


def pool_of(finished: dict[int, int], unfinished: dict[int, int]) -> PlayedPool:
    rounds = dict(sorted((Counter(finished) + Counter(unfinished)).items()))
    games, late = sum(rounds.values()), sum(unfinished.values())
    return PlayedPool("cup", "f", "e", 3, games, late, 0, rounds, unfinished)


@pytest.mark.parametrize(
    ("finished", "unfinished", "quartiles", "censored"),
    [
        ({4: 1, 6: 1, 8: 1, 10: 1, 12: 1}, {}, (6, 8, 10), []),
        ({4: 3, 6: 3}, {20: 1}, (4, 6, 6), []),
        ({4: 3, 6: 2}, {20: 2}, (4, 6, 13), ["q3"]),  # between 6 and something beyond 20
        ({4: 1, 6: 1}, {20: 3}, (6, 20, 20), ["median", "q3"]),
        ({}, {20: 5}, (20, 20, 20), ["q1", "median", "q3"]),
        ({4: 2, 9: 3}, {5: 1, 20: 1}, (4.5, 9, 9), ["q1", "q3"]),  # one ended early for another reason
    ],
)
def test_unfinished_games_are_censored_not_dropped(
    finished: dict[int, int], unfinished: dict[int, int], quartiles: tuple[float, ...], censored: list[str]
) -> None:
    pool = pool_of(finished, unfinished)
    assert pool.quartiles() == quartiles
    assert pool.censored == censored


def test_bots_whose_games_end_unfinished_more_often_than_chance_are_stalling() -> None:
    identity = BOTS[0]
    totals = [
        BotTotal("staller", identity, games=100, wins=0, unfinished=40, forfeits=0, strikes=0),
        BotTotal("unlucky", identity, games=100, wins=9, unfinished=25, forfeits=0, strikes=0),
    ]
    standings = Standings(pool_of({5: 80}, {20: 20}), rate([], []), totals, [], 0)
    assert wilson(40, 100)[0] > 0.2 > wilson(25, 100)[0]
    assert [total.label for total in standings.stalling] == ["staller"]
    first, second = standings.to_json()["bots"]
    assert (first["stalling"], second["stalling"]) == (True, False)
    assert (first["unfinished_low"], first["unfinished_high"]) == wilson(40, 100)


def test_bot_among_its_own_copies_counts_every_seat(tmp_path: Path) -> None:
    resolved = tournament(tmp_path, bots=["greedy"], copies=True, blocks=20)
    run(resolved, tmp_path / "arena.db", HereExecutor(50))
    with open_history(tmp_path / "arena.db") as history:
        (table,) = tables(history)
    (bot,) = table["bots"]
    assert (table["games"], bot["games"]) == (60, 180)
    assert bot["wins"] == 60 - table["unfinished"]
    assert (bot["elo"], bot["rank"], bot["los_next"]) == (1500, 1, None)
    assert sum(seat["wins"] for seat in table["seats"]) == bot["wins"]


def test_bot_that_lost_everything_has_no_lower_end(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "import arena\n\nclass Faulty(arena.Bot):\n    def start(self, _): 1 / 0\n"
    )
    resolved = tournament(tmp_path, bots=["greedy", "greedy:margin=3", "faulty.py"], blocks=30)
    run(resolved, tmp_path / "arena.db", HereExecutor(50))
    with open_history(tmp_path / "arena.db") as history:
        (table,) = tables(history)
    last = table["bots"][-1]
    assert (last["bot"], last["wins"], last["forfeits"]) == ("faulty", 0, last["games"])
    assert last["low"] is None
    assert last["high"] > last["elo"]
    assert table["connected"] is False
