"""Answers with something else of no use each time."""

from itertools import cycle
from typing import Any

from arena import Attack, Bot, Fortify
from arena.bot import View

ANSWERS = cycle(
    [
        "alaska",
        3.0,
        True,
        b"1",
        [],
        {},
        object(),
        type,
        lambda: 1,
        (None,),
        float("nan"),
        10**5000,
        -1,
        Attack("0", "1"),  # type: ignore[arg-type]
        Fortify(0.0, 1.0, 1.0),  # type: ignore[arg-type]
        ((0, True),),
        (i for i in range(3)),
        NotImplemented,
        ...,
    ]
)


class WrongTypes(Bot):
    def place(self, view: View) -> Any:
        return next(ANSWERS)

    def reinforce(self, view: View) -> Any:
        return next(ANSWERS)

    def attack(self, view: View) -> Any:
        return next(ANSWERS)
