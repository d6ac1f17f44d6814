"""Never answers, and catches whatever would stop it."""

from arena import Bot
from arena.bot import Attack, View


class Swallows(Bot):
    def attack(self, view: View) -> Attack | None:
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
