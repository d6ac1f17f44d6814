"""Never attacks, since nobody calls what it has written."""

import arena
from arena.bot import View


class Misspelt(arena.Bot):
    def atack(self, view: View) -> None:
        raise AssertionError
