"""One game played by the real rules and by the reference at once: they must agree on everything."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from random_orders import doubtful_order, likely_order
from reference import Reference
from reference_table import NEUTRAL, Owner

from arena.errors import IllegalOrder
from arena.risk.board import NEUTRAL as NEUTRAL_NUMBER
from arena.risk.board import UNCLAIMED
from arena.risk.edition import Edition
from arena.risk.game import Game


class Difference(AssertionError):
    """The game and the reference do not agree."""


class Dice:
    """Random draws that two games use one after the other."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.unread: list[float] = []

    def random(self) -> float:
        """A new draw, for the game."""
        self.unread.append(self.rng.random())
        return self.unread[-1]

    def again(self) -> float:
        """The same draw, for the reference."""
        if not self.unread:
            raise Difference("the reference rolls once more than the game")
        return self.unread.pop(0)


class SideBySide:
    """One game in both implementations; a Difference says where they part.

    `met` counts what happened, so that a test can see that rare things did.
    """

    def __init__(self, edition: Edition, players: int, rng: Random, believed: Edition | None = None) -> None:
        """`believed`: the edition that the reference plays by, where it is to be misled."""
        self.rng = rng
        self.met: Counter[str] = Counter()
        self.dice = Dice(rng)
        board = edition.rules.board
        self.names = board.names
        self.card_names = [board.card_name(card) for card in range(len(board.names) + edition.cards.wilds)]
        self.owner: dict[int, Owner] = {NEUTRAL_NUMBER: NEUTRAL, UNCLAIMED: None}
        self.owner |= {seat: seat for seat in range(players)}
        asks_defend = [seat for seat in range(players) if rng.random() < 0.15]
        self.game = Game(edition.rules, players, rng.getrandbits(32), asks_defend)
        self.game.loaded_dice = self.dice
        self.reference = Reference(
            believed or edition,
            players,
            starter=self.game.starter,
            deck=self.cards(reversed(self.game.draw_pile)),
            draw=self.dice.again,
            reshuffle=self.reshuffle,
            asks_defend=asks_defend,
        )
        self.reference.begin(self.owners() if edition.setup.claiming == "random-deal" else None)
        self.compare()

    def play(self, *, rounds: int, leaving: float = 0, dealing: bool = False) -> None:
        """Random orders up to the end of the game or of so many rounds.

        `leaving`: how likely a seat goes at a decision; `dealing`: now and then the pile is dealt out.
        """
        rng, reference = self.rng, self.reference
        while not reference.over and reference.round <= rounds:
            if rng.random() < 0.1:
                self.offer(doubtful_order(reference, rng))
            elif rng.random() < leaving:
                self.leave(rng.choice([seat for seat in reference.seats if reference.is_active(seat)]))
            elif dealing and self._may_deal() and rng.random() < 0.03:
                self.deal_cards()
            else:
                self.offer(likely_order(reference, rng))
        self.met["eliminated"] += len(reference.eliminated)
        self.met["won"] += reference.winner is not None

    def offer(self, order: Any) -> None:
        """Let both judge the order, and carry it out where they allow it."""
        reference = self.reference
        accepted = reference.accepts(order)
        refusal = self.game.legal(order)
        if (refusal is None) != accepted:
            raise Difference(
                f"{reference.decision}: {order}: accepted by one, refused by the other ({refusal})"
            )
        self.met[f"{reference.decision} {'allowed' if accepted else 'refused'}"] += 1
        self.met["trade after an elimination"] += reference.mid_turn
        if accepted:
            self.game.apply(order)
            reference.play(order)
        else:
            with pytest.raises(IllegalOrder):
                self.game.apply(order)
        self.compare()

    def leave(self, seat: int) -> None:
        """The seat becomes passive in both."""
        self.met[f"leaving at {self.reference.decision}"] += 1
        self.game.leave(seat)
        self.reference.leave(seat)
        self.compare()

    def _may_deal(self) -> bool:
        # where the hands make no other decision due, and before the sets grow huge
        return self.reference.decision == "attack" and self.reference.sets_traded < 15

    def deal_cards(self) -> None:
        """Fill the hands from the pile, so that long ones meet."""
        game, reference = self.game, self.reference
        for seat in reference.seats:
            size = self.rng.randint(0, 6)
            while reference.is_active(seat) and len(game.hands[seat]) < size and reference.pile:
                game.hands[seat].append(game.draw_pile.pop())
                reference.hands[seat].add(reference.pile.pop(0))
        self.compare()

    def reshuffle(self, used: set[str]) -> list[str]:
        """The order that the game, which is one order ahead, has given the new pile."""
        self.met["draw pile refilled"] += 1
        drawn = [card for hand in self.game.hands for card in self.cards(hand) if card in used]
        pile = drawn + self.cards(reversed(self.game.draw_pile))
        if sorted(pile) != sorted(used):
            raise Difference(f"expected a new pile of {sorted(used)}, got {sorted(pile)}")
        return pile

    def owners(self) -> dict[str, Owner]:
        """Who owns what in the game."""
        return dict(zip(self.names, map(self.owner.__getitem__, self.game.owners), strict=True))

    def cards(self, numbers: Iterable[int]) -> list[str]:
        """The ids of the game's cards."""
        return [self.card_names[card] for card in numbers]

    def compare(self) -> None:
        """Every public part of the state is the same in both."""
        game, reference = self.seen_in_game(), self.seen_in_reference()
        different = {what: (game[what], reference[what]) for what in game if game[what] != reference[what]}
        if different or self.dice.unread:
            raise Difference(
                f"game, reference: {different}; rolls of the game alone: {len(self.dice.unread)}"
            )

    def seen_in_game(self) -> dict[str, Any]:
        """The state of the game, by ids."""
        game = self.game
        result = game.result
        in_setup = game.decision in ("claim", "place")
        in_battle = game.decision in ("occupy", "defend")
        return {
            "decision": (game.decision, game.seat),
            "owners": self.owners(),
            "troops": dict(zip(self.names, game.troops, strict=True)),
            "hands": [sorted(self.cards(hand)) for hand in game.hands],
            "pile": self.cards(reversed(game.draw_pile)),
            "used": sorted(self.cards(game.discards)),
            "sets_traded": game.sets_traded,
            "to_place": None if result else game.to_place,
            "captures": None if result else game.captured,
            "round": game.round,
            "exits": list(game.exits),
            "eliminated": list(game.eliminated_round),
            "passive": [seat for seat, is_passive in enumerate(game.passive) if is_passive],
            "left": list(game.placing) if in_setup else None,
            "taker": self.owner[game.placing_for] if in_setup else None,
            "battle": (self.names[game.src], self.names[game.dst], game.dice) if in_battle else None,
            "over": result is not None,
            "winner": result and result.winner,
            "finish": result and list(result.finish),
        }

    def seen_in_reference(self) -> dict[str, Any]:
        """The same of the reference."""
        game = self.reference
        in_setup = game.decision in ("claim", "place")
        in_battle = game.decision in ("occupy", "defend")
        owners: list[Owner] = [*game.seats, NEUTRAL]
        return {
            "decision": (game.decision, game.seat),
            "owners": game.owner,
            "troops": game.troops,
            "hands": [sorted(game.hands[seat]) for seat in game.seats],
            "pile": game.pile,
            "used": sorted(game.used),
            "sets_traded": game.sets_traded,
            "to_place": None if game.over else game.to_place,
            "captures": None if game.over else game.captures,
            "round": game.round,
            "exits": game.exits,
            "eliminated": [game.eliminated_round.get(seat) for seat in game.seats],
            "passive": sorted(game.passive),
            "left": [game.left.get(owner, 0) for owner in owners] if in_setup else None,
            "taker": game.taker if in_setup else None,
            "battle": (game.src, game.dst, game.dice) if in_battle else None,
            "over": game.over,
            "winner": game.winner,
            "finish": game.finish() if game.over else None,
        }
