"""An edition file: its pydantic model, checked whole, and the flat Rules made from it.

Each field is one switch of the rules. What an edition's source leaves open is declared in its file, with
the reason. `extends` names another edition, of which single fields are changed.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from arena.errors import ConfigError, placed
from arena.risk.map import FileModel, Id, Map
from arena.risk.rules import Rules
from arena.validation import describe_error

Count = Annotated[int, Field(ge=0, strict=True)]
Positive = Annotated[int, Field(ge=1, strict=True)]
DiceCount = Annotated[int, Field(ge=1, le=3, strict=True)]


class Setup(FileModel):
    """Before the first turn."""

    starting_troops: dict[Annotated[int, Field(ge=2, le=6)], Positive] = Field(min_length=1)
    """Number of players to the troops that each begins with; other numbers of players are refused."""
    neutral_troops: dict[Annotated[int, Field(ge=2, le=6)], Positive] = {}
    """Number of players to the troops of a neutral that takes part in the setup and only defends."""
    claiming: Literal["in-turn", "random-deal"]
    """Players claim empty territories in turn, or the territories are dealt."""
    placing_starts: Literal["next-seat", "starter"]
    """Who places the first troop after the last claim: the seat whose turn it is, or the starter again."""


class Reinforcement(FileModel):
    """Troops at the start of a turn."""

    divisor: Positive
    """One troop for so many territories, fractions dropped."""
    minimum: Count
    """The least a turn brings, continents not counted."""


class SetValues(FileModel):
    """Troops for a set: by the number of sets traded before (`first`, `then`), or by its symbols."""

    first: list[Positive] = []
    """Troops for the first sets of the game, one shared sequence over all players."""
    then: Count | None = None
    """What each later set brings more than the one before; 0 for a flat value."""
    infantry: Positive | None = None
    cavalry: Positive | None = None
    artillery: Positive | None = None
    mixed: Positive | None = None
    """One of each symbol."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        is_sequence = bool(self.first) and self.then is not None and not any(self.symbols)
        is_by_symbol = None not in self.symbols and not self.first and self.then is None
        if not is_sequence and not is_by_symbol:
            raise ValueError("expected either first and then, or infantry, cavalry, artillery and mixed")
        return self

    @property
    def symbols(self) -> tuple[int | None, ...]:
        """The values by symbol, one of each last."""
        return (self.infantry, self.cavalry, self.artillery, self.mixed)


class Cards(FileModel):
    """Cards and sets."""

    wilds: Count
    """Wild cards beside one card a territory."""
    wild_sets: Literal["any-two", "two-alike"]
    """What makes a set with a wild: any two cards, or only two natural cards with one symbol."""
    values: SetValues
    own_territory_bonus: Count
    """Troops on an own territory that a traded card names."""
    bonus_limit: Literal["per-card", "per-set", "per-turn"]
    """How often that bonus is paid."""
    forced_at: Positive
    """From so many cards on at the start of a turn a set must be traded."""
    forced_at_elimination: Positive
    """From so many cards on after an elimination sets must be traded at once …"""
    forced_until: Count
    """… until no more than this are held; then trading stops."""
    draw: Literal["none", "one-a-turn", "one-a-capture"]
    """Cards drawn at the end of a turn with a capture."""


class Combat(FileModel):
    """Attacks and dice."""

    attack_dice: DiceCount
    """The most dice an attacker rolls."""
    defence_dice: DiceCount
    """The most dice a defender rolls."""
    ties: Literal["defender", "attacker"]
    """Who wins a pair of equal dice."""
    forced: Annotated[bool, Field(strict=True)]
    """Whether a turn must bring at least one attack where one is possible."""


class Fortify(FileModel):
    """Moving troops at the end of a turn."""

    reach: Literal["none", "adjacent", "connected", "anywhere"]
    """Between which own territories: that touch, that are linked by own ones, or any two."""
    moves: Literal["one", "any"]
    """How many moves end a turn."""


class Victory(FileModel):
    """How a game ends."""

    decided_by: Literal["all-territories", "last-rival"]
    """What the winner needs where a neutral stands: every territory, or the fall of the last rival."""
    max_rounds: Positive
    """After so many rounds the game is unfinished and nobody has won."""
    scored_rounds: Count
    """After so many rounds the score decides instead; 0: never."""
    score: list[Literal["territories", "troops"]] = Field(min_length=1)
    """What the score compares, first things first."""
    tied_score: Literal["nobody", "later-turn"]
    """Who wins where scores are equal: nobody, or the seat that comes later in turn order."""


class Edition(FileModel):
    """A declared set of rules, with its map."""

    id: Id
    name: str = ""
    summary: str = ""
    map: Map
    setup: Setup
    reinforcement: Reinforcement
    cards: Cards
    combat: Combat
    fortify: Fortify
    victory: Victory

    @model_validator(mode="after")
    def _check(self) -> Self:
        territories = len(self.map.territories)
        for players, troops in self.setup.starting_troops.items():
            neutral = self.setup.neutral_troops.get(players, 0)
            if players + bool(neutral) > territories:
                raise ValueError(
                    f"setup: expected no more players than territories, got {players} and {territories}"
                )
            if troops * players + neutral < territories:
                raise ValueError(
                    f"setup.starting_troops: expected at least {territories} troops in all"
                    f" for {players} players, got {troops * players + neutral}"
                )
            share = -(-territories // (players + bool(neutral)))
            if neutral and min(neutral, troops) < share:
                least = min(neutral, troops)
                raise ValueError(
                    f"setup.neutral_troops: expected at least {share} for {players} players, got {least}"
                )
        for players in self.setup.neutral_troops:
            if players not in self.setup.starting_troops:
                raise ValueError(
                    f"setup.neutral_troops: expected players that have starting_troops, got {players}"
                )
        until, at = self.cards.forced_until, self.cards.forced_at_elimination
        if until >= at:
            raise ValueError(
                f"cards.forced_until: expected less than forced_at_elimination, got {until} and {at}"
            )
        return self

    @cached_property
    def rules(self) -> Rules:
        """The flat rules that a game looks up."""
        setup, values, cards = self.setup, self.cards.values, self.cards
        return Rules(
            edition=self.id,
            fingerprint=self.fingerprint,
            board=self.map.board(),
            starting_troops=dict(setup.starting_troops),
            neutral_troops=dict(setup.neutral_troops),
            random_deal=setup.claiming == "random-deal",
            placing_restarts=setup.placing_starts == "starter",
            divisor=self.reinforcement.divisor,
            minimum=self.reinforcement.minimum,
            wilds=cards.wilds,
            any_two_with_wild=cards.wild_sets == "any-two",
            set_values=tuple(values.first),
            set_step=values.then or 0,
            symbol_values=() if values.first else tuple(v for v in values.symbols if v is not None),
            own_bonus=cards.own_territory_bonus,
            own_bonus_limit=cards.bonus_limit,
            forced_at=cards.forced_at,
            forced_at_elimination=cards.forced_at_elimination,
            forced_until=cards.forced_until,
            draw=cards.draw,
            attack_dice=self.combat.attack_dice,
            defence_dice=self.combat.defence_dice,
            ties_to_attacker=self.combat.ties == "attacker",
            must_attack=self.combat.forced,
            fortify_reach=self.fortify.reach,
            fortify_many=self.fortify.moves == "any",
            last_rival_decides=self.victory.decided_by == "last-rival",
            max_rounds=self.victory.max_rounds,
            scored_rounds=self.victory.scored_rounds,
            score=tuple(self.victory.score),
            tied_score_to_later_turn=self.victory.tied_score == "later-turn",
        )

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest of everything that can change a game: all rules and the map, no names of the edition."""
        text = self.model_dump_json(
            exclude={"id": True, "name": True, "summary": True, "map": {"id", "name"}}
        )
        return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


NAMES = ("id", "name", "summary")
"""Keys that an edition does not take from the one that it extends."""


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the fields of `changes`: a section's fields one by one, everything below as a whole."""
    merged = dict(base)
    for key, value in changes.items():
        old = merged.get(key)
        merged[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def resolve_edition(
    table: Mapping[str, Any],
    where: str,
    find_edition: Callable[[str], Mapping[str, Any]],
    find_map: Callable[[str], Map],
) -> Edition:
    """The edition that a file's table declares, with what it extends and its map filled in.

    `find_edition` gives another edition's table and `find_map` a map, by id; both raise ConfigError for an
    unknown one. Raises ConfigError with the place of the fault.
    """
    resolved = dict(table)
    chain = [str(table.get("id"))]
    while "extends" in resolved:
        parent = resolved.pop("extends")
        if parent in chain:
            raise ConfigError(
                f"{where}: extends: {' -> '.join([*chain, str(parent)])} goes round in a circle"
            )
        chain.append(str(parent))
        with placed(f"{where}: extends"):
            inherited = {key: value for key, value in find_edition(parent).items() if key not in NAMES}
            resolved = merge(inherited, resolved)
    if isinstance(resolved.get("map"), str):
        with placed(f"{where}: map"):
            resolved["map"] = find_map(resolved["map"])
    try:
        return Edition.model_validate(resolved)
    except ValidationError as error:
        raise ConfigError(describe_error(error, where, Edition)) from None
