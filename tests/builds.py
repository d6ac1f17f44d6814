"""Digests of games in every edition and at every table: builds that print the same play the same.

`python tests/builds.py` prints a line a game; the build goes to stderr.
"""

import sys

import arena
from arena.plugins import load_registry
from arena.risk.compiled import describe_build

BOTS = ("continental", "greedy", "turtle", "uniform", "oddsmaker", "strategist", "planner:nodes=200")

if __name__ == "__main__":
    print(describe_build(), file=sys.stderr)
    registry = load_registry()
    for edition_id in registry.editions:
        edition = registry.edition(edition_id)
        for players in edition.setup.starting_troops:
            for seed in range(3):
                bots = [BOTS[(seat + seed) % len(BOTS)] for seat in range(players)]
                print(edition_id, players, seed, arena.play(edition, bots, seed).digest)
