"""What tests of the game share: positions and dice written by hand, house rules, all that a view tells."""

from typing import Any

import arena
from arena.bot import View
from arena.risk.edition import Edition


class FixedDice:
    """Rolls the given outcomes, written as faces: ((attacker's), (defender's))."""

    def __init__(self, *rolls: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
        self.rolls = list(rolls)

    def random(self) -> float:
        attack, defence = self.rolls.pop(0)
        outcome = 0
        for face in (*attack, *defence):
            outcome = outcome * 6 + face - 1
        return (outcome + 0.5) / float(6 ** (len(attack) + len(defence)))


def variant(edition: str = "hasbro-us-2003", **sections: dict[str, Any]) -> Edition:
    """An edition with some fields of some sections changed: a house rule."""
    base = arena.load_edition(edition).model_dump()
    for section, fields in sections.items():
        base[section] |= fields
    return Edition.model_validate(base)


def position_of(
    holdings: dict[int | str, dict[str, int]],
    *,
    edition: str = "hasbro-us-2003",
    players: int = 3,
    **keys: Any,
) -> dict[str, Any]:
    """A position in which each owner holds these territories, and the last seat all others with one troop."""
    names = arena.load_edition(edition).rules.board.names
    territories: dict[str, list[Any]] = {name: [players - 1, 1] for name in names}
    for owner, troops_by_name in holdings.items():
        for name, troops in troops_by_name.items():
            territories[name] = [owner, troops]
    defaults = {"seat": 0, "decision": "attack", "round": 4, "starter": 0}
    return {"edition": edition, "players": players, "territories": territories, **defaults, **keys}


def seen(view: View) -> dict[str, Any]:
    """Everything that a view tells."""
    values = {name: getattr(view, name) for name in dir(view) if not name.startswith("_")}
    return {name: value for name, value in values.items() if not callable(value)}
