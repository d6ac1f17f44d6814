"""Prints a lot in round 2, and then ends as it is told: by an exception, or with the process."""

import os

from arena import Bot
from arena.bot import Attack, View


class LastWords(Bot):
    def __init__(self, end: str) -> None:
        self.end = end

    def attack(self, view: View) -> Attack | None:
        if view.round >= 2:
            print("x" * 1_000_000)
            print("last words")
            if self.end == "exit":
                os._exit(1)
            raise ValueError
        return None
