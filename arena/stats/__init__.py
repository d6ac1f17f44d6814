"""Statistics of games won and lost; they know nothing of the game that was played."""

from arena.stats.gsprt import llr, nelo
from arena.stats.ratings import Ratings, rate, wilson
from arena.stats.sequential import BettingSprt, ConfidenceSequence, Prefix, difference, planned_blocks, score

__all__ = [
    "BettingSprt",
    "ConfidenceSequence",
    "Prefix",
    "Ratings",
    "difference",
    "llr",
    "nelo",
    "planned_blocks",
    "rate",
    "score",
    "wilson",
]
