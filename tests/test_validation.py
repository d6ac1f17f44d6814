"""What is wrong in a file is told in plain words, whatever key holds it."""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from tournaments import REGISTRY

import arena
from arena.config import Tournament
from arena.position_tests import POSITIONS, PositionFile
from arena.risk.edition import Edition
from arena.risk.map import Map
from arena.risk.position import Position
from arena.validation import describe_error

JUNK: tuple[Any, ...] = (None, True, -1, 10**30, 1.5, "", "Two Words", [], [[]], {}, {"Odd Key": {}})

LINE = re.compile(r"file: (.+: )?(expected .+|unknown key(: did you mean .+\?)?|this key is missing)")

EDITION = {**REGISTRY.editions["hasbro-us-2003"].table, "map": REGISTRY.map("classic")}
TOURNAMENT = {
    "name": "cup",
    "edition": ["classic-faq"],
    "players": [3],
    "bots": ["greedy"],
    "format": "gauntlet",
    "challengers": ["turtle"],
    "blocks": 1,
    "seed": 0,
    "records": "all",
    "copies": True,
    "limits": {"decision_seconds": 1.0, "start_seconds": 2},
}
FILES = {
    "tournament": (Tournament, TOURNAMENT),
    "edition": (Edition, EDITION),
    "map": (Map, REGISTRY.maps["four-shores"].table),
    "position": (Position, arena.Game(REGISTRY.edition("classic-faq").rules, 3, 1).to_position()),
    "position test": (PositionFile, json.loads(next(POSITIONS.glob("*.json")).read_text())),
}


def spoilt(whole: Any) -> Iterator[Any]:
    """The same with a value anywhere in it replaced by junk, or a key missing or too many."""
    yield from JUNK
    inner = (
        whole.items() if isinstance(whole, Mapping) else enumerate(whole) if isinstance(whole, list) else ()
    )
    for key, value in inner:
        for other in spoilt(value):
            changed = copy.copy(whole)
            changed[key] = other
            yield changed
    if isinstance(whole, Mapping):
        yield from ({k: v for k, v in whole.items() if k != key} for key in whole)
        yield {**whole, "odd": 1}


@pytest.mark.parametrize("kind", FILES)
def test_every_fault_has_its_place_what_was_expected_and_what_was_found(kind: str) -> None:
    model, table = FILES[kind]
    assert issubclass(model, BaseModel)
    model.model_validate(table)
    faults = 0
    for wrong in spoilt(table):
        try:
            model.model_validate(wrong)
        except ValidationError as error:
            for line in describe_error(error, "file", model).splitlines():
                faults += 1
                assert LINE.fullmatch(line), line
                assert not re.search(r"Input|should|valid|instance|parse|pattern|NoneType", line), line
    assert faults > 40
