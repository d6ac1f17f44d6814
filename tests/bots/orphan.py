"""Kills the Ray process that its host belongs to, as if a machine went away."""

import os
import signal
from pathlib import Path

from arena import Bot, Briefing


class Orphan(Bot):
    """With `once`, the path of a file that is not there yet, only the first of them does it."""

    def __init__(self, once: str = "") -> None:
        self.once = Path(once) if once else None

    def start(self, briefing: Briefing) -> None:
        parent = os.getppid()
        if b"ray::" not in Path(f"/proc/{parent}/cmdline").read_bytes():  # a shell, or the tests
            return
        if self.once is not None:
            if self.once.exists():
                return
            self.once.touch()
        os.kill(parent, signal.SIGKILL)
        signal.pause()
