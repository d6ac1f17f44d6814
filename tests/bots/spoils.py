"""Changes in round 2, for good, something that all bots of its process share: `what`."""

import io
import os
import resource
import signal
import sys

from arena import Bot
from arena.bot import Attack, View


class Spoils(Bot):
    def __init__(self, what: str = "nothing") -> None:
        self.what = what
        self.kept: list[bytes] = []

    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            getattr(self, self.what)()
        return None

    def nothing(self) -> None:
        pass

    def depth(self) -> None:
        sys.setrecursionlimit(60)

    def folder(self) -> None:
        os.chdir("/proc")

    def streams(self) -> None:
        sys.stdout = io.StringIO()
        sys.stdout.close()

    def files(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    def alarm(self) -> None:
        signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)

    def memory(self) -> None:
        try:
            while True:
                self.kept.append(bytes(1 << 25))
        except MemoryError:
            pass
