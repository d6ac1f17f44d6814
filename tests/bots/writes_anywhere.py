"""Writes into every file that its process has open."""

import os
from contextlib import suppress
from typing import Annotated

from arena import Bot
from arena.bot import Attack, View


class WritesAnywhere(Bot):
    def __init__(self, length: Annotated[int, "what a message would begin with"] = 5) -> None:
        self.text = length.to_bytes(4) + b"hello"

    def attack(self, view: View) -> Attack | None:
        for file in range(3, 256) if view.round == 2 else ():
            with suppress(OSError):
                os.write(file, self.text)
        return None
