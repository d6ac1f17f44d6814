"""Lets the order of a set of strings decide where it attacks."""

from arena import Bot
from arena.bot import Attack, View


class SetWalker(Bot):
    def attack(self, view: View) -> Attack | None:
        names = {
            f"{view.board.names[src]} {view.board.names[dst]}": (src, dst) for src, dst in view.attacks()
        }
        if not names:
            return None
        return Attack(*names[next(iter(set(names)))], until=1)
