"""Keeps memory from game to game."""

from arena import Bot, Briefing

KEPT: list[bytes] = []


class Leaks(Bot):
    def start(self, briefing: Briefing) -> None:
        KEPT.append(bytes(900 << 20))
