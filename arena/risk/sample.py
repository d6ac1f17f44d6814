"""A game dealt from a view: what the seat knows as it is, and the rest by chance."""

from random import Random

from arena.risk.game import Game
from arena.risk.state import DECK
from arena.risk.view import View


def sample(view: View, rng: Random) -> Game:
    """The game of `View.sample`."""
    asked = [view.seat] if view.decision == "defend" else []
    game = Game(view.rules, view.players, rng.getrandbits(63), asked, deal=False)
    game.owners = list(view.owners)
    game.troops = list(view.troops)
    game.discards = list(view.discards)
    game.held_over = list(view.held_over)
    game.sets_traded = view.sets_traded
    game.exits = list(view.exits)
    game.passive = [seat in view.passive for seat in range(view.players)]
    game.eliminated_round = list(view.eliminated_round)
    game.seat = view.seat
    game.decision = view.decision
    game.round = view.round
    game.starter = view.starter
    game.placing = list(view.placing)
    game.placing_for = view.placing_for if game.in_setup() else 0
    game.to_place = 0 if game.in_setup() else view.to_place
    game.captured = view.captured
    game.trades = view.trades
    game.bonuses = view.bonuses
    game.attacked = view.attacked
    game.moves = view.moves
    game.src = view.src
    game.dst = view.dst
    game.dice = view.dice
    game.until = view.until
    game.inherited = view.inherited
    _deal_hidden(view, game)
    return game


def _deal_hidden(view: View, game: Game) -> None:
    """Deal the cards that the seat cannot see; those held over from an earlier pile are all in hands."""
    seen = {*view.hand, *view.discards}
    hidden = [card for card in range(len(view.owners) + view.rules.wilds) if card not in seen]
    game.streams[DECK].shuffle(hidden)
    held_over = [card for card in hidden if card in view.held_over]
    fresh = [card for card in hidden if card not in view.held_over]
    for seat, size in enumerate(view.hand_sizes):
        if seat == view.seat:
            game.hands[seat] = list(view.hand)
        else:
            old = view.held_over_sizes[seat]
            game.hands[seat] = held_over[:old] + fresh[: size - old]
            del held_over[:old], fresh[: size - old]
    game.draw_pile = fresh
