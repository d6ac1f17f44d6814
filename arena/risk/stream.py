"""Named random streams: each use of chance in a game draws from a stream of its own.

A stream is derived from the game's seed and its name, never by order of use, so that a draw in one place
cannot shift another. Its whole state is its key and the number of draws made.
"""

from collections.abc import Callable
from hashlib import blake2b
from random import Random


def derive_seed(*parts: object) -> int:
    """A 63-bit number that depends on every part and its place, the same on every machine."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


class Stream:
    """Uniform draws from [0, 1), counted."""

    __slots__ = ("_draw", "draws", "key")

    def __init__(self, key: int, draws: int = 0) -> None:
        self.key = key
        self.draws = draws
        self._draw: Callable[[], float] | None = None

    def random(self) -> float:
        """The next number in [0, 1)."""
        draw = self.source()
        self.draws += 1
        return draw()

    def source(self) -> Callable[[], float]:
        """What gives the next numbers; who takes some counts them in `draws`."""
        draw = self._draw
        if draw is None:  # seeding costs more than a hundred draws: only for streams that are used
            draw = self._draw = Random(self.key).random
            for _ in range(self.draws):
                draw()
        return draw

    def below(self, n: int) -> int:
        """A number in 0 … n-1."""
        return int(self.random() * n)

    def shuffle(self, items: list[int]) -> None:
        """Shuffle in place (Fisher–Yates), one draw an item but the last."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def copy(self) -> "Stream":
        """A stream that goes on from here by itself."""
        return Stream(self.key, self.draws)
