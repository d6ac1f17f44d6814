"""Has garbage collected in each of its decisions, as one does that makes many objects."""

import gc

from arena import Bot
from arena.bot import Attack, View


class Collects(Bot):
    def attack(self, view: View) -> Attack | None:
        gc.collect()
        return None
