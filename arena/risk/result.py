"""How a game ended."""

from typing import NamedTuple


class Result(NamedTuple):
    """How a game ended; tuples are by seat."""

    winner: int | None
    """A seat, or None when unfinished."""
    finish: tuple[int | None, ...]
    """Order in which the players ended, 1 = won; None for those still standing in an unfinished game."""
    eliminated_round: tuple[int | None, ...]
    territories: tuple[int, ...]
    troops: tuple[int, ...]
    starter: int
    rounds: int
    rolls: int
    decisions: int
    digest: str
    """Hex digest of all orders, turn by turn, and of the final position."""

    @property
    def status(self) -> str:
        """finished, or unfinished where nobody won."""
        return "unfinished" if self.winner is None else "finished"

    def turn_position(self, seat: int) -> int:
        """0 for the starter, then clockwise."""
        return (seat - self.starter) % len(self.finish)
