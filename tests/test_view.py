"""The helpers of a view: their examples, and against the same asked the long way."""

import copy
import doctest
import pickle
from collections.abc import Callable
from itertools import combinations, pairwise
from random import Random

import pytest
from positions import FixedDice, position_of, seen

import arena
from arena.bot import View
from arena.match import brief, start
from arena.plugins import load_registry
from arena.risk.edition import Edition
from arena.seal import seal

EXAMPLE = position_of(
    {
        0: {"siam": 4, "indonesia": 1, "new-guinea": 2, "western-australia": 5, "alaska": 1},
        1: dict.fromkeys(["eastern-australia", "venezuela", "peru", "brazil", "argentina"], 3),
    },
    hands=[["alaska", "alberta", "wild-1"], [], []],
)
for territory in EXAMPLE["territories"].values():
    if territory[0] == 2:
        territory[1] = 2


def random_view(edition: Edition, seed: int) -> View:
    """A position of three seats and a neutral, any troops anywhere."""
    rng = Random(seed)
    position = position_of({})
    for name in edition.rules.board.names:
        position["territories"][name] = [rng.choice([0, 0, 1, 2, "neutral"]), rng.randint(1, 4)]
    return arena.load_position(position).view()


@pytest.fixture(params=range(20))
def view(request: pytest.FixtureRequest, hasbro: Edition) -> View:
    return random_view(hasbro, request.param)


def ways(view: View, owner: int) -> dict[int, dict[int, int]]:
    """For each territory of `owner` the steps to those it reaches through its own (Floyd and Warshall)."""
    land = [t for t in range(42) if view.owners[t] == owner]
    steps = {
        s: {t: 0 if s == t else 1 for t in land if s == t or t in view.board.neighbours[s]} for s in land
    }
    for by in land:
        for src in land:
            for dst in land:
                if by in steps[src] and dst in steps[by]:
                    steps[src][dst] = min(steps[src].get(dst, 99), steps[src][by] + steps[by][dst])
    return steps


def test_examples_of_the_helpers() -> None:
    names = [name for name, value in vars(View).items() if isinstance(value, property) or callable(value)]
    helpers = {name for name in names if not name.startswith("_")}
    finder, runner = doctest.DocTestFinder(recurse=True), doctest.DocTestRunner()
    examples = finder.find(
        View, "View", globs={"view": arena.load_position(EXAMPLE).view(), "Random": Random}
    )
    assert helpers <= {example.name.removeprefix("View.") for example in examples if example.examples}
    assert [example.name for example in examples if runner.run(example).failed] == []


def test_the_own_territories_are_frontier_and_interior(view: View) -> None:
    assert view.own == tuple(t for t in range(42) if view.owners[t] == 0)
    touching = {t for t in view.own if any(view.owners[u] != 0 for u in view.board.neighbours[t])}
    assert view.frontier == tuple(sorted(touching))
    assert view.interior == tuple(sorted(set(view.own) - touching))


def test_targets_and_attacks_are_what_touches_own_land(view: View) -> None:
    pairs = [(s, d) for s in view.own for d in view.board.neighbours[s] if view.owners[d] != 0]
    assert view.targets == tuple(sorted({dst for _, dst in pairs}))
    assert view.attacks() == [(src, dst) for src, dst in pairs if view.troops[src] > 1]
    for t in range(42):
        assert view.enemies(t) == [u for u in view.board.neighbours[t] if view.owners[u] != 0]
        assert view.threat(t) == sum(view.troops[u] for u in view.enemies(t))


def test_components_and_shortest_ways(view: View) -> None:
    for owner in (0, 1, 2, -1):
        steps = ways(view, owner)
        for src, reached in steps.items():
            assert view.connected(src) == tuple(sorted(reached))
            for dst in range(42):
                path = view.path(src, dst)
                assert len(path) == (reached[dst] + 1 if dst in reached else 0)
                if path:
                    assert (path[0], path[-1]) == (src, dst)
                    assert all(b in view.board.neighbours[a] for a, b in pairwise(path))
                    assert {view.owners[t] for t in path} == {owner}


def test_a_march_goes_by_the_cheapest_ways_through_foreign_land(view: View) -> None:
    def cost(t: int) -> int:
        return view.troops[t] + 1

    def cheapest(src: int, taken: set[int]) -> dict[int, int]:
        """By foreign territory the least that a way from `src` costs (Bellman and Ford)."""
        costs = {src: 0}
        for _ in range(42):
            for t in list(costs):
                for u in view.board.neighbours[t]:
                    if view.owners[u] != view.seat and u not in taken:
                        costs[u] = min(costs.get(u, 999), costs[t] + cost(u))
        return {t: spent for t, spent in costs.items() if t != src}

    for src in view.frontier[:3]:
        targets = set(view.board.members[view.board.continent_of[src]]) - set(view.own)
        march = view.march(src, targets, 30)
        assert march == view.march(src, {*targets, *view.own}, 30)  # own land is nothing to take
        assert all(b in view.board.neighbours[a] for a, b in pairwise((src, *march)))
        assert len(set(march)) == len(march)
        assert sum(map(cost, march)) <= 30
        at, left, taken, spent = src, set(targets), set[int](), 0
        for t in march:
            spent += cost(t)
            if t in left:
                costs = cheapest(at, taken)
                assert spent == costs[t] == min(costs[u] for u in left if u in costs)
                left.discard(t)
                taken.update(march[: march.index(t) + 1])
                at, spent = t, 0
        assert spent == 0  # it ends at a target
        reached = [costs for u, costs in cheapest(at, taken).items() if u in left]
        assert not reached or min(reached) > 30 - sum(map(cost, march))


def test_continents_held_whole_or_but_for_one(hasbro: Edition) -> None:
    board = hasbro.rules.board
    for c, members in enumerate(board.members):
        for missing in [(), *combinations(members, 1), members[:2]]:
            own = [board.names[t] for t in members if t not in missing]
            view = arena.load_position(
                position_of({0: {"alaska": 1, "congo": 1} | dict.fromkeys(own, 1)})
            ).view()
            lacking = [t for t in members if view.owners[t] != 0]
            assert (c in view.continents_held(0)) == (not lacking)
            assert (c, lacking[0]) in view.continents_nearly_held(0) if len(lacking) == 1 else True
            assert len(lacking) == 1 or c not in dict(view.continents_nearly_held(0))


def test_income_is_what_the_next_turn_brings() -> None:
    game = arena.load_position(EXAMPLE)
    expected = game.view().income(1)
    game.apply(None)
    game.apply(None)
    assert (game.seat, game.view().to_place) == (1, expected)


def test_a_view_stays_as_it_was_when_a_territory_changes_hands() -> None:
    game = arena.load_position(EXAMPLE, dice=FixedDice(((6, 6, 6), (1, 1))))
    before = game.view()
    game.apply(arena.Attack(37, 36))
    assert before.frontier == (0, 37, 39, 40)
    assert game.view().own == (0, 36, 37, 38, 39, 40)
    assert game.view().frontier == (0, 36, 37, 39, 40)


def change(view: View) -> None:
    view.troops = (99,) * 42  # type: ignore[misc]


def add(view: View) -> None:
    view.plan = "attack"  # type: ignore[attr-defined]


def remove(view: View) -> None:
    del view.owners


@pytest.mark.parametrize("vandal", [change, add, remove])
def test_views_of_bots_are_read_only(vandal: Callable[[View], None]) -> None:
    view = seal(arena.load_position(EXAMPLE).view())
    with pytest.raises(AttributeError):
        vandal(view)


def test_game_and_its_result_are_told_without_all_that_is_in_them() -> None:
    game = arena.load_position(EXAMPLE)
    assert repr(game) == (
        "<Game hasbro-us-2003, 3 players, seed 0: round 4, after 0 decisions, seat 0 to attack>"
    )
    played = arena.play("house-four-shores", ["uniform", "greedy"], seed=1)
    assert "record" not in repr(played)
    assert f"digest='{played.digest}'" in repr(played)


def test_view_is_told_in_a_line_and_its_errors_name_it_alone() -> None:
    view = seal(arena.load_position(EXAMPLE).view())
    assert repr(view) == "<View hasbro-us-2003, 3 players: round 4, seat 0 to attack>"
    with pytest.raises(AttributeError, match=r"^'View' object has no attribute 'onwers'"):
        view.onwers  # type: ignore[attr-defined]  # noqa: B018


def test_views_are_their_own_copies_and_not_pickled() -> None:
    view = seal(arena.load_position(EXAMPLE).view())
    assert copy.copy(view) is view
    assert copy.deepcopy([view]) == [view]
    with pytest.raises(TypeError, match="a view is not pickled"):
        pickle.dumps(view)


@pytest.mark.parametrize("copied", [arena.Game.copy, copy.copy, copy.deepcopy])
def test_games_are_copied_whole_and_not_pickled(copied: Callable[[arena.Game], arena.Game]) -> None:
    game = arena.load_position(EXAMPLE)
    roll = arena.Attack(game.board.index["western-australia"], game.board.index["eastern-australia"], dice=1)
    game.apply(roll)
    before, other = game.to_position(), copied(game)
    other.apply(roll)
    assert game.to_position() == before
    game.apply(roll)
    assert other.to_position() == game.to_position() != before
    with pytest.raises(TypeError, match="a game is not pickled"):
        pickle.dumps(game)


def test_rules_and_board_are_copied_and_pickled_like_other_values(hasbro: Edition) -> None:
    rules = hasbro.rules
    for copied in (copy.copy(rules), copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert copied == rules
        assert hash(copied.board) == hash(rules.board)


@pytest.mark.parametrize("edition_id", ["hasbro-us-2003", "house-four-shores"])
def test_views_kept_from_decision_to_decision_show_what_fresh_ones_show(edition_id: str) -> None:
    edition, continental = arena.load_edition(edition_id), load_registry().bots["continental"].factory
    for players in edition.setup.starting_troops:
        game = arena.Game(edition.rules, players, seed=players, asks_defend=[1])
        bots = [start(continental, brief(edition.rules, players, 7, seat)) for seat in range(players)]
        rng = Random(players)
        while game.result is None and game.decisions < 500:
            kept, fresh = game.view(), game.copy().view()
            assert seen(kept) == seen(fresh)
            assert kept.frontier == fresh.frontier
            if rng.random() < 0.003:
                game.leave(kept.seat)
            else:
                game.apply(getattr(bots[kept.seat], kept.decision)(kept))
