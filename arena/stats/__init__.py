"""Statistics of games won and lost; they know nothing of the game that was played."""

from arena.stats.gsprt import llr, nelo
from arena.stats.matrix import WinMatrix, win_matrix
from arena.stats.paired import Difference, paired_difference
from arena.stats.planning import planned_blocks, planned_pairs, rating_games, usual_blocks
from arena.stats.ratings import Ratings, rate, wilson
from arena.stats.sequential import BettingSprt, ConfidenceSequence, Prefix, State, difference, score

__all__ = [
    "BettingSprt",
    "ConfidenceSequence",
    "Difference",
    "Prefix",
    "Ratings",
    "State",
    "WinMatrix",
    "difference",
    "llr",
    "nelo",
    "paired_difference",
    "planned_blocks",
    "planned_pairs",
    "rate",
    "rating_games",
    "score",
    "usual_blocks",
    "wilson",
    "win_matrix",
]
