"""Raises what `except Exception` does not catch."""

from arena import Bot
from arena.bot import Attack, View


class BaseExceptionBot(Bot):
    def attack(self, view: View) -> Attack | None:
        raise BaseException("out")
