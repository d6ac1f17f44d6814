"""Kills its process with the signal that the kernel uses when memory runs out, in round 2."""

import os
import signal
from pathlib import Path

from arena import Bot
from arena.bot import Attack, View


class Kill(Bot):
    """With `once`, the path of a file that is not there yet, only once."""

    def __init__(self, once: str = "") -> None:
        self.once = Path(once) if once else None

    def attack(self, view: View) -> Attack | None:
        if view.round == 2 and not (self.once and self.once.exists()):
            if self.once:
                self.once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return None
