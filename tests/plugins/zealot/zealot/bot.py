"""The bot of the plugin."""

from arena.bot import Attack, Bot, View


class Zealot(Bot):
    """Attacks the weakest neighbour until `guard` troops are left, and then the next."""

    def __init__(self, guard: int = 1) -> None:
        self.guard = guard

    def attack(self, view: View) -> Attack | None:
        """The weakest neighbour in reach."""
        pairs = [(src, dst) for src, dst in view.attacks() if view.troops[src] > self.guard]
        if not pairs:
            return super().attack(view)
        src, dst = min(pairs, key=lambda pair: view.troops[pair[1]])
        return Attack(src, dst, until=self.guard)
