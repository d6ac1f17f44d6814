"""Takes memory for ever, in round 2."""

from arena import Bot
from arena.bot import Attack, View


class Hoard(Bot):
    def attack(self, view: View) -> Attack | None:
        hoard = []
        while view.round == 2:
            hoard.append(bytes(1 << 26))
        return None
