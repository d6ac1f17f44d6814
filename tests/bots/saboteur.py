"""Breaks the referee: the game then cannot be ended, through no decision of anybody's."""

import arena.match
from arena import Bot, Briefing


class Saboteur(Bot):
    def start(self, briefing: Briefing) -> None:
        arena.match.GameResult = None  # type: ignore[assignment, attr-defined]
