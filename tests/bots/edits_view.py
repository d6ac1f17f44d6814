"""Tries to give itself the world."""

from typing import Any

from arena import Bot
from arena.bot import Attack, View


class EditsView(Bot):
    def attack(self, view: View) -> Attack | None:
        changes: list[Any] = [
            lambda: setattr(view, "owners", (view.seat,) * len(view.owners)),
            lambda: view.troops.__setitem__(0, 99),  # type: ignore[index]
            lambda: setattr(view.board, "names", ()),
        ]
        changes[view.round % len(changes)]()
        return None
