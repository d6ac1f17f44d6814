"""The game's rules once more, slow and obvious: an oracle for the tests of the real ones.

Written from the rule texts and from what an edition's fields say, not from the game's code, and in another
style on purpose: everything is a dict by territory id or a set of card ids. Chance comes from outside: the
starter, the deck, a random deal, the draws of the dice and the order of a reshuffled pile are handed in.
"""

from typing import Any, TypeGuard

from reference_table import NEUTRAL, Owner, Table

from arena.risk.orders import Attack, Fortify


def _is_int(value: Any) -> TypeGuard[int]:
    return type(value) is int  # True and False are no numbers here


class Reference(Table):
    """One game, from the first claim to its end."""

    # Setup

    def begin(self, dealt: dict[str, Owner] | None = None) -> None:
        """Begin with the first claim, or where the territories are dealt with the placing."""
        setup = self.edition.setup
        players = len(self.seats)
        self.left: dict[Owner, int] = dict.fromkeys(self.seats, setup.starting_troops[players])
        self.takers: list[Owner] = [*self.turn_order]
        if players in setup.neutral_troops:
            self.left[NEUTRAL] = setup.neutral_troops[players]
            self.takers.append(NEUTRAL)
        self.taker_at = 0
        self.neutral_choices = 0
        self.taker: Owner = None
        if dealt is not None:
            for name, owner in dealt.items():
                self.owner[name] = owner
                self.troops[name] = 1
                self.left[owner] -= 1
            self.taker_at = len(dealt)
            self._begin_placing()
        else:
            self.decision = "claim"
            self._next_taker()

    def _begin_placing(self) -> None:
        self.decision = "place"
        if self.edition.setup.placing_starts == "starter":
            self.taker_at = 0
        self._next_taker()

    def _next_taker(self) -> None:
        """Whose troop comes next, and who chooses where."""
        for _ in self.takers:
            self.taker = self.takers[self.taker_at % len(self.takers)]
            if self.left[self.taker] > 0 and self.taker not in self.passive:
                break
            self.taker_at += 1
        else:
            self._end_setup()
            return
        if isinstance(self.taker, int):
            self.seat = self.taker
        else:
            self.seat = self._neutral_chooser()

    def _neutral_chooser(self) -> int:
        """The players choose in alternation, the starter first; one who has left yields to the next."""
        first = self.neutral_choices % len(self.seats)
        alternation = self.turn_order[first:] + self.turn_order[:first]
        return next(seat for seat in alternation if self.is_active(seat))

    def _end_setup(self) -> None:
        self.round = 1
        for name in self.names:
            if self.owner[name] is None:  # so many have left that nobody could claim it
                self.owner[name] = NEUTRAL
                self.troops[name] = 1
        for seat in self.seats:
            if seat not in self.owner.values():
                self._eliminate(seat)
        self._begin_turn(next(seat for seat in self.turn_order if self.is_active(seat)))

    def _put_starting_troop(self, name: str) -> None:
        self.owner[name] = self.taker
        self.troops[name] += 1
        self.left[self.taker] -= 1
        self.taker_at += 1
        if self.taker == NEUTRAL:
            self.neutral_choices += 1
        if self.decision == "claim" and None not in self.owner.values():
            self._begin_placing()
        else:
            self._next_taker()

    # Orders

    def accepts(self, order: Any) -> bool:
        """Whether the rules allow the order now."""
        return not self.over and bool(getattr(self, f"_accepts_{self.decision}")(order))

    def play(self, order: Any) -> None:
        """Carry out an order that the rules allow."""
        assert self.accepts(order)
        getattr(self, f"_play_{self.decision}")(order)

    def leave(self, seat: int) -> None:
        """The seat acts no more: its cards are used up, its troops stay and defend."""
        self.passive.add(seat)
        self.exits.append(seat)
        self.used |= self.hands[seat]
        self.hands[seat] = set()
        is_to_occupy = self.decision == "occupy"
        is_over = self._check_over()
        if is_to_occupy and (is_over or seat == self.turn_seat):  # nobody is left to ask how many move in
            assert self.dice is not None
            self._move_in(self.dice)
        if is_over:
            return
        if self.decision in ("claim", "place"):
            self._next_taker()
        elif seat == self.turn_seat:
            self._next_turn()
        elif seat == self.seat:
            self._play_defend(self._most_defence_dice())

    def _name(self, number: Any) -> str | None:
        if _is_int(number) and 0 <= number < len(self.names):
            return self.names[number]
        return None

    def _is_own(self, number: Any) -> bool:
        name = self._name(number)
        return name is not None and self.owner[name] == self.seat

    def _accepts_claim(self, order: Any) -> bool:
        name = self._name(order)
        return name is not None and self.owner[name] is None

    def _play_claim(self, order: int) -> None:
        self._put_starting_troop(self.names[order])

    def _accepts_place(self, order: Any) -> bool:
        name = self._name(order)
        return name is not None and self.owner[name] == self.taker

    def _play_place(self, order: int) -> None:
        self._put_starting_troop(self.names[order])

    # A turn begins

    def _begin_turn(self, seat: int) -> None:
        self.turn_seat = self.seat = seat
        self.captures = 0
        self.attacked = False
        self.bonus_paid = False
        self.sets_this_turn = 0
        self.mid_turn = False
        self.moves = 0
        self.to_place = self._reinforcement(seat)
        self._ask_trade_or_go_on()

    # Cards

    def _must_trade(self) -> bool:
        assert self.seat is not None
        hand = self.hands[self.seat]
        if self.mid_turn:
            return len(hand) > self.edition.cards.forced_until
        return self.sets_this_turn == 0 and len(hand) >= self.edition.cards.forced_at

    def _ask_trade_or_go_on(self) -> None:
        assert self.seat is not None
        if self.sets_in(self.hands[self.seat]) and (self._must_trade() or not self.mid_turn):
            self.decision = "trade"
        else:
            self._trading_ends()

    def _trading_ends(self) -> None:
        self.decision = "reinforce" if self.to_place > 0 else "attack"
        self.mid_turn = False

    def _bonus_is_due(self) -> bool:
        cards = self.edition.cards
        return cards.own_territory_bonus > 0 and not (cards.bonus_limit == "per-turn" and self.bonus_paid)

    def _accepts_trade(self, order: Any) -> bool:
        assert self.seat is not None
        if order is None:
            return not self._must_trade()
        if not isinstance(order, tuple) or len(order) not in (3, 4):
            return False
        if not all(_is_int(card) and 0 <= card < len(self.cards) for card in order[:3]):
            return False
        cards = {self.cards[card] for card in order[:3]}
        if len(cards) < 3 or not cards <= self.hands[self.seat] or not self.is_set(cards):
            return False
        own = {card for card in cards if self.owner.get(card) == self.seat}
        if len(order) == 4:
            return self._name(order[3]) in own
        must_choose = self.edition.cards.bonus_limit != "per-card" and len(own) > 1
        return not (must_choose and self._bonus_is_due())

    def _play_trade(self, order: tuple[int, ...] | None) -> None:
        assert self.seat is not None
        if order is None:
            self._trading_ends()
            return
        cards = {self.cards[card] for card in order[:3]}
        self.to_place += self._set_value(cards)
        self.sets_traded += 1
        self.sets_this_turn += 1
        self.hands[self.seat] -= cards
        self.used |= cards
        own = {card for card in cards if self.owner.get(card) == self.seat}
        if own and self._bonus_is_due():
            self.bonus_paid = True
            if self.edition.cards.bonus_limit != "per-card":
                own = {self.names[order[3]]} if len(order) == 4 else own
            for name in own:
                self.troops[name] += self.edition.cards.own_territory_bonus
        self._ask_trade_or_go_on()

    def _draw_cards(self) -> None:
        count = {"none": 0, "one-a-turn": min(self.captures, 1), "one-a-capture": self.captures}
        for _ in range(count[self.edition.cards.draw]):
            if not self.pile and self.used:
                self.pile = self.reshuffle(self.used)
                self.used = set()
            if self.pile:
                self.hands[self.turn_seat].add(self.pile.pop(0))

    # Reinforce

    def _accepts_reinforce(self, order: Any) -> bool:
        if not isinstance(order, tuple):
            return False
        placed = {}
        for part in order:
            if not isinstance(part, tuple) or len(part) != 2:
                return False
            where, troops = part
            if not self._is_own(where) or where in placed or not _is_int(troops) or troops < 1:
                return False
            placed[where] = troops
        return sum(placed.values()) == self.to_place

    def _play_reinforce(self, order: tuple[tuple[int, int], ...]) -> None:
        for where, troops in order:
            self.troops[self.names[where]] += troops
        self.to_place = 0
        self.decision = "attack"

    # Attack

    def _accepts_attack(self, order: Any) -> bool:
        if order is None:
            return not (self.edition.combat.forced and not self.attacked and self.attacks())
        if not isinstance(order, Attack):
            return False
        src, dst = self._name(order.src), self._name(order.dst)
        if src is None or dst is None or not self._may_attack(src, dst):
            return False
        if order.dice is not None and not (
            _is_int(order.dice) and 1 <= order.dice <= self._most_attack_dice(src)
        ):
            return False
        return order.until is None or (_is_int(order.until) and 0 <= order.until < self.troops[src])

    def _play_attack(self, order: Any) -> None:
        if order is None:
            self._ask_fortify()
            return
        self.attacked = True
        self.src, self.dst = self.names[order.src], self.names[order.dst]
        self.wanted_dice = order.dice
        self.until = order.until
        self._fight()

    def _fight(self) -> None:
        """Roll on as the attack says, up to a defender who is asked for his dice."""
        while True:
            self.dice = self._most_attack_dice(self.src)
            if self.wanted_dice is not None:
                self.dice = min(self.dice, self.wanted_dice)
            defender = self.owner[self.dst]
            if defender in self.asks_defend and defender not in self.passive:
                assert isinstance(defender, int)
                self.decision = "defend"
                self.seat = defender
                return
            self._roll(self._most_defence_dice())
            if not self._battle_goes_on():
                return

    def _battle_goes_on(self) -> bool:
        captured = self.owner[self.dst] == self.turn_seat
        return not captured and self.until is not None and self.troops[self.src] > max(self.until, 1)

    def _accepts_defend(self, order: Any) -> bool:
        return _is_int(order) and 1 <= order <= self._most_defence_dice()

    def _play_defend(self, defence_dice: int) -> None:
        self.seat = self.turn_seat
        self.decision = "attack"
        self._roll(defence_dice)
        if self._battle_goes_on():
            self._fight()

    def _roll(self, defence_dice: int) -> None:
        assert self.dice is not None
        attack, defence = self._throw(self.dice, defence_dice)
        while attack and defence:
            highest, facing = attack.pop(), defence.pop()
            if highest > facing or (highest == facing and self.edition.combat.ties == "attacker"):
                self.troops[self.dst] -= 1
            else:
                self.troops[self.src] -= 1
        if self.troops[self.dst] == 0:
            self._capture()

    def _capture(self) -> None:
        assert self.dice is not None
        victim = self.owner[self.dst]
        self.owner[self.dst] = self.turn_seat
        self.captures += 1
        self.inherited = False
        if isinstance(victim, int) and victim not in self.owner.values():
            self._eliminate(victim)
            self.hands[self.turn_seat] |= self.hands[victim]
            self.hands[victim] = set()
            self.inherited = True
        if self._check_over():
            self._move_in(self.dice)
        else:
            self.decision = "occupy"

    def _move_in(self, troops: int) -> None:
        self.troops[self.src] -= troops
        self.troops[self.dst] += troops

    def _accepts_occupy(self, order: Any) -> bool:
        assert self.dice is not None
        return _is_int(order) and self.dice <= order <= self.troops[self.src] - 1

    def _play_occupy(self, order: int) -> None:
        self._move_in(order)
        hand = self.hands[self.turn_seat]
        if self.inherited and len(hand) >= self.edition.cards.forced_at_elimination:
            self.mid_turn = True
            self._ask_trade_or_go_on()
        else:
            self.decision = "attack"

    # Fortify

    def _ask_fortify(self) -> None:
        if self.edition.fortify.reach == "none":
            self._end_turn()
        else:
            self.decision = "fortify"

    def _accepts_fortify(self, order: Any) -> bool:
        if order is None:
            return True
        if not isinstance(order, Fortify):
            return False
        src, dst = self._name(order.src), self._name(order.dst)
        if src is None or self.owner[src] != self.seat or dst not in self.reached_from(src):
            return False
        return _is_int(order.troops) and 1 <= order.troops <= self.troops[src] - 1

    def _play_fortify(self, order: Any) -> None:
        if order is not None:
            self.troops[self.names[order.src]] -= order.troops
            self.troops[self.names[order.dst]] += order.troops
            self.moves += 1
        # the host's limit, so that every turn ends: no more moves than territories
        most = 1 if self.edition.fortify.moves == "one" else len(self.names)
        if order is None or self.moves == most:
            self._end_turn()

    # A turn ends

    def _end_turn(self) -> None:
        self._draw_cards()
        self._next_turn()

    def _next_turn(self) -> None:
        self.to_place = 0
        seat = self.turn_seat
        while True:
            seat = (seat + 1) % len(self.seats)
            if seat == self.starter and self._round_ends():
                return
            if self.is_active(seat):
                break
        self._begin_turn(seat)

    def _round_ends(self) -> bool:
        """A round is over; whether the game is."""
        victory = self.edition.victory
        if self.round == victory.scored_rounds:
            self._score_decides()
        elif self.round == victory.max_rounds:
            self._finish(None)
        else:
            self.round += 1
        return self.over
