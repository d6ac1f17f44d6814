"""Matches: what a bot's fault costs it and what it does not cost the others, and what `arena.play` takes."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import arena
from arena.bot import Attack, Bot, Briefing, Fortify, View, default_order
from arena.config import Fault, GameResult, GameSpec, Records
from arena.errors import ConfigError
from arena.match import Referee, play
from arena.plugins import load_registry
from arena.risk import record
from arena.risk.game import Game

FOUR_SHORES = arena.load_edition("house-four-shores")
SEED = 3
DECISIONS = ("claim", "place", "trade", "reinforce", "attack", "occupy", "fortify", "defend")


class Raider(Bot):
    """Answers every decision and draws chance in each, so that a shifted draw would show."""

    def __init__(self) -> None:
        self.draws: list[tuple[int, str, float]] = []

    def note(self, view: View) -> None:
        self.draws.append((view.round, view.decision, self.rng.random()))

    def claim(self, view: View) -> int:
        self.note(view)
        return self.rng.choice(view.unclaimed)

    def place(self, view: View) -> int:
        self.note(view)
        return super().place(view)

    def trade(self, view: View) -> tuple[int, ...] | None:
        self.note(view)
        return super().trade(view)

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        self.note(view)
        return super().reinforce(view)

    def attack(self, view: View) -> Attack | None:
        self.note(view)
        pairs = [pair for pair in view.attacks() if view.troops[pair[0]] > view.troops[pair[1]]]
        return Attack(*self.rng.choice(pairs)) if pairs else None

    def occupy(self, view: View) -> int:
        self.note(view)
        return super().occupy(view)

    def fortify(self, view: View) -> Fortify | None:
        self.note(view)
        return None

    def defend(self, view: View) -> int:
        self.note(view)
        return super().defend(view)


class Odd(Raider):
    """Does something odd instead of its `nth` order of one decision."""

    def __init__(self, decision: str, odd: Callable[[View], Any], *nth: int) -> None:
        super().__init__()
        self.decision, self.odd, self.nth = decision, odd, nth or (1,)
        self.asked = 0

    def __getattribute__(self, name: str) -> Any:
        method = super().__getattribute__(name)
        if name not in DECISIONS or name != self.decision:
            return method

        def answer(view: View) -> Any:
            order = method(view)  # what it would have done draws its chance all the same
            self.asked += 1
            return self.odd(view) if self.asked in self.nth else order

        return answer


def throw(error: BaseException) -> Callable[[View], Any]:
    def odd(_: View) -> Any:
        raise error

    return odd


def answer(value: object) -> Callable[[View], Any]:
    return lambda view: value


def match(*bots: Bot, seed: int = SEED) -> GameResult:
    return play(FOUR_SHORES, bots, seed)


def replay(result: GameResult) -> list[Game]:
    """The game before each of its orders, and at its end."""
    assert result.record is not None
    spec = result.spec
    games = record.replay(FOUR_SHORES.rules, spec.players, spec.seed, result.record)
    return [game.copy() for game in games]


def raiders_against(bot: Bot) -> tuple[GameResult, list[Raider]]:
    """`bot` in seat 1 of three."""
    others = [Raider(), Raider()]
    return match(others[0], bot, others[1]), others


# --- strikes


@pytest.mark.parametrize("strikes", [(1,), (2, 4)])
@pytest.mark.parametrize("odd", [throw(RuntimeError("no idea")), answer("no order")])
def test_first_two_strikes_are_replaced_by_the_default_and_shift_nobodys_chance(
    odd: Callable[[View], Any], strikes: tuple[int, ...]
) -> None:
    meant, meant_others = raiders_against(good := Odd("attack", default_order, *strikes))
    struck, struck_others = raiders_against(bad := Odd("attack", odd, *strikes))
    assert struck.digest == meant.digest
    assert struck.result == meant.result
    assert bad.draws == good.draws
    assert [bot.draws for bot in struck_others] == [bot.draws for bot in meant_others]
    assert [(fault.seat, fault.forfeit) for fault in struck.faults] == [(1, False)] * len(strikes)
    assert meant.faults == ()
    assert meant.digest != raiders_against(Raider())[0].digest


JUNK: list[object] = [
    "alaska",
    2.0,
    True,
    -1,
    10**30,
    float("nan"),
    (),
    [],
    ((0, 1, 2),),
    {0: 1},
    object,
    Attack("alaska", None),  # type: ignore[arg-type]
    Fortify(None, (), 1.5),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("decision", DECISIONS)
def test_order_of_a_wrong_type_is_a_strike_in_every_decision(decision: str) -> None:
    meant, _ = raiders_against(Odd(decision, default_order))
    for junk in JUNK:
        struck, _ = raiders_against(Odd(decision, answer(junk)))
        (fault,) = struck.faults
        assert (fault.seat, fault.kind, fault.forfeit) == (1, "illegal", False)
        assert fault.detail.startswith(f"{decision}: expected "), fault.detail
        assert "\n" not in fault.detail
        assert struck.digest == meant.digest


@pytest.mark.parametrize("decision", ["claim", "place", "reinforce", "occupy", "defend"])
def test_none_is_a_strike_where_an_order_is_needed(decision: str) -> None:
    struck, _ = raiders_against(Odd(decision, answer(None)))
    assert [fault.kind for fault in struck.faults] == ["illegal"]


def test_fault_says_where_it_happened() -> None:
    struck, _ = raiders_against(Odd("attack", throw(RuntimeError("no idea")), 2))
    (fault,) = struck.faults
    game = replay(struck)[fault.decision]
    assert (game.seat, game.decision, game.round) == (1, "attack", fault.round)
    assert fault.detail.startswith("RuntimeError: no idea\nTraceback")
    assert "in odd\n    raise error\n" in fault.detail


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit(5)


class Mute(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]


class Bare(BaseException):
    pass


class Obscure(Exception):
    @property
    def __notes__(self) -> list[str]:
        raise KeyError("no notes")


def noted(error: Exception) -> Exception:
    error.add_note("it was late")
    return error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("one\ntwo"), "ValueError: one"),
        (Bare(), "Bare"),
        (SystemExit(0), "SystemExit: 0"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(3), "StopIteration: 3"),
        (asyncio.CancelledError("later"), "CancelledError: later"),
        (noted(KeyError("here")), "KeyError: 'here'"),
        (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), "ExceptionGroup: two (2 sub-exceptions)"),
        (SyntaxError("bad", ("bot.py", 1, 2, "x = = 1")), "SyntaxError: bad (bot.py, line 1)"),
        (Unspeakable(), "Unspeakable: <exception str() failed>"),
        (Mute(), "Mute: <exception str() failed>"),
        (Obscure("dark"), "Obscure"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "odd"), "UnicodeDecodeError: 'utf-8' codec"),
        (arena.IllegalOrder("I say so"), "IllegalOrder: I say so"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_whatever_a_bot_raises_is_a_strike_with_its_name(error: BaseException, line: str) -> None:
    struck, _ = raiders_against(Odd("attack", throw(error)))
    (fault,) = struck.faults
    assert (fault.seat, fault.kind, fault.forfeit) == (1, "exception", False)
    assert fault.detail.partition("\n")[0].startswith(line)


def test_endless_recursion_is_a_strike() -> None:
    def odd(view: View) -> Any:
        return odd(view)

    struck, _ = raiders_against(Odd("attack", odd))
    (fault,) = struck.faults
    assert fault.detail.startswith("RecursionError: maximum recursion depth exceeded")
    assert len(fault.detail) < 5000


def test_ctrl_c_during_a_bots_decision_is_nobodys_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        raiders_against(Odd("attack", throw(KeyboardInterrupt())))


# --- forfeits


def test_third_strike_makes_the_seat_passive() -> None:
    result, _ = raiders_against(bot := Odd("fortify", answer("x"), 1, 3, 4))
    assert [fault.forfeit for fault in result.faults] == [False, False, True]
    assert bot.asked == 4
    last = result.faults[-1]
    games = replay(result)
    left = next(i for i, game in enumerate(games) if ("leave", 1) in game.history)
    before, after = games[left - 1], games[left]
    assert (before.seat, before.decision, before.decisions) == (1, "fortify", last.decision)
    assert after.view().passive == (1,)
    assert 1 in after.owners
    assert not [game for game in games[left:] if game.seat == 1]


def test_seat_that_goes_passive_gives_its_hand_to_the_discards() -> None:
    def hoard(view: View) -> Any:
        return "x" if len(view.hand) >= 2 else None

    class Hoarder(Raider):
        def fortify(self, view: View) -> Any:
            return "x" if view.round >= 4 else None

    result, _ = raiders_against(Hoarder())
    games = replay(result)
    left = next(i for i, game in enumerate(games) if ("leave", 1) in game.history)
    hand = games[left - 1].hands[1]
    assert hand
    assert games[left].hands[1] == []
    assert sorted(games[left].discards) == sorted(games[left - 1].discards + hand)


def test_passive_seat_finishes_last_of_those_alive_however_long_it_stands() -> None:
    result, _ = raiders_against(Odd("attack", answer("x"), 1, 2, 3))
    assert result.finish[1] == 3
    assert sorted(result.finish, key=str) == [1, 2, 3]
    (loser,) = (seat for seat in range(3) if result.finish[seat] == 2)
    eliminated = result.result.eliminated_round
    assert eliminated[loser] is not None
    assert eliminated[1] is None or eliminated[1] >= 1


def test_passive_seat_ranks_below_one_that_falls_later_and_above_one_that_fell_before() -> None:
    strikes = Odd("fortify", answer("x"), *range(1, 99))
    for seed in range(60):
        result = play(FOUR_SHORES, [Raider(), Raider(), Late(6), Raider()], seed)
        fell = result.result.eliminated_round
        forfeits = [fault for fault in result.faults if fault.forfeit]
        before = [seat for seat in (0, 1, 3) if fell[seat] is not None and fell[seat] < 6]  # type: ignore[operator]
        if len(before) == 1 and forfeits:
            assert result.finish[before[0]] == 4
            assert result.finish[2] == 3
            return
    pytest.fail(f"no game with a fall before the forfeit {strikes}")


def test_memory_error_is_a_forfeit_at_once() -> None:
    result, _ = raiders_against(bot := Odd("attack", throw(MemoryError())))
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(1, "memory", True)]
    assert result.faults[0].detail.startswith("MemoryError\n")
    assert bot.asked == 1


class NoFactory(Bot):
    def __init__(self) -> None:
        raise RuntimeError("no luck")


class NoStart(Bot):
    def start(self, briefing: Briefing) -> None:
        raise SystemExit("no luck")


class NoBot:
    pass
