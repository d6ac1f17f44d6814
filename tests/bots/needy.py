"""Needs what any bot may count on: to print, to recurse, to import, to warn, some memory, its folder."""

import os
import sys
import warnings
from decimal import Decimal

from arena import Bot
from arena.bot import Attack, View

HERE = os.getcwd()


class Needy(Bot):
    def attack(self, view: View) -> Attack | None:
        assert os.getcwd() == HERE
        print(descend(200), len(bytes(1 << 26)), Decimal(1) / Decimal(3))
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        sys.modules.pop("colorsys", None)
        import colorsys  # noqa: F401 - here on purpose

        return None


def descend(steps: int) -> int:
    return 1 + descend(steps - 1) if steps else 0
