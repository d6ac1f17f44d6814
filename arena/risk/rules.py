"""The rules of one edition, flat: what `arena.risk.edition` reads from a file and the game looks up."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

from arena.risk.board import Board, plain


@dataclass(frozen=True)
class Rules:
    """Every switch of an edition. The edition's file explains each and names its source.

    Read-only, as the board is: all games of a process share them, and every bot sees them.
    """

    edition: str
    """The edition's id."""
    fingerprint: str
    """Hex digest of these rules and the map."""
    board: Board

    # Setup
    starting_troops: Mapping[int, int]
    """Number of players to troops each; other numbers of players are refused."""
    neutral_troops: Mapping[int, int]
    """Number of players to the troops of a neutral; where missing there is none."""
    random_deal: bool
    placing_restarts: bool
    """Placing begins with the starter again, not with the seat after the last claim."""

    # Reinforcement
    divisor: int
    minimum: int

    # Cards
    wilds: int
    any_two_with_wild: bool
    """Any two cards and a wild are a set; else only two alike and one wild."""
    set_values: tuple[int, ...]
    """Troops for the first sets traded in a game, whoever trades."""
    set_step: int
    """What each later set adds to the last of `set_values`."""
    symbol_values: tuple[int, ...]
    """Troops for three of each symbol and for one of each, where values go by symbol; else empty."""
    own_bonus: int
    own_bonus_limit: Literal["per-card", "per-set", "per-turn"]
    forced_at: int
    """Cards at the start of a turn that force a trade."""
    forced_at_elimination: int
    """Cards after an elimination that force trades."""
    forced_until: int
    """Such trades go on while more cards than this are held."""
    draw: Literal["none", "one-a-turn", "one-a-capture"]

    # Combat
    attack_dice: int
    defence_dice: int
    ties_to_attacker: bool
    must_attack: bool

    # Fortify
    fortify_reach: Literal["none", "adjacent", "connected", "anywhere"]
    fortify_many: bool

    # Victory
    last_rival_decides: bool
    """The fall of the last rival decides, even while a neutral stands."""
    max_rounds: int
    """Rounds after which the game is unfinished."""
    scored_rounds: int
    """Rounds after which the score decides; 0: never."""
    score: tuple[Literal["territories", "troops"], ...]
    """What is compared at that point, first things first."""
    tied_score_to_later_turn: bool
    """Of seats with equal scores the one later in turn order wins; else nobody does."""

    def __post_init__(self) -> None:
        for name in ("starting_troops", "neutral_troops"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[Any, ...]:
        return Rules, tuple([plain(getattr(self, field.name)) for field in fields(self)])

    def income(self, owners: list[int], owner: int) -> int:
        """Troops that `owner` gets at a turn's start for the territories and continents that it holds."""
        troops = max(self.minimum, owners.count(owner) // self.divisor)
        for c in self.board.continents_held(owners, owner):
            troops += self.board.continent_bonus[c]
        return troops
