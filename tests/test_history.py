import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from positions import variant
from storing import BOTS, bot, cup, cup_games
from tournaments import change

from arena import stats
from arena.config import Fault, GameResult, ResolvedTournament, Void
from arena.errors import StoreError
from arena.history import History
from arena.plugins import labels
from arena.rows import PlayedPool
from arena.schedule import specs
from arena.store import open_history, open_store

TOURNAMENTS = (cup("cup", blocks=8), cup("league", seed=2, players=[3, 4]))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tournaments of one pool, `league` in two pools."""
    path = tmp_path_factory.mktemp("history") / "arena.db"
    with open_store(path) as store:
        for resolved in TOURNAMENTS:
            store.write(store.enter(resolved), cup_games(resolved))
        doomed = next(specs(TOURNAMENTS[0]))
        store.write(store.enter(TOURNAMENTS[0]), [Void(doomed, "lost"), Void(doomed, "lost again")])
    return path


@pytest.fixture
def history(path: Path) -> Iterator[History]:
    with open_history(path) as history:
        yield history


def games_of(resolved: ResolvedTournament, players: int) -> list[GameResult]:
    return [game for game in cup_games(resolved) if game.spec.players == players]


def pool_of(history: History, tournament: str, players: int = 3) -> PlayedPool:
    return next(pool for pool in history.pools(tournament) if pool.players == players)


def lineup_of(game: GameResult, resolved: ResolvedTournament) -> tuple[str, ...]:
    """The names in turn order."""
    names = [resolved.bots[bot].name for bot in game.spec.lineup]
    starter = game.result.starter
    return tuple(names[starter:] + names[:starter])


def winner_turn(game: GameResult) -> int | None:
    return None if game.winner is None else (game.winner - game.result.starter) % game.spec.players


def test_played_picks_the_stored_ones_of_more_keys_than_a_query_has_places_for(history: History) -> None:
    keys = [game.spec.key for game in cup_games(TOURNAMENTS[0])]
    strangers = [f"{i:020x}" for i in range(40_000)]
    assert history.played(strangers + keys) == set(keys)
    assert history.played([]) == set()


def test_pools_are_listed_by_tournament_and_table_size(history: History) -> None:
    assert [(pool.tournament, pool.edition_id, pool.players, pool.games) for pool in history.pools()] == [
        ("cup", "hasbro-us-2003", 3, 24),
        ("league", "hasbro-us-2003", 3, 12),
        ("league", "hasbro-us-2003", 4, 16),
    ]
    assert history.pools("league") == history.pools()[1:]


def test_a_pool_counts_its_unfinished_and_void_games_and_its_rounds(history: History) -> None:
    pool = pool_of(history, "cup")
    games = games_of(TOURNAMENTS[0], 3)
    assert pool.unfinished == sum(game.winner is None for game in games) > 0
    assert pool.voids == 2
    assert pool_of(history, "league").voids == 0
    lengths = sorted(game.result.rounds for game in games)
    assert list(pool.rounds.items()) == sorted(Counter(lengths).items())
    assert pool.quartiles() == tuple(statistics.quantiles(lengths, method="inclusive"))


def test_the_quartiles_of_one_game_are_its_rounds() -> None:
    assert PlayedPool("cup", "f", "e", 3, 1, 0, 0, {7: 1}, {}).quartiles() == (7, 7, 7)


def test_equal_pools_of_several_tournaments_merge_into_one(history: History) -> None:
    merged = history.pools(merge=True)
    assert [(pool.tournament, pool.players, pool.games, pool.voids) for pool in merged] == [
        (None, 3, 36, 2),
        (None, 4, 16, 0),
    ]
    assert sum(merged[0].rounds.values()) == 36
    one, other, both = (
        list(zip(*history.outcomes(pool), strict=True))
        for pool in (pool_of(history, "cup"), pool_of(history, "league"), merged[0])
    )
    assert both == one + other
    assert sum(total.games for total in history.bot_totals(merged[0])) == 36 * 3


def test_different_rules_or_table_sizes_never_merge(tmp_path: Path) -> None:
    house = variant(victory={"max_rounds": 9})
    with open_store(tmp_path / "arena.db") as store:
        for resolved in (cup("plain"), cup("house", editions=(house,))):
            store.write(store.enter(resolved), cup_games(resolved))
        assert [pool.games for pool in store.pools(merge=True)] == [12, 12]


def test_outcomes_give_line_ups_in_turn_order_with_the_winner_s_place_and_the_block(history: History) -> None:
    for players in (3, 4):
        outcomes = history.outcomes(pool_of(history, "league", players))
        expected = [
            (lineup_of(game, TOURNAMENTS[1]), winner_turn(game), game.spec.seed)
            for game in sorted(games_of(TOURNAMENTS[1], players), key=lambda game: game.spec.key)
        ]
        assert list(zip(*outcomes, strict=True)) == expected


def test_outcomes_do_not_depend_on_the_order_in_which_games_were_stored(
    history: History, tmp_path: Path
) -> None:
    resolved = TOURNAMENTS[0]
    with open_store(tmp_path / "arena.db") as store:
        entry = store.enter(resolved)
        for game in reversed(cup_games(resolved)):
            store.write(entry, [game])
        assert store.outcomes(store.pools()[0]) == history.outcomes(pool_of(history, "cup"))


def test_outcomes_are_what_ratings_are_made_of(history: History) -> None:
    ratings = stats.rate(*history.outcomes(pool_of(history, "cup")))
    assert sorted(ratings.elo) == ["ant", "bee", "cat", "dog:bark=2"]


def test_the_totals_of_bots_count_their_seats_wins_and_unfinished_games(history: History) -> None:
    games = games_of(TOURNAMENTS[0], 3)
    totals = history.bot_totals(pool_of(history, "cup"))
    assert [total.label for total in totals] == ["ant", "bee", "cat", "dog:bark=2"]
    for i, total in enumerate(totals):
        mine = [game for game in games if i in game.spec.lineup]
        assert total.identity == BOTS[i]
        assert total.games == len(mine)
        assert total.wins == sum(game.winner == game.spec.lineup.index(i) for game in mine)
        assert total.unfinished == sum(game.winner is None for game in mine)
        assert total.forfeits == 0


def test_the_totals_of_turn_positions_count_from_the_starter(history: History) -> None:
    games = games_of(TOURNAMENTS[1], 4)
    totals = history.turn_totals(pool_of(history, "league", 4))
    assert [total.turn for total in totals] == [0, 1, 2, 3]
    wins = Counter(winner_turn(game) for game in games)
    assert [total.wins for total in totals] == [wins[turn] for turn in range(4)]
    assert {(total.games, total.unfinished) for total in totals} == {(16, wins[None])}


def test_the_views_for_people_show_the_same_totals(history: History) -> None:
    columns = "sum(games), sum(wins), sum(unfinished), sum(forfeits)"
    for pool in history.pools():
        where = "where tournament_name = ? and edition_id = ? and players = ?"
        place = [pool.tournament, pool.edition_id, pool.players]
        bots = history.db.execute(f"select bot_name, {columns} from bot_totals {where} group by 1", place)
        assert sorted(bots) == [
            (total.label, total.games, total.wins, total.unfinished, total.forfeits)
            for total in history.bot_totals(pool)
        ]
        turns = history.db.execute(f"select turn, {columns} from turn_totals {where} group by 1", place)
        assert sorted(turns) == [astuple(total) for total in history.turn_totals(pool)]


def test_games_are_listed_in_the_order_of_the_schedule_with_their_winner(history: History) -> None:
    rows = list(history.games("league"))
    games = {game.spec.key: game for game in cup_games(TOURNAMENTS[1])}
    assert [row.key for row in rows] == [spec.key for spec in specs(TOURNAMENTS[1])]
    for row in rows:
        game = games[row.key]
        winner = None if game.winner is None else TOURNAMENTS[1].bots[game.spec.lineup[game.winner]].name
        assert (row.winner, row.winner_seat, row.digest) == (winner, game.winner, game.digest)
        assert row.status == ("unfinished" if winner is None else "finished")
    assert len(list(history.games())) == 24 + 28


def test_a_tournament_that_was_not_run_here_is_named_with_those_that_were(history: History) -> None:
    for ask in (lambda: history.pools("quick"), lambda: list(history.games("quick"))):
        with pytest.raises(
            StoreError, match=r"expected a tournament that was run here, got 'quick': known are cup, league$"
        ):
            ask()


def test_a_game_is_found_by_the_beginning_of_its_key(history: History) -> None:
    keys = [game.key for game in history.games()]
    assert all(history.find(key) == key for key in keys)
    alone = next(key for key in keys if sum(other.startswith(key[:4]) for other in keys) == 1)
    assert history.find(alone[:4]) == alone


def test_the_beginning_of_no_key_or_of_several_is_refused(history: History) -> None:
    with pytest.raises(StoreError, match=r"expected one game whose key begins with '%', got none$"):
        history.find("%")
    first, second = sorted(game.key for game in history.games())[:2]
    with pytest.raises(StoreError, match=rf"begins with '', got several \({first}, {second}, …\)$"):
        history.find("")


def test_a_key_that_is_no_game_s_is_refused(history: History) -> None:
    with pytest.raises(StoreError, match=r"expected the key of a game, got 'abc'$"):
        history.game("abc")


def test_faults_are_listed_with_bot_and_cause_and_forfeits_are_counted(tmp_path: Path) -> None:
    resolved = cup()
    games = cup_games(resolved)
    strike = Fault(2, "illegal", 3, 17, "expected a territory, got 99", forfeit=False)
    crash = Fault(0, "crash", 4, 40, "killed by signal 11", forfeit=True)
    games[1] = replace(games[1], faults=(strike, crash))
    with open_store(tmp_path / "arena.db") as store:
        store.write(store.enter(resolved), games)
        struck, crashed = store.faults()
        assert store.faults(games[1].spec.key) == [struck, crashed]
        assert store.faults(games[0].spec.key) == []
        totals = {total.label: total.forfeits for total in store.bot_totals(store.pools()[0])}
    names = [resolved.bots[bot].name for bot in games[1].spec.lineup]
    assert (struck.bot, struck.version, struck.fault) == (names[2], "1.0", strike)
    assert (crashed.bot, crashed.fault) == (names[0], crash)
    assert totals == {name.name: int(name.name == names[0]) for name in resolved.bots}


def test_labels_are_as_short_as_tells_the_bots_apart() -> None:
    bots = [
        bot("ant"),
        bot("bee", version="1.0"),
        bot("bee", version="2.0"),
        bot("cat", source_hash="0123456789abcdef"),
        bot("cat", source_hash="fedcba9876543210"),
        bot("cat", version="3.0"),
        bot("dog", options="bark=2"),
        bot("dog", options="bark=3"),
    ]
    assert list(labels(dict(enumerate(bots))).values()) == [
        "ant",
        "bee@1.0",
        "bee@2.0",
        "cat@1.0#0123456",
        "cat@1.0#fedcba9",
        "cat@3.0",
        "dog:bark=2",
        "dog:bark=3",
    ]


def test_labels_differ_even_where_the_sources_hashes_begin_alike() -> None:
    bots = {i: bot("ant", source_hash=f"0123456789{i}") for i in range(3)}
    assert len(set(labels(bots).values())) == 3


def test_bots_of_one_name_are_rated_apart_under_their_labels(tmp_path: Path) -> None:
    resolved = cup(bots=(bot("ant"), bot("ant", source_hash="f00", path="/other/ant.py"), bot("bee")))
    with open_store(tmp_path / "arena.db") as store:
        store.write(store.enter(resolved), cup_games(resolved))
        (pool,) = store.pools()
        names = ["ant@1.0#5ca1ab1", "ant@1.0#f00", "bee"]
        assert [total.label for total in store.bot_totals(pool)] == names
        assert sorted(stats.rate(*store.outcomes(pool)).elo) == names


def test_a_database_in_order_has_no_problems(history: History) -> None:
    assert history.problems() == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        ("delete from seats where game = :key and seat = 1", "game {key}: expected 3 seats, got 2"),
        (
            "update seats set turn = turn + 1 where game = :key and seat = 1",
            "game {key}: seat 1: expected its turn",
        ),
        (
            "update seats set finish = 2 where game = :key",
            "game {key}: expected a winner that finished first",
        ),
        (
            "insert into faults (game, seat, bot, kind, round, decision, detail, forfeit, output)"
            " select game, seat, bot, 'timeout', 1, 9999999, '', 1, '' from seats"
            " where game = :key and seat = 1",
            "game {key}: seat 1: expected a fault within ",
        ),
        (
            "update games set tournament = 77 where key = :key",
            "games.tournament where key = '{key}': expected the id of a row of tournaments, got 77",
        ),
    ],
)
def test_what_contradicts_itself_in_a_database_is_named(tmp_path: Path, damage: str, found: str) -> None:
    path, resolved = tmp_path / "arena.db", cup()
    with open_store(path) as store:
        store.write(store.enter(resolved), cup_games(resolved))
        key = next(row.key for row in store.games() if row.winner_seat is not None)
    change(path, damage, key=key)
    with open_history(path) as history:
        problems = history.problems()
    assert any(problem.startswith(found.format(key=key)) for problem in problems), problems


def test_damage_that_shows_only_while_reading_is_one_line(tmp_path: Path) -> None:
    path, resolved = tmp_path / "arena.db", cup(blocks=200)
    with open_store(path) as store:
        store.write(store.enter(resolved), cup_games(resolved))
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * (path.stat().st_size // 2))
    with open_history(path) as history:
        with pytest.raises(
            StoreError, match=r"arena\.db: expected a database that can be read, got: [^\n]*$"
        ):
            list(history.games())
        assert history.problems() != []
