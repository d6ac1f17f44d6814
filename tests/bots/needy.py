"""Needs what any bot may count on: to print, to recurse, to import, to warn, some memory, its folder."""

import gc
import locale
import os
import signal
import sys
import warnings
from decimal import Decimal

from arena import Bot
from arena.bot import Attack, View


def surroundings() -> list[object]:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    garbage = [gc.isenabled(), gc.get_threshold(), len(gc.callbacks)]
    return [os.getcwd(), dict(os.environ), locale.setlocale(locale.LC_ALL), *handlers, *garbage]


BEFORE = surroundings()


class Needy(Bot):
    def attack(self, view: View) -> Attack | None:
        assert surroundings() == BEFORE
        numpy = sys.modules.get("numpy")
        assert numpy is None or numpy.geterr()["invalid"] == "warn"
        print(descend(200), len(bytes(1 << 26)), Decimal(1) / Decimal(3))
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        sys.modules.pop("colorsys", None)
        import colorsys  # noqa: F401 - here on purpose

        return None


def descend(steps: int) -> int:
    return 1 + descend(steps - 1) if steps else 0
