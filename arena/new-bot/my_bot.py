"""The bot MyBot, and the plugin that offers it to the arena."""

from typing import Annotated

import arena
from arena.bot import Attack, Bot, View


class MyBot(Bot):
    """Gathers its troops in one place and attacks while it is stronger."""

    def __init__(
        self,
        margin: Annotated[int, "troops more than the defender, to attack"] = 2,
    ) -> None:
        self.margin = margin

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """Everything on the strongest territory that touches somebody else's."""
        strongest = max(view.frontier, key=lambda t: view.troops[t])
        return ((strongest, view.to_place),)

    def attack(self, view: View) -> Attack | None:
        """The first neighbour that is weaker by the margin; fought to the end."""
        for src, dst in view.attacks():
            if view.troops[src] - view.troops[dst] >= self.margin:
                return Attack(src, dst, until=1)
        return super().attack(view)

    def occupy(self, view: View) -> int:
        """On with everything while there is somebody ahead."""
        return view.most if view.enemies(view.dst) else view.least


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("my-bot", MyBot)
