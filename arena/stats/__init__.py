"""Statistics of games won and lost: names, winners and counts in, numbers out; knows nothing of the game."""

from arena.stats.ratings import Ratings, rate, wilson

__all__ = ["Ratings", "rate", "wilson"]
