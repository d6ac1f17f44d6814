"""Breaks the referee: the game then cannot be ended, through no decision of anybody's."""

import sys

from arena import Bot, Briefing


class Saboteur(Bot):
    def start(self, briefing: Briefing) -> None:
        frame = sys._getframe()
        while type(frame.f_locals.get("self")).__name__ != "_Match":
            assert frame.f_back is not None
            frame = frame.f_back
        frame.f_locals["self"].faults = None
