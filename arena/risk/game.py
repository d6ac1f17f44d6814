"""One game of Risk as a state machine: ask `decision` of `seat`, apply an order, until there is a result."""

from collections.abc import Iterable
from hashlib import blake2b
from json import dumps
from typing import Any, NoReturn

from arena.errors import IllegalOrder, shown
from arena.risk import cards
from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.dump import dump
from arena.risk.legal import refusal
from arena.risk.orders import Attack, Fortify, is_leaving, orders_json
from arena.risk.result import Result
from arena.risk.rules import Rules
from arena.risk.state import DECK, DICE, SETUP, State


class Game(State):
    """A game under `rules` with `players` seats, fully determined by `seed` and the orders.

    `asks_defend` are the seats that choose their defence dice; for the others the most allowed are rolled.
    Raises ConfigError when the edition does not allow that number of players.
    """

    __slots__ = ()

    def __init__(
        self, rules: Rules, players: int, seed: int = 0, asks_defend: Iterable[int] = (), *, deal: bool = True
    ) -> None:
        super().__init__(rules, players, seed, asks_defend)
        if deal:
            self._deal()

    def __repr__(self) -> str:
        asked = f"seat {self.seat} to {self.decision}" if self.result is None else "over"
        return (
            f"<Game {self.rules.edition}, {self.players} players, seed {self.seed}: round {self.round},"
            f" after {self.decisions} decisions, {asked}>"
        )

    # --- what a driver calls

    def legal(self, order: object) -> str | None:
        """Why `order` may not be given now, or None when it may."""
        return refusal(self, order)

    def apply(self, order: Any) -> None:
        """Carry out the order of the seat to decide; IllegalOrder leaves the game as it was."""
        reason = refusal(self, order)
        if reason is not None:
            raise IllegalOrder(f"{self.decision}: {reason}" if self.decision else reason)
        decision = self.decision
        self.decisions += 1
        self.history.append(order)
        self._troops = None
        if decision == "attack":
            self._do_attack(order)
        elif decision == "occupy":
            self._do_occupy(order)
        elif decision == "defend":
            self._do_defend(order)
        elif decision == "place":
            self._do_place(order)
        elif decision == "claim":
            self._do_claim(order)
        elif decision == "reinforce":
            self._do_reinforce(order)
        elif decision == "trade":
            self._do_trade(order)
        else:
            self._do_fortify(order)

    def leave(self, seat: Any) -> None:
        """Make `seat` passive: it defends and never acts, and its hand goes to the discards.

        It cannot win and ranks last of those alive now. Who has won only because the others left may leave
        too: then nobody has won. IllegalOrder when the seat is no longer in the game.
        """
        is_last = self.result is not None and self.result.winner == seat
        if self.result is not None and not (is_last and is_leaving(self.history[-1])):
            raise IllegalOrder("leave: the game is over")
        if type(seat) is not int or not 0 <= seat < self.players:
            raise IllegalOrder(f"leave: expected a seat 0–{self.players - 1}, got {shown(seat)}")
        if seat in self.exits:
            raise IllegalOrder(f"leave: seat {seat} is already out or passive")
        self.history.append(("leave", seat))
        self._troops = None
        self.passive[seat] = True
        self.exits.append(seat)
        self.discards += self.hands[seat]
        self.hands[seat] = []
        self._table = None
        asked = self.seat == seat
        if is_last:
            self._finish(None)
        elif not self.in_setup() and self.turn_seat() == seat:
            if not self.close_if_over():
                if self.decision == "occupy":
                    self._move_in(self.dice)
                self.captured = 0  # a seat that left draws no card
                self._end_turn()
        elif not self.close_if_over() and asked:
            if self.decision == "defend":
                self._do_defend(0)
            else:
                self._ask_placing(self._index())

    def history_json(self) -> str:
        """`history` as JSON without spaces."""
        turns = [*self.closed_turns, orders_json(self.history[self.turn_start :])]
        return f"[{','.join([turn for turn in turns if turn])}]"

    def to_position(self) -> dict[str, Any]:
        """Everything about the game as JSON-ready data; `arena.load_position` goes on from it."""
        return dump(self)

    def copy(self) -> "Game":
        """An independent game that goes on from here with the same dice and deck."""
        new = Game(self.rules, self.players, self.seed, self.asks_defend, deal=False)
        self.copy_to(new)
        return new

    def __copy__(self) -> "Game":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "Game":
        return self.copy()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a game is not pickled: to_position() has all of it as data")

    # --- setup

    def _deal(self) -> None:
        """Roll for the starter, shuffle the deck, count out the troops and ask the first claim."""
        rules, setup = self.rules, self.streams[SETUP]
        tied = list(range(self.players))
        while len(tied) > 1:
            faces = [setup.below(6) for _ in tied]
            best = max(faces)
            tied = [seat for seat, face in zip(tied, faces, strict=True) if face == best]
        self.starter = tied[0]
        deck = list(range(len(self.owners) + rules.wilds))
        self.streams[DECK].shuffle(deck)
        self.draw_pile = deck
        neutral = rules.neutral_troops.get(self.players, 0)
        self.placing = [rules.starting_troops[self.players]] * self.players + [neutral]
        if rules.random_deal:
            self._deal_territories()
        else:
            self._ask_placing(0)

    def _deal_territories(self) -> None:
        territories, slots = list(range(len(self.owners))), self._slots()
        self.streams[SETUP].shuffle(territories)
        for i, t in enumerate(territories):
            self._put_first(t, self._slot_at(i % slots))
        self.decision = "place"
        self._ask_placing(0 if self.rules.placing_restarts else len(territories))

    def _put_first(self, territory: int, slot: int) -> None:
        self.owners[territory] = NEUTRAL if slot == self.players else slot
        self._owners = None
        self.troops[territory] = 1
        self.placing[slot] -= 1
        self._table = None

    def _slots(self) -> int:
        """How many put troops in setup: the seats and, where there is one, the neutral."""
        return self.players + (1 if self.players in self.rules.neutral_troops else 0)

    def _slot_at(self, index: int) -> int:
        """The slot at `index` of the setup order: the seats from the starter on, then the neutral."""
        return (self.starter + index) % self.players if index < self.players else self.players

    def _index(self) -> int:
        """Where the slot that puts now stands in the setup order."""
        slot = self.slot()
        return self.turn_position(slot) if slot < self.players else slot

    def _ask_placing(self, index: int) -> None:
        """Ask the first slot from `index` of the order on that can put a troop; else begin the rounds."""
        slots = self._slots()
        for i in range(index, index + slots):
            slot = self._slot_at(i % slots)
            owner = NEUTRAL if slot == self.players else slot
            if self.placing[slot] < 1 or (owner >= 0 and self.passive[owner]):
                continue
            if self.decision == "place" and owner not in self.owners:
                continue
            self.placing_for = owner
            self.seat = self._neutral_chooser() if owner == NEUTRAL else owner
            return
        self._begin_rounds()

    def _neutral_chooser(self) -> int:
        """The players put the neutral's troops in alternation, the starter first."""
        put = self.rules.neutral_troops[self.players] - self.placing[self.players]
        if self.rules.random_deal:
            put -= self.owners.count(NEUTRAL)  # dealt, not put by anyone
        chooser = (self.starter + put) % self.players
        while self.passive[chooser]:
            chooser = (chooser + 1) % self.players
        return chooser

    def _begin_rounds(self) -> None:
        for t, owner in enumerate(self.owners):
            if owner == UNCLAIMED:  # only where so many seats left that the troops did not reach
                self.owners[t] = NEUTRAL
                self.troops[t] = 1
        self._owners = None
        self.round = 1
        self.placing = [0] * len(self.placing)  # what those who left had not put is lost
        self.placing_for = 0
        self._close_turn()
        for seat in range(self.players):
            if seat not in self.owners:
                self._eliminate(seat)
        if not self.close_if_over():
            self.seat = self.starter
            if self.starter in self.exits:
                self._next_turn()
            else:
                self._begin_turn()

    def _do_claim(self, territory: int) -> None:
        index = self._index()
        self._put_first(territory, self.slot())
        if UNCLAIMED not in self.owners:
            self.decision = "place"
            if self.rules.placing_restarts:
                index = -1
        self._ask_placing(index + 1)

    def _do_place(self, territory: int) -> None:
        self.troops[territory] += 1
        self.placing[self.slot()] -= 1
        self._table = None
        self._ask_placing(self._index() + 1)

    def _begin_turn(self) -> None:
        seat = self.seat
        assert seat is not None
        self.captured = 0
        self.trades = 0
        self.bonuses = 0
        self.attacked = False
        self.moves = 0
        self.to_place = self.rules.income(self.owners, seat)
        self._ask_trade(cards.holds_set(self.rules, self.hands[seat]))

    def _ask_trade(self, trade: bool) -> None:
        """Go on with a trade where `trade`, else with the next phase of the turn."""
        if trade:
            self.decision = "trade"
        elif self.to_place > 0:
            self.decision = "reinforce"
        else:
            self.decision = "attack"

    def _do_trade(self, order: tuple[int, ...] | None) -> None:
        if order is None:
            self._ask_trade(False)
            return
        rules, hand = self.rules, self.hands[self.turn_seat()]
        if self.bonus_due():
            named = self.own_named(order)
            if named and rules.own_bonus_limit != "per-card":
                named = [order[3]] if len(order) == 4 else named
            for t in named:
                self.troops[t] += rules.own_bonus
                self.bonuses += 1
        traded = (order[0], order[1], order[2])
        for card in traded:
            hand.remove(card)
            self.discards.append(card)
        self.to_place += cards.set_value(rules, traded, self.sets_traded)
        self.sets_traded += 1
        self.trades += 1
        self._table = None
        more = len(hand) > rules.forced_until if self.captured > 0 else True
        self._ask_trade(more and cards.holds_set(rules, hand))

    def _do_reinforce(self, order: tuple[tuple[int, int], ...]) -> None:
        for t, n in order:
            self.troops[t] += n
        self.to_place = 0
        self.decision = "attack"

    def _do_attack(self, order: Attack | None) -> None:
        if order is None:
            self._ask_fortify()
            return
        self.attacked = True
        self.src, self.dst, self.until = order.src, order.dst, order.until
        self.dice = order.dice or self.rules.attack_dice
        self._battle(0)

    def _do_defend(self, dice: int) -> None:
        self.seat = self.turn_seat()
        self.decision = "attack"
        self._battle(dice)

    def _battle(self, defence_dice: int) -> None:
        """Roll until the order is carried out; 0 defence dice: ask the defender, or roll the most allowed."""
        src, dst, until, dice = self.src, self.dst, self.until, self.dice
        owners, troops = self.owners, self.troops
        attacker, defender = owners[src], owners[dst]
        left, held = troops[src], troops[dst]
        asks = defender in self.asks_defend and not self.passive[defender]
        if asks and defence_dice == 0:
            self.dice = min(dice, left - 1)
            self.seat = defender
            self.decision = "defend"
            return
        least = left if until is None else until or 1  # with no more than these the rolls end
        most_defence = defence_dice or self.rules.defence_dice
        stream = self.streams[DICE + attacker]
        draw = stream.source() if self.loaded_dice is None else self.loaded_dice.random
        tables, rolls = self._losses, 0
        while True:
            if dice >= left:
                dice = left - 1
            defence_dice = held if held < most_defence else most_defence
            losses = tables[dice][defence_dice]
            lost = losses[int(draw() * len(losses))]
            left -= lost
            held += lost - (dice if dice < defence_dice else defence_dice)
            rolls += 1
            if held == 0 or left <= least or asks:
                break
        troops[src] = left
        troops[dst] = held
        self.dice = dice
        self.rolls += rolls
        if self.loaded_dice is None:
            stream.draws += rolls
        if held == 0:
            self._capture(attacker, defender)
        elif asks and left > least:
            self._battle(0)

    def _capture(self, attacker: int, defender: int) -> None:
        self.decision = "occupy"
        self.owners[self.dst] = attacker
        self._owners = None
        self.captured += 1
        was_last = defender not in self.owners
        self.inherited = was_last and defender != NEUTRAL
        if self.inherited:
            self.hands[attacker] += self.hands[defender]
            self.hands[defender] = []
            self._eliminate(defender)
        if was_last:
            self.close_if_over()

    def _move_in(self, troops: int) -> None:
        self.troops[self.src] -= troops
        self.troops[self.dst] += troops

    def _do_occupy(self, troops: int) -> None:
        self._move_in(troops)
        self.decision = "attack"
        if self.inherited:
            hand = self.hands[self.turn_seat()]
            if len(hand) >= self.rules.forced_at_elimination and cards.holds_set(self.rules, hand):
                self.decision = "trade"

    # --- the end of a turn

    def _ask_fortify(self) -> None:
        if self.rules.fortify_reach == "none":
            self._end_turn()
        else:
            self.decision = "fortify"

    def _do_fortify(self, order: Fortify | None) -> None:
        if order is None:
            self._end_turn()
            return
        self.troops[order.src] -= order.troops
        self.troops[order.dst] += order.troops
        self.moves += 1
        # A move along each link of a tree over n territories makes any arrangement: n are enough for
        # everybody, and a bot that moves to and fro for ever is stopped.
        if not self.rules.fortify_many or self.moves >= len(self.owners):
            self._end_turn()

    def _end_turn(self) -> None:
        self._table = None
        if self.captured > 0 and self.rules.draw != "none":
            self._draw(1 if self.rules.draw == "one-a-turn" else self.captured)
        self._close_turn()
        self._next_turn()

    def _draw(self, count: int) -> None:
        hand = self.hands[self.turn_seat()]
        for _ in range(count):
            if not self.draw_pile:
                self.draw_pile, self.discards = self.discards, []
                self.held_over = sorted([card for held in self.hands for card in held])
                self.streams[DECK].shuffle(self.draw_pile)
            if self.draw_pile:
                hand.append(self.draw_pile.pop())

    def _close_turn(self) -> None:
        """Chain this turn's orders into the digest."""
        orders = orders_json(self.history[self.turn_start :])
        self.chain = blake2b(self.chain + f"[{orders}]".encode(), digest_size=16).digest()
        self.closed_turns.append(orders)
        self.turn_start = len(self.history)

    def _next_turn(self) -> None:
        seat = self.turn_seat()
        while True:
            seat = (seat + 1) % self.players
            if seat == self.starter:
                self.round += 1
            if seat not in self.exits:
                break
        if self.round > self.last_round():
            self.round = self.last_round()
            self.close()
        else:
            self.seat = seat
            self._begin_turn()

    # --- the end of the game

    def close(self) -> None:
        """End the game undecided: by the score where the edition counts one, else unfinished."""
        self._finish(self._best_score() if self.rules.scored_rounds and self.active() else None)

    def _eliminate(self, seat: int) -> None:
        self.eliminated_round[seat] = self.round
        self._table = None
        if seat not in self.exits:
            self.exits.append(seat)

    def _is_over(self) -> bool:
        """One active seat is left and nothing that the edition counts stands against it.

        A passive rival cannot win: who is left alone with such rivals has won. A neutral is no rival
        that left: unless the edition says so, it must be conquered.
        """
        rivals_left = len(self.exits) < self.players - 1
        if rivals_left:
            return False
        stands = NEUTRAL in self.owners
        any_passive = any([p and self.eliminated_round[s] is None for s, p in enumerate(self.passive)])
        return any_passive or self.rules.last_rival_decides or not stands or len(self.exits) == self.players

    def close_if_over(self) -> bool:
        """End the game where it is decided, and say whether it is.

        What was to be occupied is not asked any more: the dice rolled move in.
        """
        if self._is_over():
            if self.decision == "occupy":
                self._move_in(self.dice)
            active = self.active()
            self._finish(active[0] if active else None)
            return True
        return False

    def _scores(self) -> list[tuple[int, ...]]:
        """By seat what the edition's score compares."""
        territories, troops = self.holdings()
        return [
            tuple([territories[s] if kind == "territories" else troops[s] for kind in self.rules.score])
            for s in range(self.players)
        ]

    def _best_score(self) -> int | None:
        scores, active = self._scores(), self.active()
        best = max([scores[s] for s in active])
        tied = [s for s in active if scores[s] == best]
        if len(tied) > 1 and not self.rules.tied_score_to_later_turn:
            return None
        return max(tied, key=self.turn_position)

    def _finish(self, winner: int | None) -> None:
        self.seat = None
        self.decision = None
        self.to_place = 0
        finish: list[int | None] = [None] * self.players
        for i, seat in enumerate(self.exits):
            finish[seat] = max(self.players - i, 2)  # the last of a table that all have left is not first
        if winner is not None:
            finish[winner] = 1
        if self.rules.scored_rounds and self.round == self.rules.scored_rounds:
            self._rank_scores(finish)
        territories, troops = self.holdings()
        last = [self.owners, self.troops, self.hands, self.draw_pile, self.discards, self.sets_traded]
        orders = self.history[self.turn_start :]
        text = dumps([orders, last, self.round, winner], separators=(",", ":"))
        self.result = Result(
            winner=winner,
            finish=tuple(finish),
            eliminated_round=tuple(self.eliminated_round),
            territories=tuple(territories),
            troops=tuple(troops),
            starter=self.starter,
            rounds=self.round,
            rolls=self.rolls,
            decisions=self.decisions,
            digest=blake2b(self.chain + text.encode(), digest_size=16).hexdigest(),
        )

    def _rank_scores(self, finish: list[int | None]) -> None:
        """Rank those who still stand by their score; equal scores share the worst of their places."""
        scores = self._scores()
        standing = [s for s in self.active() if finish[s] is None]
        for seat in standing:
            better = sum([scores[other] >= scores[seat] for other in standing if other != seat])
            finish[seat] = better + (2 if 1 in finish else 1)
