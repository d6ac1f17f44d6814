"""Changes in round 2, for good, something that all bots of its process share: `what`."""

import builtins
import decimal
import gc
import io
import locale
import os
import random
import resource
import signal
import sys
import warnings

import arena
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

    def filters(self) -> None:
        warnings.simplefilter("error")

    def path(self) -> None:
        sys.path.clear()

    def decimals(self) -> None:
        decimal.getcontext().prec = 1
        decimal.getcontext().traps[decimal.Inexact] = True

    def method(self) -> None:
        arena.Bot.reinforce = None  # type: ignore[method-assign,assignment]

    def builtin(self) -> None:
        builtins.max = builtins.sum = None  # type: ignore[assignment]

    def chance(self) -> None:
        random.Random.random = lambda _: 0.0  # type: ignore[method-assign,assignment]

    def module(self) -> None:
        del sys.modules["arena.risk.game"]

    def rules(self) -> None:
        object.__setattr__(self.briefing.rules, "divisor", 1)

    def files(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    def alarm(self) -> None:
        signal.signal(signal.SIGALRM, lambda *_: 1 / 0)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)

    def handlers(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, lambda *_: None)

    def environment(self) -> None:
        os.environ["HOME"] = "/nowhere"
        del os.environ["PATH"]
        os.environ["SPOILT"] = "1"

    def other_environment(self) -> None:
        os.environ = {}  # type: ignore[assignment]  # noqa: B003

    def garbage(self) -> None:
        gc.disable()
        gc.set_threshold(7, 7, 7)
        gc.callbacks.append(print)

    def language(self) -> None:
        locale.setlocale(locale.LC_ALL, "C")

    def numbers(self) -> None:
        import numpy as np

        np.seterr(all="raise")

    def memory(self) -> None:
        try:
            while True:
                self.kept.append(bytes(1 << 25))
        except MemoryError:
            pass
