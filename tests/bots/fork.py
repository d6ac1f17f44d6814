"""Leaves two processes behind: a forked one, which holds all that its parent has open, and a program."""

import os
import subprocess
import time

from arena import Bot
from arena.bot import Attack, View


class Fork(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            subprocess.Popen(["sleep", "1000"])
            if os.fork() == 0:
                time.sleep(1000)
            os._exit(5)
        return None
