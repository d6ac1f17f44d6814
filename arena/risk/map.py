"""A map file: its pydantic model, checked whole, and the flat Board made from it."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from arena.risk.board import SYMBOLS, Board
from arena.validation import KEBAB_CASE

Id = Annotated[str, Field(pattern=KEBAB_CASE)]
"""A kebab-case name."""


class FileModel(BaseModel):
    """What every model of a file shares: unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Territory(FileModel):
    """A territory as the map file declares it."""

    continent: Id
    symbol: Literal["infantry", "cavalry", "artillery"]
    """The symbol on its card."""
    borders: list[Id]
    """Ids of the territories it touches, by land or by sea; each border is written on both its sides."""


class OptionalBorder(FileModel):
    """A border on which printings of a map differ: in no territory's `borders`, but switched here."""

    between: tuple[Id, Id]
    on: Annotated[bool, Field(strict=True)]


class Map(FileModel):
    """A map: its continents, territories and borders."""

    id: Id
    name: str
    continents: dict[Id, Annotated[int, Field(strict=True)]] = Field(min_length=1)
    """Continent id to the troops it pays."""
    territories: dict[Id, Territory] = Field(min_length=2)
    """Territory id to territory, in the order of their numbers."""
    optional_borders: list[OptionalBorder] = []

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name, territory in self.territories.items():
            if territory.continent not in self.continents:
                raise ValueError(
                    f"territory {name}: expected a continent of the map, got {territory.continent!r}"
                )
            for other in territory.borders:
                if other not in self.territories or other == name:
                    raise ValueError(
                        f"territory {name}: expected borders with other territories, got {other!r}"
                    )
                if name not in self.territories[other].borders:
                    raise ValueError(
                        f"territory {name}: expected {other} to border it too, as it borders {other}"
                    )
            if len(set(territory.borders)) < len(territory.borders):
                raise ValueError(f"territory {name}: expected each border once, got one twice")
        for continent in self.continents:
            if all(t.continent != continent for t in self.territories.values()):
                raise ValueError(f"continent {continent}: expected at least one territory, found none")
        self._check_optional()
        self._check_connected()
        return self

    def _check_optional(self) -> None:
        for border in self.optional_borders:
            one, other = border.between
            for name in border.between:
                if name not in self.territories:
                    raise ValueError(f"optional border: expected a territory of the map, got {name!r}")
            if one == other or other in self.territories[one].borders:
                raise ValueError(f"optional border {one} – {other}: expected one that no territory lists")

    def _check_connected(self) -> None:
        neighbours = self._neighbours()
        first = next(iter(neighbours))
        seen, queue = {first}, [first]
        while queue:
            new = neighbours[queue.pop()] - seen
            seen |= new
            queue += new
        if len(seen) < len(neighbours):
            lost = next(name for name in neighbours if name not in seen)
            raise ValueError(f"expected a connected map, but no way leads from {first} to {lost}")

    def _neighbours(self) -> dict[str, set[str]]:
        neighbours = {name: set(territory.borders) for name, territory in self.territories.items()}
        for border in self.optional_borders:
            if border.on:
                one, other = border.between
                neighbours[one].add(other)
                neighbours[other].add(one)
        return neighbours

    def board(self) -> Board:
        """The map as the game uses it."""
        names = tuple(self.territories)
        continents = tuple(self.continents)
        continent_of = tuple(continents.index(territory.continent) for territory in self.territories.values())
        number = {name: t for t, name in enumerate(names)}
        neighbours = self._neighbours()
        return Board(
            names=names,
            neighbours=tuple(tuple(sorted(number[other] for other in neighbours[name])) for name in names),
            symbols=tuple(SYMBOLS.index(territory.symbol) for territory in self.territories.values()),
            continents=continents,
            continent_of=continent_of,
            continent_bonus=tuple(self.continents.values()),
            index=number,
            members=tuple(
                tuple(t for t in number.values() if continent_of[t] == c) for c in range(len(continents))
            ),
        )
