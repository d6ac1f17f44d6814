"""Waits before each game as long as ARENA_TEST_PACE says, in seconds, and then plays by default."""

import os
import time

from arena import Bot, Briefing


class Unhurried(Bot):
    def start(self, briefing: Briefing) -> None:
        time.sleep(float(os.environ.get("ARENA_TEST_PACE", "0")))
