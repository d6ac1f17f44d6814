"""Turtle: a small corner of the map, strong borders, and one sure capture a turn for the card."""

import arena
from arena.bot import Attack, Bot, Briefing, View


class Turtle(Bot):
    """Defends its weakest border; trades and places as every bot does by default."""

    def start(self, briefing: Briefing) -> None:
        """Count the ways into the continent of each territory."""
        board = briefing.board
        inside = board.continent_of
        ways = [0] * len(board.continents)
        for t, neighbours in enumerate(board.neighbours):
            ways[inside[t]] += sum([inside[u] != inside[t] for u in neighbours])
        self.ways_in = [ways[c] for c in inside]

    def claim(self, view: View) -> int:
        """A corner with few ways in; the neutral gets the open middle."""
        pick = min if view.placing_for == view.seat else max
        return pick(view.unclaimed, key=lambda t: self.ways_in[t])

    def attack(self, view: View) -> Attack | None:
        """Only at two to one, or for the turn's first capture at three troops more."""
        pairs = view.attacks()
        if not pairs:
            return None
        troops = view.troops
        src, dst = max(pairs, key=lambda pair: troops[pair[0]] - 2 * troops[pair[1]])
        earns_card = not view.captured and troops[src] >= troops[dst] + 3
        if earns_card or troops[src] >= 2 * troops[dst] or view.forced:
            return Attack(src, dst, until=min(troops[dst], troops[src] - 1))
        return None


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("turtle", Turtle)
