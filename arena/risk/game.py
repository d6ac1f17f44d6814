"""One game of Risk as a state machine: ask `decision` of `seat`, apply an order, until there is a result."""

from collections.abc import Iterable
from hashlib import blake2b
from json import dumps
from typing import Any, NamedTuple, Protocol

from arena.errors import ConfigError, IllegalOrder
from arena.risk import cards
from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.dice import attacker_losses
from arena.risk.orders import Attack, Fortify
from arena.risk.rules import (
    BONUS_PER_CARD,
    BONUS_PER_TURN,
    DRAW_NONE,
    DRAW_ONE_A_TURN,
    FORTIFY_ADJACENT,
    FORTIFY_CONNECTED,
    FORTIFY_NONE,
    SCORE_TERRITORIES,
    Rules,
)
from arena.risk.stream import Stream, derive_seed
from arena.risk.view import View, connected


class Dice(Protocol):
    """What a game rolls with: one number from [0, 1) is one roll."""

    def random(self) -> float:
        """The next number in [0, 1)."""


class Result(NamedTuple):
    """How a game ended; tuples are by seat."""

    winner: int | None
    """A seat, or None when unfinished."""
    finish: tuple[int | None, ...]
    """Order in which the players ended, 1 = won; None for those still standing in an unfinished game."""
    eliminated_round: tuple[int | None, ...]
    territories: tuple[int, ...]
    troops: tuple[int, ...]
    starter: int
    rounds: int
    rolls: int
    decisions: int
    digest: str
    """Hex digest of all orders, turn by turn, and of the final position."""


def shown(value: object) -> str:
    """A value from outside, safe to print: whatever it is, its own code does not run."""
    if type(value) is int:
        return str(value) if value.bit_length() < 64 else "a huge int"
    if value is None or type(value) is bool or type(value) is float:
        return repr(value)
    return f"a {type(value).__name__}"


class Game:
    """A game under `rules` with `players` seats, fully determined by `seed` and the orders.

    `asks_defend` are the seats that choose their defence dice; for the others the most allowed are rolled.
    Raises ConfigError when the edition does not allow that number of players.
    """

    def __init__(
        self, rules: Rules, players: int, seed: int = 0, asks_defend: Iterable[int] = (), *, deal: bool = True
    ) -> None:
        allowed = rules.starting_troops
        if players not in allowed:
            raise ConfigError(
                f"edition {rules.edition}: expected {min(allowed)}–{max(allowed)} players, got {shown(players)}"
            )
        n = len(rules.board.names)
        self.rules = rules
        self.board = rules.board
        self.players = players
        self.seed = seed
        self.asks_defend = tuple(sorted(set(asks_defend)))

        self.owners: list[int] = [UNCLAIMED] * n
        self.troops: list[int] = [0] * n
        self.hands: list[list[int]] = [[] for _ in range(players)]
        self.draw_pile: list[int] = []  # the last is drawn next
        self.discards: list[int] = []
        self.sets_traded = 0
        self.exits: list[int] = []  # seats in the order in which they fell or went passive
        self.passive: list[bool] = [False] * players
        self.eliminated_round: list[int | None] = [None] * players

        self.seat: int | None = 0
        self.decision: str | None = "claim"
        self.round = 0
        self.starter = 0
        self.placing: list[int] = [0] * (players + 1)  # setup: troops left by seat, the neutral's last
        self.placing_for = 0
        # The turn
        self.to_place = 0
        self.captured = 0
        self.trades = 0
        self.bonuses = 0
        self.attacked = False
        self.moves = 0  # fortifies made
        # The battle: from the attack order until its end or the occupation
        self.src = -1
        self.dst = -1
        self.dice = 0
        self.until: int | None = None
        self.inherited = False  # the capture eliminated a seat

        self.rolls = 0
        self.decisions = 0
        self.history: list[Any] = []  # every order since this object was made, as JSON would hold it
        self.turn_start = 0  # where this turn's orders begin in it
        self.chain = b""
        self.result: Result | None = None
        self._owners: tuple[int, ...] | None = None  # snapshots for the views, until something changes
        self._troops: tuple[int, ...] | None = None

        self.streams: dict[str, Stream] = {
            name: Stream(derive_seed(seed, name))
            for name in ("setup", "deck", *(f"dice-{seat}" for seat in range(players)))
        }
        self.loaded_dice: Dice | None = None  # rolls every roll in place of the streams
        if deal:
            self._deal()

    # --- what a driver calls

    def legal(self, order: object) -> str | None:
        """Why `order` may not be given now, or None when it may."""
        decision = self.decision
        if decision == "claim":
            return self._check_claim(order)
        if decision == "place":
            return self._check_place(order)
        if decision == "trade":
            return self._check_trade(order)
        if decision == "reinforce":
            return self._check_reinforce(order)
        if decision == "attack":
            return self._check_attack(order)
        if decision == "defend":
            return self._check_number("dice", order, 1, self._most_defence_dice())
        if decision == "occupy":
            return self._check_number("troops", order, self.dice, self.troops[self.src] - 1)
        if decision == "fortify":
            return self._check_fortify(order)
        return "the game is over"

    def apply(self, order: Any) -> None:
        """Carry out the order of the seat to decide; IllegalOrder leaves the game as it was."""
        reason = self.legal(order)
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
            self._battle(order)
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

    def leave(self, seat: int) -> None:
        """Make `seat` passive: it defends and never acts, and its hand goes to the discards.

        It cannot win and ranks last of those alive now. IllegalOrder when it is no longer in the game.
        """
        if self.result is not None:
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
        asked = self.seat == seat
        if self.round > 0 and self._turn_seat() == seat:
            if self.decision == "occupy":
                self._move_in(self.dice)
            if not self._check_over():
                self.captured = 0  # a seat that left draws no card
                self._end_turn()
        elif not self._check_over() and asked:
            if self.decision == "defend":
                self._battle(0)
            else:
                self._ask_placing(self._rotation().index(self._slot()))

    def view(self) -> View:
        """What the seat to decide may see. Raises IllegalOrder when the game is over."""
        seat = self.seat
        decision = self.decision
        if seat is None or decision is None:
            raise IllegalOrder("view: the game is over")
        if self._owners is None:
            self._owners = tuple(self.owners)
        if self._troops is None:
            self._troops = tuple(self.troops)
        least = most = src = dst = -1
        if decision == "occupy":
            least, most, src, dst = self.dice, self.troops[self.src] - 1, self.src, self.dst
        elif decision == "defend":
            least, most, src, dst = 1, self._most_defence_dice(), self.src, self.dst
        setup = self.round == 0
        return View(
            rules=self.rules,
            players=self.players,
            seat=seat,
            decision=decision,
            round=self.round,
            starter=self.starter,
            owners=self._owners,
            troops=self._troops,
            hand=tuple(self.hands[seat]),
            hand_sizes=tuple([len(hand) for hand in self.hands]),
            discards=tuple(self.discards),
            draw_pile_size=len(self.draw_pile),
            sets_traded=self.sets_traded,
            next_set_value=cards.next_value(self.rules, self.sets_traded),
            to_place=self.placing[self._slot()] if setup else self.to_place,
            placing_for=self.placing_for if setup else seat,
            forced=self._must_trade() if decision == "trade" else self._must_attack(),
            bonus_due=self._bonus_due(),
            src=src,
            dst=dst,
            least=least,
            most=most,
            eliminated=tuple([s for s in self.exits if self.eliminated_round[s] is not None]),
            passive=tuple([s for s in range(self.players) if self.passive[s]]),
        )

    def copy(self) -> "Game":
        """An independent game that goes on from here with the same dice and deck."""
        new = Game(self.rules, self.players, self.seed, self.asks_defend, deal=False)
        new.owners = self.owners.copy()
        new.troops = self.troops.copy()
        new.hands = [hand.copy() for hand in self.hands]
        new.draw_pile = self.draw_pile.copy()
        new.discards = self.discards.copy()
        new.sets_traded = self.sets_traded
        new.exits = self.exits.copy()
        new.passive = self.passive.copy()
        new.eliminated_round = self.eliminated_round.copy()
        new.seat = self.seat
        new.decision = self.decision
        new.round = self.round
        new.starter = self.starter
        new.placing = self.placing.copy()
        new.placing_for = self.placing_for
        new.to_place = self.to_place
        new.captured = self.captured
        new.trades = self.trades
        new.bonuses = self.bonuses
        new.attacked = self.attacked
        new.moves = self.moves
        new.src = self.src
        new.dst = self.dst
        new.dice = self.dice
        new.until = self.until
        new.inherited = self.inherited
        new.rolls = self.rolls
        new.decisions = self.decisions
        new.history = self.history[self.turn_start :]
        new.chain = self.chain
        new.result = self.result
        new.streams = {name: stream.copy() for name, stream in self.streams.items()}
        new.loaded_dice = self.loaded_dice
        return new

    # --- setup

    def _deal(self) -> None:
        """Roll for the starter, shuffle the deck, count out the troops and ask the first claim."""
        rules, setup = self.rules, self.streams["setup"]
        tied = list(range(self.players))
        while len(tied) > 1:
            faces = [setup.below(6) for _ in tied]
            best = max(faces)
            tied = [seat for seat, face in zip(tied, faces, strict=True) if face == best]
        self.starter = tied[0]
        deck = list(range(len(self.owners) + rules.wilds))
        self.streams["deck"].shuffle(deck)
        self.draw_pile = deck
        neutral = rules.neutral_troops.get(self.players, 0)
        self.placing = [rules.starting_troops[self.players]] * self.players + [neutral]
        if rules.random_deal:
            self._deal_territories()
        else:
            self._ask_placing(0)

    def _deal_territories(self) -> None:
        rotation = self._rotation()
        territories = list(range(len(self.owners)))
        self.streams["setup"].shuffle(territories)
        for i, t in enumerate(territories):
            self._put_first(t, rotation[i % len(rotation)])
        self.decision = "place"
        self._ask_placing(0 if self.rules.placing_restarts else len(territories) % len(rotation))

    def _put_first(self, territory: int, slot: int) -> None:
        self.owners[territory] = NEUTRAL if slot == self.players else slot
        self._owners = None
        self.troops[territory] = 1
        self.placing[slot] -= 1

    def _rotation(self) -> list[int]:
        """The slots in setup order: the seats from the starter on, then the neutral army."""
        slots = [(self.starter + i) % self.players for i in range(self.players)]
        return [*slots, self.players] if self.players in self.rules.neutral_troops else slots

    def _slot(self) -> int:
        return self.players if self.placing_for == NEUTRAL else self.placing_for

    def _ask_placing(self, index: int) -> None:
        """Ask the first slot from `index` of the rotation on that can put a troop; else begin the rounds."""
        rotation = self._rotation()
        for i in range(index, index + len(rotation)):
            slot = rotation[i % len(rotation)]
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
        self.placing_for = 0
        self._close_turn()
        for seat in range(self.players):
            if seat not in self.owners:
                self._eliminate(seat)
        if not self._check_over():
            self.seat = self.starter
            if self.starter in self.exits:
                self._next_turn()
            else:
                self._begin_turn()

    def _check_claim(self, order: object) -> str | None:
        if type(order) is not int or not 0 <= order < len(self.owners):
            return f"expected a territory 0–{len(self.owners) - 1}, got {shown(order)}"
        if self.owners[order] != UNCLAIMED:
            return f"{self.board.names[order]} is already claimed"
        return None

    def _do_claim(self, territory: int) -> None:
        rotation = self._rotation()
        index = rotation.index(self._slot())
        self._put_first(territory, self._slot())
        if UNCLAIMED not in self.owners:
            self.decision = "place"
            if self.rules.placing_restarts:
                index = -1
        self._ask_placing(index + 1)

    def _check_place(self, order: object) -> str | None:
        if type(order) is not int or not 0 <= order < len(self.owners):
            return f"expected a territory 0–{len(self.owners) - 1}, got {shown(order)}"
        if self.owners[order] != self.placing_for:
            whose = "the neutral's" if self.placing_for == NEUTRAL else "one's own"
            return f"{self.board.names[order]} is not {whose}"
        return None

    def _do_place(self, territory: int) -> None:
        self.troops[territory] += 1
        self.placing[self._slot()] -= 1
        self._ask_placing(self._rotation().index(self._slot()) + 1)

    # --- the turn

    def _turn_seat(self) -> int:
        """The seat whose turn it is: also while another is asked to defend."""
        seat = self.owners[self.src] if self.decision == "defend" else self.seat
        assert seat is not None
        return seat

    def _begin_turn(self) -> None:
        seat = self.seat
        assert seat is not None
        self.captured = 0
        self.trades = 0
        self.bonuses = 0
        self.attacked = False
        self.moves = 0
        self.to_place = self.reinforcement(seat)
        self._ask_trade(cards.holds_set(self.rules, self.hands[seat]))

    def reinforcement(self, seat: int) -> int:
        """Troops for the territories and continents that `seat` holds now."""
        held = self.board.continents_held(self.owners, seat)
        base = max(self.rules.minimum, self.owners.count(seat) // self.rules.divisor)
        return base + sum([self.board.continent_bonus[c] for c in held])

    def _ask_trade(self, trade: bool) -> None:
        """Go on with a trade where `trade`, else with the next phase of the turn."""
        if trade:
            self.decision = "trade"
        elif self.to_place > 0:
            self.decision = "reinforce"
        else:
            self.decision = "attack"

    def _must_trade(self) -> bool:
        """Captures come only after the trades of the turn's start, so a later trade is a forced one."""
        if self.captured > 0:
            return True
        return self.trades == 0 and len(self.hands[self._turn_seat()]) >= self.rules.forced_at

    def _bonus_due(self) -> bool:
        rules = self.rules
        return rules.own_bonus > 0 and (rules.own_bonus_limit != BONUS_PER_TURN or self.bonuses == 0)

    def _check_trade(self, order: object) -> str | None:
        if order is None:
            return "expected a set, got None: a trade is forced" if self._must_trade() else None
        if type(order) is not tuple or not 3 <= len(order) <= 4:
            return f"expected three cards, a bonus territory after them where one is to be chosen, or None, got {shown(order)}"
        hand = self.hands[self._turn_seat()]
        for card in order[:3]:
            if type(card) is not int or card not in hand:
                return f"expected cards in hand, got {shown(card)}"
        a, b, c = order[:3]
        if a == b or b == c or a == c:
            return "expected three different cards"
        if not cards.is_set(self.rules, a, b, c):
            return f"{', '.join([self.board.card_name(card) for card in (a, b, c)])} are no set"
        return self._check_bonus(order)

    def _check_bonus(self, order: tuple[Any, ...]) -> str | None:
        named = self._own_named(order)
        if len(order) == 4:
            if not self._bonus_due():
                return "expected no bonus territory: no bonus is due"
            if type(order[3]) is not int or order[3] not in named:
                return f"expected a bonus territory that is own and named by the set, got {shown(order[3])}"
        elif len(named) > 1 and self._bonus_due() and self.rules.own_bonus_limit != BONUS_PER_CARD:
            return "expected a bonus territory after the cards: the set names several own territories"
        return None

    def _own_named(self, order: tuple[Any, ...]) -> list[int]:
        seat = self._turn_seat()
        return [c for c in order[:3] if c < len(self.owners) and self.owners[c] == seat]

    def _do_trade(self, order: tuple[int, ...] | None) -> None:
        if order is None:
            self._ask_trade(False)
            return
        rules, hand = self.rules, self.hands[self._turn_seat()]
        if self._bonus_due():
            named = self._own_named(order)
            if named and rules.own_bonus_limit != BONUS_PER_CARD:
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
        more = len(hand) > rules.forced_until if self.captured > 0 else True
        self._ask_trade(more and cards.holds_set(rules, hand))

    def _check_reinforce(self, order: object) -> str | None:
        if type(order) is not tuple:
            return f"expected ((territory, troops), …), got {shown(order)}"
        seat = self.seat
        seen: set[int] = set()
        total = 0
        for item in order:
            if type(item) is not tuple or len(item) != 2:
                return f"expected (territory, troops), got {shown(item)}"
            t, n = item
            if type(t) is not int or not 0 <= t < len(self.owners):
                return f"expected a territory 0–{len(self.owners) - 1}, got {shown(t)}"
            if self.owners[t] != seat:
                return f"{self.board.names[t]} is not one's own"
            if t in seen:
                return f"{self.board.names[t]} stands twice"
            if type(n) is not int or n < 1:
                return f"expected at least 1 troop on {self.board.names[t]}, got {shown(n)}"
            seen.add(t)
            total += n
        if total != self.to_place:
            return f"expected {self.to_place} troops in all, got {shown(total)}"
        return None

    def _do_reinforce(self, order: tuple[tuple[int, int], ...]) -> None:
        for t, n in order:
            self.troops[t] += n
        self.to_place = 0
        self.decision = "attack"

    # --- combat

    def _can_attack(self) -> bool:
        seat, owners, neighbours = self.seat, self.owners, self.board.neighbours
        return any(
            owners[t] == seat and troops > 1 and any(owners[u] != seat for u in neighbours[t])
            for t, troops in enumerate(self.troops)
        )

    def _must_attack(self) -> bool:
        return (
            self.rules.must_attack and self.decision == "attack" and not self.attacked and self._can_attack()
        )

    def _check_attack(self, order: object) -> str | None:
        if order is None:
            return "expected an attack, got None: an attack is forced" if self._must_attack() else None
        if type(order) is not Attack:
            return f"expected Attack or None, got {shown(order)}"
        src, dst, dice, until = order
        for t in (src, dst):
            if type(t) is not int or not 0 <= t < len(self.owners):
                return f"expected a territory 0–{len(self.owners) - 1}, got {shown(t)}"
        names, seat = self.board.names, self.seat
        if self.owners[src] != seat:
            return f"{names[src]} is not one's own"
        if self.owners[dst] == seat:
            return f"{names[dst]} is one's own"
        if dst not in self.board.neighbours[src]:
            return f"{names[src]} does not touch {names[dst]}"
        troops = self.troops[src]
        if troops < 2:
            return f"expected at least 2 troops on {names[src]}, found {troops}"
        most = min(self.rules.attack_dice, troops - 1)
        if dice is not None and (type(dice) is not int or not 1 <= dice <= most):
            return f"expected 1–{most} dice, got {shown(dice)}"
        if until is not None and (type(until) is not int or not 0 <= until < troops):
            return f"expected until in 0–{troops - 1}, got {shown(until)}"
        return None

    def _do_attack(self, order: Attack | None) -> None:
        if order is None:
            self._ask_fortify()
            return
        self.attacked = True
        self.src = order.src
        self.dst = order.dst
        self.until = order.until
        self.dice = order.dice or self.rules.attack_dice
        self._battle(0)

    def _most_defence_dice(self) -> int:
        return min(self.rules.defence_dice, self.troops[self.dst])

    def _battle(self, defence_dice: int) -> None:
        """Roll until the order is carried out; 0 defence dice: ask the defender, or roll the most allowed."""
        src, dst = self.src, self.dst
        attacker, defender = self.owners[src], self.owners[dst]
        asks = defender in self.asks_defend and not self.passive[defender]
        while True:
            self.dice = min(self.dice, self.troops[src] - 1)
            if defence_dice == 0:
                if asks:
                    self.seat = defender
                    self.decision = "defend"
                    return
                defence_dice = self._most_defence_dice()
            self._roll(attacker, self.dice, defence_dice)
            defence_dice = 0
            if self.troops[dst] == 0:
                self._capture(attacker, defender)
                return
            if self.until is None or self.troops[src] <= max(self.until, 1):
                self.seat = attacker
                self.decision = "attack"
                return

    def _roll(self, attacker: int, dice: int, defence_dice: int) -> None:
        losses = attacker_losses(dice, defence_dice, self.rules.ties_to_attacker)
        source = self.loaded_dice if self.loaded_dice is not None else self.streams[f"dice-{attacker}"]
        lost = losses[int(source.random() * len(losses))]
        self.troops[self.src] -= lost
        self.troops[self.dst] -= min(dice, defence_dice) - lost
        self.rolls += 1

    def _capture(self, attacker: int, defender: int) -> None:
        self.seat = attacker
        self.decision = "occupy"
        self.owners[self.dst] = attacker
        self._owners = None
        self.captured += 1
        self.inherited = defender >= 0 and defender not in self.owners
        if self.inherited:
            self.hands[attacker] += self.hands[defender]
            self.hands[defender] = []
            self._eliminate(defender)
        if self._is_over():
            self._move_in(self.dice)
            self._check_over()

    def _move_in(self, troops: int) -> None:
        self.troops[self.src] -= troops
        self.troops[self.dst] += troops

    def _do_occupy(self, troops: int) -> None:
        self._move_in(troops)
        hand = self.hands[self._turn_seat()]
        trade = self.inherited and len(hand) >= self.rules.forced_at_elimination
        self._ask_trade(trade and cards.holds_set(self.rules, hand))

    def _check_number(self, what: str, order: object, least: int, most: int) -> str | None:
        if type(order) is not int or not least <= order <= most:
            return f"expected {least}–{most} {what}, got {shown(order)}"
        return None

    # --- the end of a turn

    def _ask_fortify(self) -> None:
        if self.rules.fortify_reach == FORTIFY_NONE:
            self._end_turn()
        else:
            self.decision = "fortify"

    def _check_fortify(self, order: object) -> str | None:
        if order is None:
            return None
        if type(order) is not Fortify:
            return f"expected Fortify or None, got {shown(order)}"
        src, dst, troops = order
        names = self.board.names
        for t in (src, dst):
            if type(t) is not int or not 0 <= t < len(self.owners):
                return f"expected a territory 0–{len(self.owners) - 1}, got {shown(t)}"
            if self.owners[t] != self.seat:
                return f"{names[t]} is not one's own"
        if src == dst:
            return f"expected two territories, got {names[src]} twice"
        most = self.troops[src] - 1
        if type(troops) is not int or not 1 <= troops <= most:
            return f"expected 1–{most} troops, got {shown(troops)}" if most else f"{names[src]} has no troop to spare"
        reach = self.rules.fortify_reach
        if reach == FORTIFY_ADJACENT and dst not in self.board.neighbours[src]:
            return f"{names[src]} does not touch {names[dst]}"
        if reach == FORTIFY_CONNECTED and dst not in connected(self.board, self.owners, src):
            return f"no chain of own territories leads from {names[src]} to {names[dst]}"
        return None

    def _do_fortify(self, order: Fortify | None) -> None:
        if order is None:
            self._end_turn()
            return
        self.troops[order.src] -= order.troops
        self.troops[order.dst] += order.troops
        self.moves += 1
        # A move along each link of a tree over n territories makes any arrangement: n are enough for
        # everybody, and a bot that moves to and fro for ever is stopped.
        if not self.rules.fortify_many or self.moves == len(self.owners):
            self._end_turn()

    def _end_turn(self) -> None:
        if self.captured > 0 and self.rules.draw != DRAW_NONE:
            self._draw(1 if self.rules.draw == DRAW_ONE_A_TURN else self.captured)
        self._close_turn()
        self._next_turn()

    def _draw(self, count: int) -> None:
        hand = self.hands[self._turn_seat()]
        for _ in range(count):
            if not self.draw_pile:
                self.draw_pile, self.discards = self.discards, []
                self.streams["deck"].shuffle(self.draw_pile)
            if self.draw_pile:
                hand.append(self.draw_pile.pop())

    def _close_turn(self) -> None:
        """Chain this turn's orders into the digest."""
        orders = dumps(self.history[self.turn_start :], separators=(",", ":"))
        self.chain = blake2b(self.chain + orders.encode(), digest_size=16).digest()
        self.turn_start = len(self.history)

    def _next_turn(self) -> None:
        seat = self._turn_seat()
        while True:
            seat = (seat + 1) % self.players
            if seat == self.starter:
                self.round += 1
            if seat not in self.exits:
                break
        limit = self.rules.scored_rounds or self.rules.max_rounds
        if self.round > limit:
            self.round = limit
            self._finish(self._best_score() if self.rules.scored_rounds else None)
        else:
            self.seat = seat
            self._begin_turn()

    # --- the end of the game

    def _eliminate(self, seat: int) -> None:
        self.eliminated_round[seat] = self.round
        if seat not in self.exits:
            self.exits.append(seat)

    def _active(self) -> list[int]:
        return [seat for seat in range(self.players) if seat not in self.exits]

    def _is_over(self) -> bool:
        """One active seat is left and nothing that the edition counts stands against it.

        A passive rival cannot win: who is left alone with such rivals has won. A neutral army is no rival
        that left: unless the edition says so, it must be conquered.
        """
        rivals_left = len(self.exits) < self.players - 1
        if rivals_left:
            return False
        stands = self.round == 0 or NEUTRAL in self.owners
        any_passive = any([p and self.eliminated_round[s] is None for s, p in enumerate(self.passive)])
        return any_passive or self.rules.last_rival_decides or not stands or len(self.exits) == self.players

    def _check_over(self) -> bool:
        if self._is_over():
            active = self._active()
            self._finish(active[0] if active else None)
            return True
        return False

    def _scores(self) -> list[tuple[int, ...]]:
        """By seat what the edition's score compares."""
        territories, troops = self._holdings()
        return [
            tuple([territories[s] if kind == SCORE_TERRITORIES else troops[s] for kind in self.rules.score])
            for s in range(self.players)
        ]

    def _best_score(self) -> int | None:
        scores, active = self._scores(), self._active()
        best = max([scores[s] for s in active])
        tied = [s for s in active if scores[s] == best]
        if len(tied) > 1 and not self.rules.tied_score_to_later_turn:
            return None
        return max(tied, key=self._turn_position)

    def _turn_position(self, seat: int) -> int:
        return (seat - self.starter) % self.players

    def _holdings(self) -> tuple[list[int], list[int]]:
        """Territories and troops by seat."""
        territories = [0] * self.players
        troops = [0] * self.players
        for owner, count in zip(self.owners, self.troops, strict=True):
            if owner >= 0:
                territories[owner] += 1
                troops[owner] += count
        return territories, troops

    def _finish(self, winner: int | None) -> None:
        self.seat = None
        self.decision = None
        finish: list[int | None] = [None] * self.players
        for i, seat in enumerate(self.exits):
            finish[seat] = self.players - i
        if winner is not None:
            finish[winner] = 1
        if self.rules.scored_rounds and self.round == self.rules.scored_rounds:
            self._rank_scores(finish)
        territories, troops = self._holdings()
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
        standing = [s for s in self._active() if finish[s] is None]
        for seat in standing:
            better = sum([scores[other] >= scores[seat] for other in standing if other != seat])
            finish[seat] = better + (2 if 1 in finish else 1)
