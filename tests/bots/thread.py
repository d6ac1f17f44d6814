"""Starts a thread that outlives the game."""

import threading
import time

from arena import Bot, Briefing


class Thread(Bot):
    def start(self, briefing: Briefing) -> None:
        threading.Thread(target=time.sleep, args=(1000,)).start()
