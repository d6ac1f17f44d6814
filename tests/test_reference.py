"""Random games, played by the real rules and by the reference side by side."""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from random_orders import doubtful_order, likely_order
from reference import NEUTRAL, Owner, Reference

from arena.errors import IllegalOrder
from arena.risk.board import NEUTRAL as NEUTRAL_NUMBER
from arena.risk.board import UNCLAIMED
from arena.risk.edition import Edition, merge, resolve_edition
from arena.risk.game import Game
from arena.risk.map import Map

CONFIGS = Path(__file__).parents[1] / "configs"
EDITIONS = ("hasbro-us-2003", "hasbro-b7404", "classic-faq")


def table_of(edition_id: str) -> Mapping[str, Any]:
    return tomllib.loads((CONFIGS / "editions" / f"{edition_id}.toml").read_text())


def map_of(map_id: str) -> Map:
    return Map.model_validate(tomllib.loads((CONFIGS / "maps" / f"{map_id}.toml").read_text()))


def edition_of(edition_id: str, changes: Mapping[str, Any] | None = None) -> Edition:
    table = merge(table_of(edition_id), changes or {})
    return resolve_edition(table, edition_id, table_of, map_of)


class Dice:
    """Random draws that two games use one after the other."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.unread: list[float] = []

    def random(self) -> float:
        """A new draw, for the first game."""
        self.unread.append(self.rng.random())
        return self.unread[-1]

    def again(self) -> float:
        """The same draw, for the second."""
        return self.unread.pop(0)


class SideBySide:
    """One game in both implementations; every difference between them fails."""

    def __init__(self, edition: Edition, players: int, rng: Random) -> None:
        self.rng = rng
        self.dice = Dice(rng)
        asks_defend = [seat for seat in range(players) if rng.random() < 0.15]
        self.game = Game(edition.rules, players, rng.getrandbits(32), asks_defend)
        self.game.loaded_dice = self.dice
        board = edition.rules.board
        self.names = board.names
        self.card_names = [board.card_name(card) for card in range(len(board.names) + edition.cards.wilds)]
        self.owner: dict[int, Owner] = {NEUTRAL_NUMBER: NEUTRAL, UNCLAIMED: None}
        self.owner |= {seat: seat for seat in range(players)}
        self.reference = Reference(
            edition,
            players,
            starter=self.game.starter,
            deck=self.cards(reversed(self.game.draw_pile)),
            draw=self.dice.again,
            reshuffle=self.reshuffle,
            dealt=self.owners() if edition.setup.claiming == "random-deal" else None,
            asks_defend=asks_defend,
        )
        self.compare()

    def owners(self) -> dict[str, Owner]:
        return dict(zip(self.names, map(self.owner.__getitem__, self.game.owners), strict=True))

    def cards(self, numbers: Iterable[int]) -> list[str]:
        return [self.card_names[card] for card in numbers]

    def reshuffle(self, used: set[str]) -> list[str]:
        """The order that the real game, which is one order ahead, has given the new pile."""
        drawn = [card for hand in self.game.hands for card in self.cards(hand) if card in used]
        pile = drawn + self.cards(reversed(self.game.draw_pile))
        assert sorted(pile) == sorted(used)
        return pile

    def compare(self) -> None:
        assert self.seen_in_game() == self.seen_in_reference()

    def seen_in_game(self) -> dict[str, Any]:
        game = self.game
        result = game.result
        in_battle = game.decision in ("occupy", "defend")
        in_setup = game.decision in ("claim", "place")
        return {
            "decision": (game.decision, game.seat),
            "owners": self.owners(),
            "troops": dict(zip(self.names, game.troops, strict=True)),
            "hands": [sorted(self.cards(hand)) for hand in game.hands],
            "pile": self.cards(reversed(game.draw_pile)),
            "used": sorted(self.cards(game.discards)),
            "sets_traded": game.sets_traded,
            "to_place": game.to_place,
            "captures": game.captured if result is None else None,
            "round": game.round,
            "exits": list(game.exits),
            "passive": [seat for seat, is_passive in enumerate(game.passive) if is_passive],
            "left": list(game.placing) if in_setup else None,
            "taker": self.owner[game.placing_for] if in_setup else None,
            "battle": (self.names[game.src], self.names[game.dst], game.dice)
            if in_battle
            else None,
            "over": result is not None,
            "winner": result and result.winner,
            "finish": result and list(result.finish),
            "eliminated": list(game.eliminated_round),
        }

    def seen_in_reference(self) -> dict[str, Any]:
        game = self.reference
        in_battle = game.decision in ("occupy", "defend")
        in_setup = game.decision in ("claim", "place")
        return {
            "decision": (game.decision, game.seat),
            "owners": game.owner,
            "troops": game.troops,
            "hands": [sorted(game.hands[seat]) for seat in game.seats],
            "pile": game.pile,
            "used": sorted(game.used),
            "sets_traded": game.sets_traded,
            "to_place": game.to_place,
            "captures": None if game.over else game.captures,
            "round": game.round,
            "exits": game.exits,
            "passive": sorted(game.passive),
            "left": [game.left.get(taker, 0) for taker in (*game.seats, NEUTRAL)] if in_setup else None,
            "taker": game.taker if in_setup else None,
            "battle": (game.src, game.dst, game.dice) if in_battle else None,
            "over": game.over,
            "winner": game.winner if game.over else None,
            "finish": game.finish() if game.over else None,
            "eliminated": [game.eliminated_round.get(seat) for seat in game.seats],
        }

    def offer(self, order: Any) -> None:
        """Let both judge the order, and carry it out where they allow it."""
        accepted = self.reference.accepts(order)
        refusal = self.game.legal(order)
        assert (refusal is None) == accepted, (self.reference.decision, order, refusal)
        if accepted:
            self.game.apply(order)
            self.reference.play(order)
            assert not self.dice.unread
        else:
            with pytest.raises(IllegalOrder):
                self.game.apply(order)
        self.compare()

    def leave(self, seat: int) -> None:
        self.game.leave(seat)
        self.reference.leave(seat)
        assert not self.dice.unread
        self.compare()

    def deal_cards(self) -> None:
        """Fill the hands from the pile, so that long hands meet."""
        for seat in self.reference.seats:
            room = self.rng.randint(0, 6) - len(self.game.hands[seat])
            if self.game.owners.count(seat) and not self.game.passive[seat]:
                for _ in range(min(room, len(self.game.draw_pile))):
                    self.game.hands[seat].append(self.game.draw_pile.pop())
                    self.reference.hands[seat].add(self.reference.pile.pop(0))
        self.compare()


def play(
    edition: Edition, players: int, seed: str, *, leaving: float = 0.0, dealing: bool = False
) -> SideBySide:
    """A whole game of random orders. `leaving`: how likely someone goes at a decision."""
    rng = Random(seed)
    both = SideBySide(edition, players, rng)
    reference = both.reference
    while not reference.over:
        if rng.random() < 0.1:
            both.offer(doubtful_order(reference, rng))
        elif rng.random() < leaving:
            both.leave(rng.choice([seat for seat in reference.seats if reference.is_active(seat)]))
        elif (
            dealing and reference.decision == "attack" and reference.sets_traded < 15 and rng.random() < 0.05
        ):
            both.deal_cards()
        else:
            both.offer(likely_order(reference, rng))
    return both
