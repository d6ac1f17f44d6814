"""What lies on the table in the reference's game, and what the rules say about it as it lies."""

from collections.abc import Callable, Iterable
from itertools import combinations, product

from arena.risk.edition import Edition

NEUTRAL = "neutral"
Owner = int | str | None
"""A seat, NEUTRAL, or None for a territory that nobody has claimed."""


class Table:
    """Board, hands, piles and seats; whose turn it is, and how far it is."""

    def __init__(
        self,
        edition: Edition,
        players: int,
        *,
        starter: int,
        deck: list[str],
        draw: Callable[[], float],
        reshuffle: Callable[[set[str]], list[str]],
        asks_defend: Iterable[int] = (),
    ) -> None:
        self.edition = edition
        self.names = list(edition.map.territories)
        self.cards = self.names + [f"wild-{n + 1}" for n in range(edition.cards.wilds)]
        self.borders = {name: set(territory.borders) for name, territory in edition.map.territories.items()}
        for border in edition.map.optional_borders:
            if border.on:
                one, other = border.between
                self.borders[one].add(other)
                self.borders[other].add(one)
        self.ways = [(one, other) for one in self.names for other in sorted(self.borders[one])]
        self.draw = draw
        self.reshuffle = reshuffle
        self.asks_defend = set(asks_defend)

        self.seats = list(range(players))
        self.starter = starter
        self.turn_order = self.seats[starter:] + self.seats[:starter]
        self.owner: dict[str, Owner] = dict.fromkeys(self.names)
        self.troops = dict.fromkeys(self.names, 0)
        self.hands: dict[int, set[str]] = {seat: set() for seat in self.seats}
        self.pile = list(deck)  # the first is drawn next
        self.used: set[str] = set()
        self.sets_traded = 0
        self.eliminated: set[int] = set()
        self.passive: set[int] = set()
        self.exits: list[int] = []  # seats in the order in which they fell or went passive
        self.eliminated_round: dict[int, int] = {}

        self.decision: str | None = None
        self.seat: int | None = None  # who decides
        self.round = 0
        self.turn_seat = -1
        self.to_place = 0
        self.captures = 0
        self.attacked = False
        self.bonus_paid = False
        self.sets_this_turn = 0
        self.mid_turn = False  # cards of a fallen player are being traded
        self.src = self.dst = ""
        self.dice: int | None = None
        self.until: int | None = None
        self.over = False
        self.winner: int | None = None
        self.scores: dict[int, list[int]] = {}  # where a score has decided

    # Territories

    def _reinforcement(self, seat: int) -> int:
        own = {name for name in self.names if self.owner[name] == seat}
        total = max(self.edition.reinforcement.minimum, len(own) // self.edition.reinforcement.divisor)
        for continent, bonus in self.edition.map.continents.items():
            if all(
                name in own
                for name, territory in self.edition.map.territories.items()
                if territory.continent == continent
            ):
                total += bonus
        return total

    def attacks(self) -> list[tuple[str, str]]:
        """Every pair of territories between which the seat may attack."""
        return [(src, dst) for src, dst in self.ways if self._may_attack(src, dst)]

    def _may_attack(self, src: str, dst: str) -> bool:
        is_mine_against_theirs = self.owner[src] == self.seat and self.owner[dst] != self.seat
        return is_mine_against_theirs and self.troops[src] >= 2 and dst in self.borders[src]

    def reached_from(self, src: str) -> set[str]:
        """The own territories to which a fortify from `src` may lead."""
        own = {name for name in self.names if self.owner[name] == self.seat}
        reach = self.edition.fortify.reach
        if reach == "anywhere":
            return own - {src}
        if reach == "adjacent":
            return own & self.borders[src]
        chain = {src}
        while more := {name for link in chain for name in self.borders[link] & own} - chain:
            chain |= more
        return chain - {src}

    # Cards

    def _symbol(self, card: str) -> str | None:
        return self.edition.map.territories[card].symbol if card in self.owner else None

    def is_set(self, cards: Iterable[str]) -> bool:
        """Whether three cards are a set: three alike, one of each, or with a wild as the edition says."""
        symbols = [self._symbol(card) for card in cards]
        wilds = symbols.count(None)
        if wilds == 0:
            return len(set(symbols)) in (1, 3)
        if self.edition.cards.wild_sets == "any-two":
            return True
        return wilds == 1 and len(set(symbols)) == 2

    def sets_in(self, hand: Iterable[str]) -> list[tuple[str, ...]]:
        """Every set that a hand holds."""
        return [three for three in combinations(sorted(hand), 3) if self.is_set(three)]

    def _set_value(self, cards: Iterable[str]) -> int:
        values = self.edition.cards.values
        if values.first:
            assert values.then is not None
            later = self.sets_traded - len(values.first) + 1
            return values.first[self.sets_traded] if later <= 0 else values.first[-1] + later * values.then
        by_symbol = {"infantry": values.infantry, "cavalry": values.cavalry, "artillery": values.artillery}
        stands_for = [[s] if (s := self._symbol(card)) else list(by_symbol) for card in cards]
        worth = []
        for symbols in product(*stands_for):
            if len(set(symbols)) == 1:
                worth.append(by_symbol[symbols[0]])
            elif len(set(symbols)) == 3:
                worth.append(values.mixed)
        return max(value for value in worth if value is not None)

    # Dice

    def _most_attack_dice(self, src: str) -> int:
        return min(self.edition.combat.attack_dice, self.troops[src] - 1)

    def _most_defence_dice(self) -> int:
        return min(self.edition.combat.defence_dice, self.troops[self.dst])

    def _throw(self, attack_dice: int, defence_dice: int) -> tuple[list[int], list[int]]:
        """The faces of the next draw, both sides sorted, the highest last."""
        number = int(self.draw() * 6 ** (attack_dice + defence_dice))
        places = reversed(range(attack_dice + defence_dice))
        faces = [number // 6**place % 6 + 1 for place in places]
        return sorted(faces[:attack_dice]), sorted(faces[attack_dice:])

    # Seats

    def is_active(self, seat: int) -> bool:
        """Whether the seat still acts."""
        return seat not in self.eliminated and seat not in self.passive

    def _eliminate(self, seat: int) -> None:
        self.eliminated.add(seat)
        self.eliminated_round[seat] = self.round
        if seat not in self.exits:
            self.exits.append(seat)

    def _check_over(self) -> bool:
        """The last who acts has won, unless a neutral army is still to be conquered."""
        active = [seat for seat in self.seats if self.is_active(seat)]
        if not active:  # the last one has left a neutral army behind
            self._finish(None)
        if len(active) == 1:
            only_neutral_left = set(self.owner.values()) == {active[0], NEUTRAL}
            if not only_neutral_left or self.edition.victory.decided_by == "last-rival":
                self._finish(active[0])
        return self.over

    def _finish(self, winner: int | None) -> None:
        self.over = True
        self.winner = winner
        self.decision = self.seat = None

    def _score_decides(self) -> None:
        for seat in self.turn_order:
            if self.is_active(seat):
                own = [name for name in self.names if self.owner[name] == seat]
                counts = {"territories": len(own), "troops": sum(self.troops[name] for name in own)}
                self.scores[seat] = [counts[kind] for kind in self.edition.victory.score]
        best = [seat for seat in self.scores if self.scores[seat] == max(self.scores.values())]
        if len(best) == 1 or self.edition.victory.tied_score == "later-turn":
            self._finish(best[-1])
        else:
            self._finish(None)

    def finish(self) -> list[int | None]:
        """By seat: 1 for the winner alone; who fell or left first is the last; None for those still there.

        Where a score has decided, it ranks those still there; equal ones share the worse place.
        """
        places: list[int | None] = [None for _ in self.seats]
        for before, seat in enumerate(self.exits):
            places[seat] = max(len(self.seats) - before, 2)
        for seat, score in self.scores.items():
            places[seat] = sum(other >= score for other in self.scores.values())
        if self.winner is not None:
            places[self.winner] = 1
        return places
