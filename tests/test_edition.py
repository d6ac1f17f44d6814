"""Editions and maps: the files as they are, and what is refused in them, with the place."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import schemas
from rules_table import EDITIONS, PAGE, ROWS, render

import arena
from arena.plugins import load_registry
from arena.risk.edition import Edition
from arena.risk.map import Map

REGISTRY = load_registry()
CLASSIC = REGISTRY.maps["classic"].table


def test_the_page_of_rules_is_as_the_editions_and_tests_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run `make docs`"


@pytest.mark.parametrize(("kind", "schema"), schemas.schemas().items())
def test_the_published_schemas_are_those_of_the_models(kind: str, schema: dict[str, Any]) -> None:
    published = (schemas.FOLDER / f"{kind}.json").read_text(encoding="utf-8")
    assert published == schemas.render(schema), "run `make docs`"


@pytest.mark.parametrize("kind", ["edition", "map", "tournament"])
def test_every_bundled_file_fits_its_published_schema(kind: str) -> None:
    schema = schemas.schemas()[kind]
    for path in (Path(__file__).parents[1] / "configs" / f"{kind}s").glob("*.toml"):
        jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)
        assert path.read_text(encoding="utf-8").startswith(f"#:schema ../../docs/schemas/{kind}.json\n")


def test_every_rule_names_tests_that_exist() -> None:
    here = Path(__file__).parent
    assert len(ROWS) == 33
    for row in ROWS:
        for test in row.tests:
            module, _, name = test.partition(".")
            assert f"def {name}(" in (here / f"{module}.py").read_text(encoding="utf-8"), row.rule


def test_every_switch_of_an_edition_is_in_the_table_of_rules() -> None:
    sections = REGISTRY.edition(EDITIONS[0]).model_dump(
        include={"setup", "reinforcement", "cards", "combat", "fortify", "victory"}
    )
    switches = {f"{section}.{field}" for section, fields in sections.items() for field in fields}
    assert switches == {switch for row in ROWS for switch in row.switches} - {"map.continents"}


def test_the_classic_map_is_the_board_of_most_tables() -> None:
    board = REGISTRY.map("classic").board()
    assert (len(board.names), sum(map(len, board.neighbours))) == (42, 2 * 83)
    assert dict(zip(board.continents, board.continent_bonus, strict=True)) == {
        "north-america": 5,
        "south-america": 2,
        "europe": 5,
        "africa": 3,
        "asia": 7,
        "australia": 2,
    }
    assert [len(members) for members in board.members] == [9, 4, 7, 6, 12, 4]
    assert [board.symbols.count(symbol) for symbol in range(3)] == [14, 14, 14]
    between = [
        (t, u)
        for t, neighbours in enumerate(board.neighbours)
        for u in neighbours
        if t < u and board.continent_of[t] != board.continent_of[u]
    ]
    assert len(between) == 14
    assert all(t in board.neighbours[u] for t, neighbours in enumerate(board.neighbours) for u in neighbours)


def test_the_route_that_one_printing_lacks_is_a_switch_of_the_map() -> None:
    table = copy.deepcopy(CLASSIC)
    table["optional_borders"][0]["on"] = False
    board = Map.model_validate(table).board()
    assert sum(map(len, board.neighbours)) == 2 * 82
    assert board.index["middle-east"] not in board.neighbours[board.index["east-africa"]]


def test_the_second_map_has_another_size_and_plays() -> None:
    edition = REGISTRY.edition("house-four-shores")
    assert len(edition.rules.board.names) != 42
    assert arena.play(edition, ["greedy", "continental", "turtle"], seed=1).winner is not None


@pytest.mark.parametrize("edition_id", [e for e in REGISTRY.editions if e.startswith("house-")])
def test_a_house_edition_extends_another_and_changes_little(edition_id: str) -> None:
    table = REGISTRY.editions[edition_id].table
    base = REGISTRY.edition(table["extends"])
    edition = REGISTRY.edition(edition_id)
    assert edition.fingerprint != base.fingerprint
    fields = [key for section in table.values() if isinstance(section, dict) for key in section]
    assert len(fields) == 1 or "map" in table


def test_fingerprints_cover_rules_and_map_and_no_names() -> None:
    base = REGISTRY.edition("hasbro-us-2003")
    renamed = base.model_copy(update={"id": "other", "name": "Other", "summary": "?"})
    assert Edition.model_validate(renamed.model_dump()).fingerprint == base.fingerprint
    other_map = base.model_dump()
    other_map["map"]["territories"]["alaska"]["symbol"] = "cavalry"
    assert Edition.model_validate(other_map).fingerprint != base.fingerprint


def load(tmp_path: Path, text: str) -> Edition:
    path = tmp_path / "house.toml"
    path.write_text(text)
    return arena.load_edition(str(path))


HEAD = 'id = "house-x"\nname = "X"\nextends = "hasbro-us-2003"\n'


def test_an_edition_file_changes_single_fields_of_the_one_it_extends(tmp_path: Path) -> None:
    edition = load(tmp_path, HEAD + "[cards]\nforced_at = 4\n")
    assert edition.cards.forced_at == 4
    assert edition.cards.values == REGISTRY.edition("hasbro-us-2003").cards.values


BAD = [
    ("[cards]\ncolour = 1", "cards.colour: unknown key"),
    ("[combat]\nties = 'nobody'", "combat.ties: expected 'defender' or 'attacker', got 'nobody'"),
    ("[combat]\nattack_dice = 4", "combat.attack_dice: "),
    ("[combat]\nattack_dice = true", "combat.attack_dice: "),
    ("[combat]\nforced = 1", "combat.forced: "),
    ("[reinforcement]\ndivisor = 0", "reinforcement.divisor: "),
    ("[setup]\nstarting_troops = { 3 = 10 }", "expected at least 42 troops in all for 3 players, got 30"),
    ("[setup]\nstarting_troops = { 9 = 30 }", "setup.starting_troops.9: "),
    ("[setup]\nneutral_troops = { 2 = 5 }", "setup.neutral_troops: expected at least 14 for 2 players"),
    ("[cards]\nvalues = { first = [4] }", "cards.values: expected either first and then, or infantry"),
    ("[cards]\nvalues = { first = [4], then = 1, mixed = 2 }", "cards.values: expected either"),
    ("[cards]\nforced_until = 6", "cards.forced_until: expected less than forced_at_elimination"),
    ("map = 'no-such'\n", "map: unknown map 'no-such'"),
    ("[cards\n", "expected TOML"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_wrong_edition_is_refused_with_file_and_field(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(arena.ArenaError) as caught:
        load(tmp_path, HEAD + text)
    assert message in str(caught.value)
    assert "house.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_edition_that_extends_an_unknown_one_or_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(arena.ArenaError, match=r"house\.toml: extends: unknown edition 'no-such'"):
        load(tmp_path, HEAD.replace("hasbro-us-2003", "no-such"))
    with pytest.raises(arena.ArenaError, match="house-x -> house-x goes round in a circle"):
        load(tmp_path, HEAD.replace("hasbro-us-2003", "house-x"))


def wrong_map(change: str) -> dict[str, Any]:
    table = copy.deepcopy(CLASSIC)
    territories = table["territories"]
    if change == "one-way":
        territories["alaska"]["borders"].remove("kamchatka")
    elif change == "island":
        for name, territory in territories.items():
            territory["borders"] = (
                [] if name == "japan" else [b for b in territory["borders"] if b != "japan"]
            )
    elif change == "atlantis":
        territories["peru"]["borders"].append("atlantis")
    elif change == "continent":
        territories["peru"]["continent"] = "mu"
    elif change == "empty":
        table["continents"]["mu"] = 3
    elif change == "twice":
        territories["peru"]["borders"].append("brazil")
    else:
        table["optional_borders"][0]["between"] = ["peru", "brazil"]
    return table


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("one-way", "territory kamchatka: expected alaska to border it too"),
        ("island", "expected a connected map, but no way leads from alaska to japan"),
        ("atlantis", "territory peru: expected borders with other territories, got 'atlantis'"),
        ("continent", "territory peru: expected a continent of the map, got 'mu'"),
        ("empty", "continent mu: expected at least one territory, found none"),
        ("twice", "territory peru: expected each border once, got one twice"),
        ("optional", "optional border peru – brazil: expected one that no territory lists"),
    ],
)
def test_a_wrong_map_is_refused_with_the_territory(change: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Map.model_validate(wrong_map(change))
