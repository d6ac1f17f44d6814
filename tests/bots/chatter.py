"""Prints a lot, by Python and past it, and reads from the terminal."""

import os
import sys

from arena import Bot
from arena.bot import Attack, View


class Chatter(Bot):
    def attack(self, view: View) -> Attack | None:
        print("x" * 1_000_000)
        print("y" * 1_000_000, file=sys.stderr)
        os.write(1, b"z" * 100_000)
        os.write(2, b"z" * 100_000)
        assert sys.stdin.read() == ""
        return None
