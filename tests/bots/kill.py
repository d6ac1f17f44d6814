"""Kills its process with the signal that the kernel uses when memory runs out, in round 2."""

import os
import signal

from arena import Bot
from arena.bot import Attack, View


class Kill(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return None
