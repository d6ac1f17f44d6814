"""Writes the golden games anew: `make golden`. The diff is the review of a change of rules or bots."""

from pathlib import Path

from arena import match
from arena.plugins import load_registry
from arena.risk import record
from arena.risk.edition import Edition

FOLDER = Path(__file__).parent / "golden"
BOTS = ("continental", "greedy", "turtle", "continental", "greedy", "continental")
EDITIONS = ("hasbro-us-2003", "hasbro-b7404", "classic-faq")


def tables() -> list[tuple[Edition, int]]:
    """Every printed edition with each of its numbers of players."""
    editions = [load_registry().edition(edition) for edition in EDITIONS]
    return [(edition, players) for edition in editions for players in edition.setup.starting_troops]


def golden_game(edition: Edition, players: int) -> str:
    """A game as text; the seed is the number of players."""
    played = match.play(edition, BOTS[:players], seed=players)
    assert played.record is not None
    games = record.replay(edition.rules, players, players, played.record)
    return "\n".join(record.write_text(games, BOTS[:players], played.digest)) + "\n"


def path_of(edition: Edition, players: int) -> Path:
    """Where that game is kept."""
    return FOLDER / f"{edition.id}-{players}.txt"


if __name__ == "__main__":
    for table in tables():
        path_of(*table).write_text(golden_game(*table), encoding="utf-8")
