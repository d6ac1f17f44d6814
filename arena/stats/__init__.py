"""Statistics of games won and lost; they know nothing of the game that was played."""

from arena.stats.ratings import Ratings, rate, wilson

__all__ = ["Ratings", "rate", "wilson"]
