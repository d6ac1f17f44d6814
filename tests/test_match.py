"""Matches: what a bot's fault costs it and does not cost the others, and what `arena.play` takes."""

import asyncio
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playing import BOTS, job_of, spec_of

import arena
from arena.bot import Attack, Bot, Briefing, Fortify, View, default_order
from arena.config import Fault, GameResult, GameSpec, Records
from arena.errors import ArenaError, ConfigError, PluginError, class_name
from arena.host import Host
from arena.match import DETAIL_LENGTH, Referee, play
from arena.plugins import load_registry
from arena.risk import record
from arena.risk.game import Game

FOUR_SHORES = arena.load_edition("house-four-shores")
DECISIONS = ("claim", "place", "trade", "reinforce", "attack", "occupy", "fortify", "defend")

Odd = Callable[[View], Any]
"""What a bot does in place of an order."""


class Raider(Bot):
    """Answers every decision, and draws chance in each so that a shifted draw would show."""

    def __init__(self) -> None:
        self.draws: list[tuple[str, float]] = []

    def answer(self, view: View, order: Any) -> Any:
        self.draws.append((view.decision, self.rng.random()))
        return order

    def claim(self, view: View) -> Any:
        return self.answer(view, self.rng.choice(view.unclaimed))

    def place(self, view: View) -> Any:
        return self.answer(view, super().place(view))

    def trade(self, view: View) -> Any:
        return self.answer(view, super().trade(view))

    def reinforce(self, view: View) -> Any:
        return self.answer(view, super().reinforce(view))

    def attack(self, view: View) -> Any:
        pairs = [pair for pair in view.attacks() if view.troops[pair[0]] > view.troops[pair[1]]]
        return self.answer(view, Attack(*self.rng.choice(pairs)) if pairs else None)

    def occupy(self, view: View) -> Any:
        return self.answer(view, super().occupy(view))

    def fortify(self, view: View) -> Any:
        return self.answer(view, None)

    def defend(self, view: View) -> Any:
        return self.answer(view, super().defend(view))


class Oddball(Raider):
    """A raider that does something odd in place of its first, or the given ones, of one decision's orders."""

    def __init__(self, decision: str, odd: Odd, *turns: int) -> None:
        super().__init__()
        self.decision, self.odd, self.turns = decision, odd, turns or (1,)
        self.asked = 0

    def answer(self, view: View, order: Any) -> Any:
        order = super().answer(view, order)
        self.asked += view.decision == self.decision
        is_odd = view.decision == self.decision and self.asked in self.turns
        return self.odd(view) if is_odd else order


class Quitter(Raider):
    """A raider that is out of memory from its turn in the given round on."""

    def __init__(self, round_: int) -> None:
        super().__init__()
        self.round = round_

    def answer(self, view: View, order: Any) -> Any:
        if view.round >= self.round:
            raise MemoryError
        return super().answer(view, order)


RAIDERS = Referee({"": FOUR_SHORES.rules}, [Raider])
SPEC = GameSpec(key="", edition="", block=0, rotation=0, seed=3, lineup=(0, 0, 0))


def throw(error: BaseException) -> Odd:
    def odd(_: View) -> Any:
        raise error

    return odd


def say(order: object) -> Odd:
    return lambda view: order


def between_raiders(bot: Bot) -> tuple[GameResult, list[Raider]]:
    """A game of `bot` in seat 1 of three, and the others."""
    others = [Raider(), Raider()]
    return play(FOUR_SHORES, [others[0], bot, others[1]], seed=3), others


def replay(result: GameResult) -> list[Game]:
    """The game before each of its orders, and at its end."""
    assert result.record is not None
    spec = result.spec
    games = record.replay(FOUR_SHORES.rules, spec.players, spec.seed, result.record)
    return [game.copy() for game in games]


def around_leaving(result: GameResult) -> tuple[Game, Game, list[Game]]:
    """The game before its first seat left, after that, and all of the rest."""
    packed = replay(result)
    left = next(i for i, game in enumerate(packed) if any(game.passive))
    return packed[left - 1], packed[left], packed[left:]


# --- strikes


@pytest.mark.parametrize("turns", [(1,), (2, 4)])
@pytest.mark.parametrize("odd", [throw(RuntimeError("no idea")), say("no order")], ids=["raises", "illegal"])
def test_first_two_strikes_are_replaced_by_the_default_and_shift_nobodys_chance(
    odd: Odd, turns: tuple[int, ...]
) -> None:
    meant, meant_others = between_raiders(good := Oddball("attack", default_order, *turns))
    struck, struck_others = between_raiders(bad := Oddball("attack", odd, *turns))
    assert struck.result == meant.result
    assert bad.draws == good.draws
    assert [bot.draws for bot in struck_others] == [bot.draws for bot in meant_others]
    assert [(fault.seat, fault.forfeit) for fault in struck.faults] == [(1, False)] * len(turns)
    assert meant.faults == ()
    assert meant.digest != between_raiders(Raider())[0].digest


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
    meant, _ = between_raiders(Oddball(decision, default_order))
    for junk in JUNK:
        struck, _ = between_raiders(Oddball(decision, say(junk)))
        (fault,) = struck.faults
        assert (fault.seat, fault.kind, fault.forfeit) == (1, "illegal", False)
        assert fault.detail.startswith(f"{decision}: expected "), fault.detail
        assert "\n" not in fault.detail
        assert struck.digest == meant.digest


@pytest.mark.parametrize("decision", ["claim", "place", "reinforce", "occupy", "defend"])
def test_none_is_a_strike_where_an_order_is_needed(decision: str) -> None:
    struck, _ = between_raiders(Oddball(decision, say(None)))
    assert [fault.kind for fault in struck.faults] == ["illegal"]


def test_fault_says_where_it_happened_and_ends_with_the_traceback() -> None:
    struck, _ = between_raiders(Oddball("attack", throw(RuntimeError("no idea")), 2))
    (fault,) = struck.faults
    game = replay(struck)[fault.decision]
    assert (game.seat, game.decision, game.round) == (1, "attack", fault.round)
    assert fault.detail.startswith("RuntimeError: no idea\nTraceback")
    assert fault.detail.endswith("    raise error\nRuntimeError: no idea\n")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit(5)


class Bare(BaseException):
    pass


class Masked(type):
    """A class of classes whose name runs code of its own."""

    __name__ = property(lambda _: 1 / 0)


class Leaver(Exception, metaclass=Masked):
    __cause__ = property(lambda _: sys.exit(0))


class Obscure(Exception):
    @property
    def __notes__(self) -> list[str]:  # type: ignore[override]
        raise KeyError("no notes")


def noted(error: Exception) -> Exception:
    error.add_note("it was late")
    return error


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("one\ntwo"), "ValueError: one"),
        (ValueError("x" * 10 * DETAIL_LENGTH), "ValueError: xxx"),
        (Bare(), "Bare"),
        (SystemExit(0), "SystemExit: 0"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(3), "StopIteration: 3"),
        (asyncio.CancelledError("later"), "CancelledError: later"),
        (noted(KeyError("here")), "KeyError: 'here'"),
        (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), "ExceptionGroup: two (2 sub-exceptions)"),
        (SyntaxError("bad", ("bot.py", 1, 2, "x = = 1")), "SyntaxError: bad (bot.py, line 1)"),
        (Unspeakable(), "Unspeakable: <exception str() failed>"),
        (Obscure("dark"), "Obscure"),
        (Leaver("gone"), "Leaver"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "odd"), "UnicodeDecodeError: 'utf-8' codec"),
        (arena.IllegalOrder("I say so"), "IllegalOrder: I say so"),
    ],
    ids=lambda value: class_name(value) if isinstance(value, BaseException) else "",
)
def test_whatever_a_bot_raises_is_a_strike_and_named(error: BaseException, line: str) -> None:
    struck, _ = between_raiders(Oddball("attack", throw(error)))
    (fault,) = struck.faults
    assert (fault.seat, fault.kind, fault.forfeit) == (1, "exception", False)
    assert fault.detail.partition("\n")[0].startswith(line)
    assert len(fault.detail) <= 2 * DETAIL_LENGTH + 1


def test_answer_of_a_class_that_hides_its_name_is_an_illegal_order() -> None:
    struck, _ = between_raiders(Oddball("attack", say(Masked("Odd", (), {})())))
    (fault,) = struck.faults
    assert (fault.kind, fault.detail) == ("illegal", "attack: expected Attack or None, got a Odd")


def test_endless_recursion_is_a_strike() -> None:
    def odd(view: View) -> Any:
        return odd(view)

    struck, _ = between_raiders(Oddball("attack", odd))
    (fault,) = struck.faults
    assert fault.detail.startswith("RecursionError: maximum recursion depth exceeded")


def test_ctrl_c_while_a_bot_thinks_is_nobodys_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        between_raiders(Oddball("attack", throw(KeyboardInterrupt())))


@pytest.mark.parametrize("name", ["troops", "seat", "note"])
def test_bot_that_writes_on_its_view_gets_a_strike_in_every_build(name: str) -> None:
    def vandalize(view: View) -> Any:
        setattr(view, name, getattr(view, name, 0))

    struck, _ = between_raiders(Oddball("attack", vandalize))
    (fault,) = struck.faults
    assert fault.detail.startswith("AttributeError: ")


def test_bot_that_copies_its_view_has_a_view() -> None:
    def copied(view: View) -> Any:
        assert copy(view).troops == view.troops
        return default_order(deepcopy(view))

    meant, _ = between_raiders(Oddball("reinforce", default_order))
    copying, _ = between_raiders(Oddball("reinforce", copied))
    assert copying.faults == ()
    assert copying.digest == meant.digest


@pytest.mark.parametrize(
    "vandalize",
    [
        lambda view: view.rules.starting_troops.__setitem__(3, 1),
        lambda view: view.rules.neutral_troops.clear(),
        lambda view: setattr(view.rules, "minimum", 99),
        lambda view: delattr(view.rules, "minimum"),
        lambda view: setattr(view.rules, "cheat", 99),
        lambda view: view.board.index.pop("east-1"),
        lambda view: setattr(view.board, "neighbours", ()),
        lambda view: setattr(view.board, "index", {}),
        lambda view: delattr(view.board, "names"),
        lambda view: view.board.neighbours[0].append(1),
        lambda view: view.board.members.sort(),
    ],
)
def test_bot_that_edits_the_rules_or_the_board_is_struck_and_changes_nothing(vandalize: Odd) -> None:
    before = repr(FOUR_SHORES.rules)
    meant, _ = between_raiders(Oddball("reinforce", default_order))
    struck, _ = between_raiders(Oddball("reinforce", vandalize))
    assert [(fault.seat, fault.kind) for fault in struck.faults] == [(1, "exception")]
    assert struck.digest == meant.digest
    assert repr(FOUR_SHORES.rules) == before


# --- forfeits


def test_third_strike_makes_the_seat_passive_and_its_bot_is_not_asked_again() -> None:
    result, _ = between_raiders(bot := Oddball("fortify", say("x"), 1, 3, 4))
    assert [fault.outcome for fault in result.faults] == ["strike", "strike", "forfeit"]
    assert all(fault.is_strike for fault in result.faults)
    assert bot.asked == 4
    before, after, rest = around_leaving(result)
    assert (before.seat, before.decision) == (1, "fortify")
    assert (before.decisions, before.round) == (result.faults[-1].decision, result.faults[-1].round)
    assert after.passive == [False, True, False]
    assert 1 in after.owners  # it stands and defends
    assert not [game for game in rest if game.seat == 1]


def test_hand_of_a_seat_that_goes_passive_is_discarded() -> None:
    result, _ = between_raiders(Quitter(4))
    before, after, _ = around_leaving(result)
    assert before.hands[1]
    assert after.hands[1] == []
    assert sorted(after.discards) == sorted(before.discards + before.hands[1])


def test_passive_seat_finishes_behind_all_who_were_alive_and_before_those_who_had_fallen() -> None:
    seen = set()
    for seed in range(20):
        result = play(FOUR_SHORES, [Raider(), Raider(), Quitter(4), Raider()], seed)
        for seat in (0, 1, 3):
            fell = result.result.eliminated_round[seat]
            if not result.faults or fell == 4:
                continue
            had_fallen = fell is not None and fell < 4
            finish, of_passive = result.finish[seat], result.finish[2]
            assert finish is not None
            assert of_passive is not None
            assert had_fallen == (finish > of_passive)
            seen.add(had_fallen)
    assert seen == {False, True}


def test_memory_error_is_a_forfeit_at_once() -> None:
    result, _ = between_raiders(bot := Oddball("attack", throw(MemoryError())))
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(1, "memory", True)]
    assert result.faults[0].detail.startswith("MemoryError\nTraceback")
    assert bot.asked == 1


def test_last_active_seat_wins_however_much_the_passive_ones_hold() -> None:
    result = play(FOUR_SHORES, [Quitter(3), Raider(), Quitter(2)], seed=1)
    assert [(fault.seat, fault.round) for fault in result.faults] == [(2, 2), (0, 3)]
    assert result.winner == 1
    assert result.finish == (2, 1, 3)
    assert result.result.rounds == 3
    assert min(result.result.territories) > 0


class NoFactory(Bot):
    def __init__(self) -> None:
        raise RuntimeError("no luck")


class NoStart(Bot):
    def start(self, briefing: Briefing) -> None:
        raise SystemExit("no luck")


class NoBot:
    pass


@pytest.mark.parametrize(
    ("bot", "detail"),
    [
        (NoFactory, "RuntimeError: no luck"),
        (NoStart, "SystemExit: no luck"),
        (NoBot, "TypeError: expected a Bot, got a NoBot"),
    ],
)
def test_bot_that_cannot_sit_down_forfeits_from_the_beginning(bot: Any, detail: str) -> None:
    rules = FOUR_SHORES.rules
    spec = GameSpec(key="", edition="e", block=0, rotation=0, seed=3, lineup=(0, 1, 2))
    result = Referee({"e": rules}, [Raider, bot, Raider]).play(spec)
    (fault,) = result.faults
    assert (fault.seat, fault.kind, fault.round, fault.decision) == (1, "exception", 0, 0)
    assert fault.forfeit
    assert fault.detail.partition("\n")[0] == detail
    assert result.finish[1] == 3
    assert not [game for game in replay(result) if game.seat == 1 or 1 in game.owners]


def test_nobody_wins_at_a_table_where_no_bot_can_sit_down() -> None:
    factories: list[Any] = [NoFactory, NoStart, NoBot]
    result = Referee({"": FOUR_SHORES.rules}, factories).play(replace(SPEC, lineup=(0, 1, 2)))
    assert [(fault.seat, fault.forfeit) for fault in result.faults] == [(0, True), (1, True), (2, True)]
    assert result.winner is None
    assert 1 not in result.finish


@pytest.mark.parametrize("bot", [7, None, NoBot, NoBot()])
def test_what_is_no_bot_is_refused_before_a_game(bot: Any) -> None:
    with pytest.raises(ConfigError, match="bots: expected ids, Bot subclasses or instances, got "):
        play(FOUR_SHORES, [Raider, bot])


def test_one_text_is_no_list_of_bots() -> None:
    with pytest.raises(ConfigError, match="bots: expected a list, got 'greedy'"):
        play(FOUR_SHORES, "greedy")


@pytest.mark.parametrize("seed", ["a", 1.5, None, True])
def test_seed_that_is_no_int_is_refused(seed: Any) -> None:
    with pytest.raises(ConfigError, match="seed: expected an int, got "):
        play(FOUR_SHORES, [Raider, Raider], seed=seed)


def test_game_of_bots_that_all_cannot_sit_down_ends() -> None:
    result = play(FOUR_SHORES, [NoFactory, NoStart, NoFactory])
    assert [fault.forfeit for fault in result.faults] == [True] * 3
    assert result.result.decisions == 0


def test_seat_of_an_earlier_crash_is_passive_from_that_decision_on() -> None:
    undisturbed = RAIDERS.play(SPEC)
    crash = Fault(1, "crash", round=0, decision=100, detail="killed", forfeit=True)
    result = RAIDERS.play(replace(SPEC, crashes=(crash,)))
    games = replay(undisturbed)
    asked = next(game for game in games if game.seat == 1 and game.decisions >= 100)
    assert result.faults == (replace(crash, decision=asked.decisions, round=asked.round),)
    before, after, _ = around_leaving(result)
    assert before.history == asked.history
    assert after.passive == [False, True, False]


def test_earliest_of_a_seats_crashes_counts() -> None:
    later, earlier = (
        Fault(1, "crash", round=0, decision=decision, detail=str(decision), forfeit=True)
        for decision in (150, 60)
    )
    both = RAIDERS.play(replace(SPEC, crashes=(later, earlier)))
    assert both.digest == RAIDERS.play(replace(SPEC, crashes=(earlier,))).digest
    assert [fault.detail for fault in both.faults] == ["60"]


def test_bot_that_crashed_before_any_decision_is_not_made_again() -> None:
    crash = Fault(1, "timeout", round=0, decision=0, detail="no answer", forfeit=True)
    spec = replace(SPEC, lineup=(0, 1, 0), crashes=(crash,))
    made: list[Bot] = []

    def make() -> Bot:
        made.append(Raider())
        return made[-1]

    assert Referee({"": FOUR_SHORES.rules}, [Raider, make]).play(spec).faults == (crash,)
    assert made == []


def test_bot_that_raises_what_ctrl_c_does_gets_strikes_in_a_host(tmp_path: Path) -> None:
    bot = tmp_path / "impostor.py"
    bot.write_text((BOTS / "raises.py").read_text().replace("RuntimeError", "KeyboardInterrupt"))
    job = job_of("uniform", str(bot))
    with Host(job) as host:
        result = host.play(spec_of(job, 0, 1, 0))
    assert isinstance(result, GameResult)
    assert {(fault.seat, fault.kind) for fault in result.faults} == {(1, "exception")}
    assert result.faults[0].detail.startswith("KeyboardInterrupt")


# --- what bots are told and asked


class Listener(Raider):
    """Writes down when it is told what."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    def start(self, briefing: Briefing) -> None:
        assert self.briefing is briefing
        assert self.rng is briefing.rng
        self.heard.append("start")

    def answer(self, view: View, order: Any) -> Any:
        self.heard.append(view.decision)
        return super().answer(view, order)


def test_bots_are_briefed_once_before_they_are_asked() -> None:
    bots = [Listener(), Listener(), Listener()]
    play(FOUR_SHORES, bots, seed=3)
    for seat, bot in enumerate(bots):
        assert (bot.briefing.seat, bot.briefing.players) == (seat, 3)
        assert bot.briefing.rules == FOUR_SHORES.rules
        assert bot.briefing.board is bot.briefing.rules.board
        assert bot.heard[0] == "start"
        assert bot.heard.count("start") == 1
        assert len(bot.heard) > 10
    assert len({bot.draws[0][1] for bot in bots}) == 3


def test_bots_chance_depends_on_seed_and_seat_alone() -> None:
    first, again, other = Raider(), Raider(), Raider()
    play(FOUR_SHORES, [Raider, first, Raider], seed=3)
    play(FOUR_SHORES, ["turtle", again, "greedy", "uniform"], seed=3)
    play(FOUR_SHORES, [Raider, other, Raider], seed=4)
    assert first.draws[0] == again.draws[0] != other.draws[0]


def test_bot_is_made_afresh_for_every_game() -> None:
    made: list[Raider] = []

    def make() -> Bot:
        made.append(Raider())
        return made[-1]

    referee = Referee({"": FOUR_SHORES.rules}, [make])
    assert referee.play(SPEC).digest == referee.play(SPEC).digest
    assert len(made) == 6


class Blind(Raider):
    defend = Bot.defend


class Reckless(Raider):
    """Defends with one die where it may."""

    def defend(self, view: View) -> Any:
        return self.answer(view, 1)


def test_defence_is_asked_only_of_bots_that_choose_it() -> None:
    listeners = [Listener(), Listener()]
    result = play(FOUR_SHORES, [listeners[0], Blind, listeners[1]], seed=3)
    asked = [game.seat for game in replay(result) if game.decision == "defend"]
    assert set(asked) == {0, 2}
    assert sum(bot.heard.count("defend") for bot in listeners) == len(asked)


def test_chosen_defence_dice_are_rolled() -> None:
    digests = {bot: play(FOUR_SHORES, [Raider, bot, Raider], seed=3).digest for bot in (Raider, Reckless)}
    assert digests[Raider] != digests[Reckless]


class Diary:
    """A watch that writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int, int]] = []

    def before(self, seat: int, decision: int) -> None:
        self.lines.append(("before", seat, decision))

    def after(self, seat: int, decision: int) -> None:
        self.lines.append(("after", seat, decision))

    def printed(self, seat: int) -> str:
        return f"words of {seat}"


def test_watch_is_told_before_and_after_bots_sit_down_are_asked_and_let_go_of() -> None:
    diary = Diary()
    result = RAIDERS.play(SPEC, watch=diary)
    asked = [(game.seat, game.decisions) for game in replay(result)[:-1]]
    over = result.result.decisions
    calls = [(0, 0), (1, 0), (2, 0), *asked, (0, over), (1, over), (2, over)]
    assert diary.lines == [(when, *call) for call in calls for when in ("before", "after")]


def test_crash_that_ends_the_game_is_one_fault() -> None:
    first = Fault(0, "crash", 0, 20, "died", forfeit=True)
    diary = Diary()
    RAIDERS.play(replace(SPEC, crashes=(first,)), watch=diary)
    at = next(decision for _, seat, decision in diary.lines if seat == 1 and decision > 40)
    second = Fault(1, "crash", 0, at, "died too", forfeit=True)
    result = RAIDERS.play(replace(SPEC, crashes=(second, first)))
    assert result.result.decisions == at
    assert [(fault.seat, fault.forfeit) for fault in result.faults] == [(0, True), (1, True)]


@pytest.mark.parametrize("odd", [say("x"), throw(ValueError())])
def test_fault_has_what_its_bot_printed(odd: Odd) -> None:
    referee = Referee({"": FOUR_SHORES.rules}, [Raider, lambda: Oddball("attack", odd)])
    faults = referee.play(replace(SPEC, lineup=(0, 1, 0)), watch=Diary()).faults
    assert {fault.output for fault in faults} == {"words of 1"}


# --- records and results


@pytest.mark.parametrize(
    ("records", "of_clean", "of_faulty"),
    [("all", True, True), ("faults", False, True), ("none", False, False)],
)
def test_records_are_kept_as_the_tournament_says(records: Records, of_clean: bool, of_faulty: bool) -> None:
    factories: list[Callable[[], Bot]] = [Raider, lambda: Oddball("attack", say("x"))]
    referee = Referee({"": FOUR_SHORES.rules}, factories, records)
    clean, faulty = referee.play(SPEC), referee.play(replace(SPEC, lineup=(0, 1, 0)))
    assert (clean.record is not None, faulty.record is not None) == (of_clean, of_faulty)
    assert clean.digest == RAIDERS.play(SPEC).digest


def test_record_with_forfeits_replays_to_the_same_result() -> None:
    result = play(FOUR_SHORES, [Raider, NoFactory, Quitter(3), Oddball("attack", say("x"), 1, 2, 3)], seed=2)
    assert replay(result)[-1].result == result.result


def test_time_of_the_seats_is_part_of_the_games() -> None:
    result = RAIDERS.play(SPEC)
    assert len(result.seat_seconds) == 3
    assert min(result.seat_seconds) > 0
    assert sum(result.seat_seconds) < result.seconds


# --- arena.play


def test_ids_classes_and_instances_play_the_same_game() -> None:
    registry = load_registry()
    greedy = registry.bots["greedy"].factory
    bots: list[Any] = ["greedy", greedy, greedy(), "greedy:margin=2", str(Path(arena.__file__).parents[1])]
    bots[-1] += "/bots/greedy.py"
    games = [arena.play("house-four-shores", [bot, "turtle", "uniform"], seed=5) for bot in bots]
    assert len({game.digest for game in games}) == 1
    other = arena.play("house-four-shores", ["greedy:margin=5", "turtle", "uniform"], seed=5)
    assert other.digest != games[0].digest


def test_edition_is_an_id_a_path_or_an_edition(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('id = "mine"\nname = "Mine"\nextends = "house-four-shores"\n')
    digests = {
        play(edition, [Raider] * 3).digest for edition in ("house-four-shores", str(path), FOUR_SHORES)
    }
    assert len(digests) == 1


def test_seed_decides_the_game() -> None:
    digests = [play(FOUR_SHORES, [Raider] * 3, seed).digest for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize(
    ("edition", "bots", "message"),
    [
        (
            "house-four-shore",
            ["greedy"] * 3,
            "unknown edition 'house-four-shore': did you mean ",
        ),
        ("house-four-shores", ["greedy", "gredy"], "unknown bot 'gredy': did you mean greedy?"),
        ("house-four-shores", ["greedy"], "edition house-four-shores: expected 2–6 players, got 1"),
        ("hasbro-b7404", ["greedy"] * 6, "edition hasbro-b7404: expected 3–5 players, got 6"),
        ("house-four-shores", [], "edition house-four-shores: expected 2–6 players, got 0"),
    ],
)
def test_wrong_table_is_one_clear_line(edition: str, bots: list[str], message: str) -> None:
    with pytest.raises(ArenaError) as caught:
        arena.play(edition, bots)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_referee_refuses_a_bot_that_is_not_the_jobs(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text((BOTS / "raises.py").read_text())
    job = job_of(str(bot))
    bot.write_text("# changed\n" + bot.read_text())
    with pytest.raises(PluginError, match="bot mine: its source has changed"):
        Referee.for_job(job)
