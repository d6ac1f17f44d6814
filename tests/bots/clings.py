"""Hangs when it is let go of after a game."""

import os
import time

from arena import Bot, Briefing
from arena.bot import Attack, View


class Clings(Bot):
    """With `cycle` it refers to itself, so that only the collector of garbage lets go of it.

    With `crashes` it ends its process in round 2.
    """

    def __init__(self, hangs: bool = True, cycle: bool = False, crashes: bool = False) -> None:
        self.hangs, self.crashes = hangs, crashes
        self.me = self if cycle else None
        self.has_played = False

    def start(self, briefing: Briefing) -> None:
        self.has_played = True

    def attack(self, view: View) -> Attack | None:
        if self.crashes and view.round == 2:
            os._exit(3)
        return None

    def __del__(self) -> None:
        if self.hangs and self.has_played:
            time.sleep(1000)
