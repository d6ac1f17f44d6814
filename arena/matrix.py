"""Who beats whom in each pool of a database."""

from dataclasses import dataclass
from typing import Any

from arena.history import History
from arena.rows import PlayedPool
from arena.stats import WinMatrix, win_matrix


@dataclass(frozen=True, slots=True)
class PoolMatrix:
    """A pool with its matrix."""

    pool: PlayedPool
    matrix: WinMatrix

    def to_json(self) -> dict[str, Any]:
        """As `arena matrix --json` prints it."""
        matrix = self.matrix
        return self.pool.place | {
            "games": self.pool.games,
            "bots": matrix.bots,
            "wins": matrix.wins,
            "expected": matrix.expected,
            "z": matrix.residuals,
            "x2": matrix.x2,
            "p_value": matrix.p_value,
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Every two bots as `arena matrix --csv` prints them."""
        matrix = self.matrix
        return [
            self.pool.place
            | {
                "bot": bot,
                "other": other,
                "wins": matrix.wins[i][j],
                "losses": matrix.wins[j][i],
                "expected": matrix.expected[i][j],
                "z": matrix.residuals[i][j],
            }
            for i, bot in enumerate(matrix.bots)
            for j, other in enumerate(matrix.bots)
            if i != j
        ]


def matrices(history: History, *, samples: int, seed: int, **choice: Any) -> list[PoolMatrix]:
    """The matrices of the pools that `History.pools` gives for the choice.

    `samples` pools are invented for the test, from this seed. Raises StoreError for a choice of what is not
    there.
    """
    return [
        PoolMatrix(pool, win_matrix(*history.outcomes(pool), samples=samples, seed=seed))
        for pool in history.pools(**choice)
    ]
