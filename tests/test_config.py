"""Tournament files: every mistake is one line that names the file, the key, what was expected and found."""

from pathlib import Path
from typing import Any

import pytest
from tournaments import REGISTRY, tournament, write_tournament

from arena.config import load_tournament
from arena.errors import ArenaError, ConfigError

QUICK = Path(__file__).parents[1] / "configs" / "tournaments" / "quick.toml"


def complaint(path: Path) -> str:
    """The one line about a tournament's file, after its path."""
    with pytest.raises(ArenaError) as caught:
        load_tournament(str(path), REGISTRY)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    assert caught.value.exit_code == 2
    return text.removeprefix(f"{path}: ").replace(str(path.parent), "FOLDER")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"block": 4}, "block: unknown key: did you mean blocks?"),
        ({"limits": {"memory": 1}}, "limits.memory: unknown key"),
        ({"name": None}, "name: this key is missing"),
        ({"edition": None}, "edition: this key is missing"),
        ({"players": None}, "players: this key is missing"),
        ({"bots": None}, "bots: this key is missing"),
        ({"blocks": None}, "blocks: this key is missing"),
        (
            {"limits": {"decision": 1}},
            "limits.decision: unknown key: did you mean limits.decision_seconds or limits.start_seconds?",
        ),
        ({"decision_seconds": 1}, "decision_seconds: unknown key: did you mean limits.decision_seconds?"),
    ],
)
def test_unknown_and_missing_keys_are_named(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    assert complaint(write_tournament(tmp_path, **changes)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": 5}, "name: expected text, got 5"),
        ({"edition": 5}, "edition: expected an edition or a list of them, got 5"),
        (
            {"edition": ["classic-faq", 5]},
            "edition: expected an edition or a list of them, got ['classic-faq', 5]",
        ),
        ({"edition": []}, "edition: expected an edition or a list of them, got []"),
        ({"players": "four"}, "players: expected a number or a list of them, got 'four'"),
        ({"players": 3.5}, "players: expected a number or a list of them, got 3.5"),
        ({"players": [3, "4"]}, "players: expected a number or a list of them, got [3, '4']"),
        ({"players": []}, "players: expected a number or a list of them, got []"),
        ({"bots": "greedy"}, "bots: expected a list, got 'greedy'"),
        ({"bots": ["greedy", 1, "turtle"]}, "bots.1: expected text, got 1"),
        (
            {"format": "swiss"},
            "format: expected 'balanced', 'round-robin', 'gauntlet' or 'mirrored', got 'swiss'",
        ),
        ({"records": True}, "records: expected 'all', 'faults' or 'none', got True"),
        ({"copies": "no"}, "copies: expected true or false, got 'no'"),
        ({"copies": 1}, "copies: expected true or false, got 1"),
        ({"blocks": "4"}, "blocks: expected a whole number, got '4'"),
        ({"blocks": True}, "blocks: expected a whole number, got True"),
        ({"blocks": 4.0}, "blocks: expected a whole number, got 4.0"),
        ({"limits": 5}, "limits: expected a table, got 5"),
        (
            {"limits": {"decision_seconds": "5"}},
            "limits.decision_seconds: expected a number, got '5'",
        ),
    ],
)
def test_wrong_types_are_named_and_never_converted(
    tmp_path: Path, changes: dict[str, Any], expected: str
) -> None:
    assert complaint(write_tournament(tmp_path, **changes)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"blocks": 0}, "blocks: expected at least 1, got 0"),
        ({"seed": -1}, "seed: expected at least 0, got -1"),
        ({"name": ""}, "name: expected 1 or more characters, got ''"),
        ({"bots": []}, "bots: expected 1 or more entries, got 0"),
        (
            {"limits": {"decision_seconds": 0}},
            "limits.decision_seconds: expected more than 0, got 0",
        ),
        (
            {"limits": {"decision_seconds": float("inf")}},
            "limits.decision_seconds: expected a finite number, got inf",
        ),
    ],
)
def test_numbers_out_of_range_are_named(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    path = write_tournament(tmp_path, **changes)
    path.write_text(path.read_text().replace("Infinity", "inf"))
    assert complaint(path) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"edition": "hasbro-2003"},
            "edition: unknown edition 'hasbro-2003': did you mean hasbro-us-2003 or hasbro-b7404?",
        ),
        ({"edition": "mine.toml"}, "edition: FOLDER/mine.toml: No such file or directory"),
        ({"bots": ["greedy", "turtel", "uniform"]}, "bots: unknown bot 'turtel': did you mean turtle?"),
        ({"bots": ["greedy", "./x.py"]}, "bots: bot ./x.py: FOLDER/x.py: No such file or directory"),
        (
            {"bots": ["greedy:speed=2", "turtle", "uniform"]},
            "bots: bot greedy:speed=2: unknown option 'speed': known are margin",
        ),
        (
            {"format": "gauntlet", "challengers": ["turtel"]},
            "challengers: unknown bot 'turtel': did you mean turtle?",
        ),
    ],
)
def test_editions_and_bots_that_do_not_exist_are_named(
    tmp_path: Path, changes: dict[str, Any], expected: str
) -> None:
    assert complaint(write_tournament(tmp_path, **changes)) == expected


def test_broken_bot_file_is_named_with_the_line_of_its_mistake(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import arena\n\n1 / 0\n")
    path = write_tournament(tmp_path, bots=["mine.py", "greedy", "turtle"])
    expected = "bots: bot mine.py: ZeroDivisionError: division by zero (mine.py, line 3)"
    assert complaint(path) == expected


def test_mistake_in_an_edition_file_is_named_with_that_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'id = "mine"\nname = "Mine"\nextends = "classic-faq"\n[combat]\nattack_dice = 4\n'
    )
    expected = "edition: FOLDER/mine.toml: combat.attack_dice: expected at most 3, got 4"
    assert complaint(write_tournament(tmp_path, edition="mine.toml")) == expected


@pytest.mark.parametrize("players", [2, 6, [3, 6], 0, 99])
def test_table_that_an_edition_is_not_for_is_refused(tmp_path: Path, players: int | list[int]) -> None:
    wrong = players if isinstance(players, int) else players[-1]
    path = write_tournament(
        tmp_path, edition=["hasbro-us-2003", "hasbro-b7404"], players=players, copies=True
    )
    edition, allowed = ("hasbro-us-2003", "2–6") if wrong in (0, 99) else ("hasbro-b7404", "3–5")
    assert complaint(path) == f"players: edition {edition} is for {allowed} players, got {wrong}"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"players": 5},
            "bots: expected at least 5 bots for tables of 5 (or copies = true), got 4",
        ),
        (
            {"players": [3, 6]},
            "bots: expected at least 6 bots for tables of 6 (or copies = true), got 4",
        ),
        (
            {"players": 5, "format": "gauntlet", "challengers": ["greedy"]},
            "bots: expected at least 4 bots besides the challengers"
            " for tables of 5 (or copies = true), got 3",
        ),
        (
            {"format": "gauntlet", "bots": ["greedy"], "challengers": ["greedy"], "copies": True},
            "bots: expected at least 1 bots besides the challengers for tables of 3, got 0",
        ),
        (
            {"format": "gauntlet"},
            "challengers: expected with format gauntlet, and only there, got none with format gauntlet",
        ),
        (
            {"challengers": ["greedy"]},
            "challengers: expected with format gauntlet, and only there, got 1 with format balanced",
        ),
    ],
)
def test_too_few_bots_for_the_format_are_refused(
    tmp_path: Path, changes: dict[str, Any], expected: str
) -> None:
    assert complaint(write_tournament(tmp_path, **changes)) == expected


@pytest.mark.parametrize("bots", [["greedy", "greedy"], ["greedy", "turtle", "turtle"]])
def test_what_is_compared_may_be_alike_and_among_the_others(tmp_path: Path, bots: list[str]) -> None:
    resolved = load_tournament(str(write_tournament(tmp_path, format="mirrored", bots=bots)), REGISTRY)
    assert [bot.name for bot in resolved.bots] == bots


def test_a_mirrored_tournament_needs_the_two_to_compare(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, format="mirrored", bots=["greedy"])
    expected = "bots: expected the two to compare first with format mirrored, got 1"
    assert complaint(path).endswith(expected)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"players": [3, 4, 3]}, "players: expected different ones, got 3 twice"),
        (
            {"format": "mirrored", "bots": ["greedy", "turtle", "uniform", "uniform"]},
            "bots: expected different ones, got 'uniform' twice",
        ),
        ({"bots": ["greedy", "turtle", "greedy"]}, "bots: expected different ones, got 'greedy' twice"),
        (
            {"edition": ["classic-faq", "classic-faq"]},
            "edition: expected different ones, got 'classic-faq' twice",
        ),
        (
            {"format": "gauntlet", "challengers": ["greedy", "greedy"]},
            "challengers: expected different ones, got 'greedy' twice",
        ),
    ],
)
def test_what_stands_twice_is_named(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    assert complaint(write_tournament(tmp_path, **changes)) == expected


def test_one_bot_by_two_paths_is_a_duplicate(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot): ...\n")
    path = write_tournament(tmp_path, bots=["mine.py", "./mine.py", "greedy"])
    assert complaint(path) == "bots: expected different ones, got mine twice: mine.py and ./mine.py"


def test_same_rules_under_two_ids_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('id = "other"\nname = "Other"\nextends = "classic-faq"\n')
    path = write_tournament(tmp_path, edition=["classic-faq", "other.toml"])
    assert complaint(path) == "edition: expected different rules, got the same in classic-faq and other"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            b'name = "cup"\nedition "x"\n',
            "expected TOML: Expected '=' after a key in a key/value pair (at line 2,",
        ),
        (b'name = "cup"\nname = "cup"\n', "expected TOML: Cannot overwrite a value (at line 2,"),
        (b'name = "\xff"\n', "expected UTF-8 text, but byte 8 is not"),
    ],
)
def test_file_that_is_no_toml_is_named_with_the_place(tmp_path: Path, text: bytes, expected: str) -> None:
    path = tmp_path / "cup.toml"
    path.write_bytes(text)
    assert complaint(path).startswith(expected)


def test_every_fault_of_a_file_has_its_line(tmp_path: Path) -> None:
    path = write_tournament(tmp_path, name=None, blok=3, players="four")
    with pytest.raises(ConfigError) as caught:
        load_tournament(str(path), REGISTRY)
    assert str(caught.value).splitlines() == [
        f"{path}: name: this key is missing",
        f"{path}: players: expected a number or a list of them, got 'four'",
        f"{path}: blok: unknown key: did you mean blocks?",
    ]


def test_every_fault_of_a_tournaments_edition_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'id = "mine"\nextends = "classic-faq"\ncolour = 1\n[cards]\nsets = 2\n'
    )
    path = write_tournament(tmp_path, edition="mine.toml")
    with pytest.raises(ConfigError) as caught:
        load_tournament(str(path), REGISTRY)
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"{path}: edition: {tmp_path}/mine.toml: ") for line in lines)


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    assert complaint(tmp_path / "none.toml") == "No such file or directory"
    (tmp_path / "folder.toml").mkdir()
    assert complaint(tmp_path / "folder.toml") == "Is a directory"


def test_unknown_id_is_told_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"^unknown tournament 'quik': did you mean quick\?$"):
        load_tournament("quik", REGISTRY)


def test_overrides_are_checked_like_the_file_and_take_its_place() -> None:
    resolved = load_tournament("quick", REGISTRY, blocks=8, seed=3)
    assert (resolved.tournament.blocks, resolved.tournament.seed) == (8, 3)
    with pytest.raises(ConfigError, match=r"quick\.toml: blocks: expected at least 1, got 0"):
        load_tournament("quick", REGISTRY, blocks=0)


def test_quick_by_its_path_is_the_bundled_one() -> None:
    assert load_tournament(str(QUICK), REGISTRY).fingerprint == load_tournament("quick", REGISTRY).fingerprint


def test_paths_start_from_the_tournaments_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "mine.py").write_text("import arena\n\nclass Mine(arena.Bot): ...\n")
    (folder / "rules.toml").write_text('id = "rules"\nname = "Rules"\nextends = "classic-faq"\n')
    path = write_tournament(folder, bots=["mine.py", "greedy", "turtle"], edition="rules.toml")
    resolved = load_tournament(str(path.relative_to(tmp_path)), REGISTRY)
    assert [bot.name for bot in resolved.bots] == ["mine", "greedy", "turtle"]
    assert [edition.id for edition in resolved.editions] == ["rules"]


def test_one_and_a_list_of_one_are_the_same_tournament(tmp_path: Path) -> None:
    one = tournament(tmp_path, edition="classic-faq", players=3)
    listed = tournament(tmp_path, edition=["classic-faq"], players=[3])
    assert one.fingerprint == listed.fingerprint
    assert listed.tournament.table_sizes == [3]


def test_challengers_join_the_bots_once(tmp_path: Path) -> None:
    resolved = tournament(tmp_path, format="gauntlet", challengers=["greedy", "greedy:margin=4"])
    names = [bot.name for bot in resolved.bots]
    assert names == ["uniform", "turtle", "greedy", "continental", "greedy:margin=4"]
    assert [names[i] for i in resolved.challengers] == ["greedy", "greedy:margin=4"]


def test_job_tells_hosts_what_the_file_says(tmp_path: Path) -> None:
    resolved = tournament(tmp_path, records="faults", limits={"decision_seconds": 2.5})
    job = resolved.job()
    assert (job.records, job.decision_seconds, job.bots) == ("faults", 2.5, resolved.bots)
    assert list(job.editions) == [resolved.editions[0].fingerprint]
