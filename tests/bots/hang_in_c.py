"""Runs an endless regular expression, which holds the interpreter's lock, in round 2."""

import re

from arena import Bot
from arena.bot import Attack, View


class HangInC(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            re.fullmatch("(a+)+b", "a" * 100)
        return None
