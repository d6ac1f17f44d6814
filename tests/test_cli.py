"""The command line: what each command prints, as a table and as JSON, and with which exit code it ends."""

import csv
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Collection
from itertools import groupby, pairwise, permutations
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from commands import ARENA, call, complaint_of, data_of, in_a_terminal, stdout_of, usage_error_of
from distributions import write_plugin
from playing import BOTS
from subprocesses import in_another_process
from tournaments import FAULTY, HereExecutor, any_key, change, games_in, query, tournament, write_tournament

import arena
from arena.cli import COMMANDS, ArenaGroup, main
from arena.cli.board import print_board
from arena.cli.standings import _beyond
from arena.compare import PRESETS
from arena.errors import RunStopped, StoreError
from arena.executors import EXECUTORS
from arena.migrations import LATEST
from arena.risk.compiled import describe_build
from arena.run import run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a cup, in which a bot forfeits; its folder holds nothing else that is asked for."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "faulty.py").write_text(FAULTY)
    resolved = tournament(folder, bots=["greedy", "uniform", "faulty.py", "continental"])
    run(resolved, folder / "arena.db", HereExecutor())
    return folder / "arena.db"


@pytest.fixture
def db(played: Path, tmp_path: Path) -> Path:
    """That database, to change."""
    return Path(shutil.copy(played, tmp_path / "arena.db"))


# --- help


def test_help_lists_every_command_with_a_help_text() -> None:
    text = stdout_of("--help")
    for name in COMMANDS:
        assert f"\n  {name} " in text
    commands = {command: main.get_command(click.Context(main), command) for command in COMMANDS}
    assert all(command and command.help for command in commands.values())
    assert stdout_of("-h") == text
    assert [line for line in text.splitlines()[1:] if line.endswith("...")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
        else:
            assert str(parameter.name).upper() in (command.help or "")
    assert stdout_of(name, "--help") == stdout_of(name, "-h")


@pytest.mark.parametrize(
    ("command", "option", "known"), [("run", "executor", EXECUTORS), ("compare", "preset", PRESETS)]
)
def test_choices_are_all_that_there_are(command: str, option: str, known: Collection[str]) -> None:
    """Commands write them out, as their modules load nothing of what knows them."""
    found = main.get_command(click.Context(main), command)
    assert found is not None
    (choice,) = [parameter.type for parameter in found.params if parameter.name == option]
    assert isinstance(choice, click.Choice)
    assert list(choice.choices) == list(known)


def test_version_is_the_distributions() -> None:
    assert stdout_of("--version") == f"arena {arena.__version__} ({describe_build()} core)\n"
    assert arena.__version__[0].isdigit()


def test_help_loads_none_of_the_heavy_libraries() -> None:
    code = """if True:
        import sys
        from arena.cli import main
        main(["--help"], standalone_mode=False)
        heavy = {"ray", "numpy", "scipy", "pydantic", "pluggy", "rich", "sqlite_utils", "sqlite3"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert in_another_process(code).splitlines()[-1] == "[]"


def test_listing_bots_loads_neither_ray_nor_numpy() -> None:
    code = """if True:
        import sys
        from arena.cli import main
        main(["bots"], standalone_mode=False)
        print(sorted({"ray", "numpy", "scipy", "pydantic"} & set(sys.modules)))
    """
    assert in_another_process(code).splitlines()[-1] == "[]"


def test_unknown_command_and_option_are_usage_errors() -> None:
    for arguments in (["tea"], ["standings", "--jason"], ["show"], ["run", "quick", "--workers", "0"]):
        assert usage_error_of(*arguments)


def test_command_and_option_that_may_have_been_meant_are_told() -> None:
    assert usage_error_of("standing") == "No such command 'standing'. Did you mean 'standings'?"
    assert usage_error_of("standings", "--jason").endswith("Did you mean '--json'?")


# --- exit codes


def failing(error: BaseException) -> click.Group:
    """The command line with one command, which fails."""

    class Failing(ArenaGroup):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
            return click.Command("fail", callback=fail)

    def fail() -> None:
        raise error

    return Failing()


@pytest.mark.parametrize(
    ("error", "exit_code", "line"),
    [
        (StoreError("no such thing"), 2, "arena: no such thing\n"),
        (RunStopped("no use"), 1, "arena: no use\n"),
        (StoreError("one\ntwo"), 2, "arena: one\narena: two\n"),
        (KeyboardInterrupt(), 130, "arena: interrupted\n"),
        (KeyboardInterrupt("go on"), 130, "arena: interrupted: go on\n"),
        (SystemExit(1), 1, ""),
    ],
)
def test_errors_are_one_line_and_an_exit_code(error: BaseException, exit_code: int, line: str) -> None:
    result = CliRunner().invoke(failing(error), ["fail"])
    assert (result.exit_code, result.stderr, result.stdout) == (exit_code, line, "")


def test_bug_of_ours_keeps_its_traceback_and_is_no_answer() -> None:
    result = CliRunner().invoke(failing(ZeroDivisionError("oops")), ["fail"])
    assert result.exit_code == 2
    assert result.stderr.startswith("Traceback (most recent call last):")
    assert result.stderr.endswith("ZeroDivisionError: oops\n")


@pytest.mark.parametrize(
    ("redirection", "exit_code", "line"),
    [
        (">/dev/full", 2, "arena: stdout: No space left on device\n"),
        (">&-", 2, "arena: stdout: Bad file descriptor\n"),
        ("<&- >/dev/full 2>/dev/full", 2, ""),
        ("<&- >&- 2>&-", 2, ""),
        ("2>&- >/dev/null", 0, ""),
    ],
)
@pytest.mark.parametrize("command", ["replay {key}", "games"])  # printed with click, and with rich
def test_output_that_is_lost_is_one_line_and_an_exit_code(
    played: Path, command: str, redirection: str, exit_code: int, line: str
) -> None:
    words = f"{command.format(key=any_key(played))} --db {shlex.quote(str(played))} {redirection}"
    done = subprocess.run(f"{ARENA} {words}", shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (exit_code, line)


@pytest.mark.parametrize("command", ["replay {key}", "games --json"])
def test_reader_that_goes_away_ends_a_command_quietly_and_with_the_usual_exit_code(
    played: Path, command: str
) -> None:
    words = [*command.format(key=any_key(played)).split(), "--db", str(played)]
    with subprocess.Popen([ARENA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.close()
        assert listing.stderr.read() == b""
    assert listing.returncode == 128 + signal.SIGPIPE


def test_run_whose_output_is_lost_has_stored_its_games(tmp_path: Path) -> None:
    """With stdout and stderr closed, so that the database's file could have got their numbers."""
    db, file = tmp_path / "arena.db", write_tournament(tmp_path, blocks=3)
    words = f"{ARENA} run {file} --db {db} --executor local --workers 1 >&- 2>&-"
    assert subprocess.run(words, shell=True, check=False).returncode == 2
    assert len(games_in(db)) == 12
    assert stdout_of("verify", "--db", db) == "12 of 12 games played again agree, 0 skipped\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("width", ["20", "80", "300"])
def test_keys_are_whole_on_a_terminal_of_any_width(
    played: Path, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    from arena.cli.output import print_table

    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    keys = sorted(key for key, _ in games_in(played))
    words = "many words that are " * 4
    print_table("title", ["key", "detail", "digest"], [[key, words, key[::-1]] for key in keys])
    assert all(key in terminal.getvalue() and key[::-1] in terminal.getvalue() for key in keys)
    assert (f" {words} " in terminal.getvalue()) == (width == "300")


def test_lines_for_a_pipe_are_never_folded(db: Path) -> None:
    detail = "far too long " * 99
    change(db, "update faults set detail = ?", detail)
    lines = stdout_of("faults", "--db", db).splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    faults = data_of("faults", "--db", db)
    assert sum(f" {detail.strip()}" in line for line in lines) == len(faults)


# --- databases that will not do


def missing(path: Path) -> None:
    path.unlink()


def text_file(path: Path) -> None:
    path.write_text("this is no database " * 99)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def newer(path: Path) -> None:
    change(path, "insert into _sqlite_migrations values (9, 'arena', 'm999_future', 'tomorrow')")


def strange(path: Path) -> None:
    path.unlink()
    change(path, "create table recipes (name)")


READING = [
    ["status"],
    ["standings"],
    ["games"],
    ["show", "a"],
    ["faults"],
    ["faults", "a"],
    ["replay", "a"],
    ["verify"],
]


@pytest.mark.parametrize("command", READING, ids=" ".join)
@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (missing, "no database at {path}; `arena run` makes one"),
        (text_file, "{path}: expected a database that can be read, got: file is not a database"),
        (folder, "{path}: expected a database, got a folder"),
        (
            newer,
            f"{{path}}: expected tables up to {LATEST}, got m999_future, made by a newer version of arena",
        ),
        (strange, "{path}: expected a results database of arena, got one with the tables recipes"),
    ],
)
def test_database_that_cannot_be_read_is_one_line(
    db: Path, make: Callable[[Path], None], complaint: str, command: list[str]
) -> None:
    make(db)
    assert complaint_of(*command, "--db", db) == complaint.format(path=db)


@pytest.mark.parametrize("make", [text_file, folder, newer, strange])
def test_run_refuses_a_database_that_it_cannot_go_on_with(db: Path, make: Callable[[Path], None]) -> None:
    make(db)
    before = db.read_bytes() if db.is_file() else b""
    file = write_tournament(db.parent)
    assert complaint_of("run", file, "--db", db, "--executor", "local").startswith(f"{db}: expected ")
    assert (db.read_bytes() if db.is_file() else b"") == before


@pytest.mark.parametrize("command", [["standings", "tea"], ["games", "tea"], ["status", "tea"]])
def test_unknown_tournament_is_named_with_the_known_ones(db: Path, command: list[str]) -> None:
    expected = f"{db}: expected a tournament that was run here, got 'tea': known are cup"
    assert complaint_of(*command, "--db", db) == expected


@pytest.mark.parametrize("command", ["show", "faults", "replay"])
def test_unknown_game_is_one_line(db: Path, command: str) -> None:
    expected = f"{db}: expected one game whose key begins with 'xyz', got none"
    assert complaint_of(command, "xyz", "--db", db) == expected


def test_beginning_of_several_keys_is_refused_with_two_of_them(db: Path) -> None:
    first, second = sorted(key for key, _ in games_in(db))[:2]
    expected = f"{db}: expected one game whose key begins with '', got several ({first}, {second}, …)"
    assert complaint_of("show", "", "--db", db) == expected


# --- run


BALANCE = (
    "3 players: in every 4 blocks each of the bots plays 3 games in each seat"
    " and meets each of the others in 6"
)


def test_run_plays_prints_the_standings_and_then_has_nothing_to_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = write_tournament(tmp_path)
    first = call("run", file, "--executor", "local", "--workers", "1")
    stored = "cup: stored in results/arena.db\n"
    assert (first.exit_code, first.stderr) == (0, f"cup: {BALANCE}\n{stored}")
    assert first.stdout == stdout_of("standings")
    again = call("run", file, "--executor", "local")
    assert (again.exit_code, again.stderr) == (0, f"cup: all 12 games are played already\n{stored}")
    assert again.stdout == first.stdout
    assert len(games_in(tmp_path / "results" / "arena.db")) == 12


def test_run_with_json_ends_with_the_standings_as_json(tmp_path: Path) -> None:
    db, file = tmp_path / "arena.db", write_tournament(tmp_path)
    options = ["--executor", "local", "--blocks", "8", "--seed", "3", "--json"]
    tables = json.loads(call("run", file, "--db", db, *options).stdout, parse_constant=pytest.fail)
    assert tables == data_of("standings", "--db", db)
    assert [(table["tournament"], table["games"]) for table in tables] == [("cup", 24)]
    ((config,),) = query(db, "select config from tournaments")
    assert (json.loads(config)["blocks"], json.loads(config)["seed"]) == (8, 3)


def test_run_shows_only_its_own_tournament(db: Path) -> None:
    file = write_tournament(db.parent, name="other", seed=9)
    tables = json.loads(call("run", file, "--db", db, "--executor", "local", "--json").stdout)
    assert [table["tournament"] for table in tables] == ["other"]
    assert [table["tournament"] for table in data_of("standings", "--db", db)] == ["cup", "other"]


def test_blocks_that_are_rounded_up_are_told(tmp_path: Path) -> None:
    file = write_tournament(tmp_path, blocks=3, players=[2, 3])
    result = call("run", file, "--db", tmp_path / "arena.db", "--executor", "local")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "cup: blocks rounded up from 3 to 12 for 2 players",
        "cup: blocks rounded up from 3 to 4 for 3 players",
        "cup: 2 players: in every 12 blocks each of the bots plays 6 games in each seat"
        " and meets each of the others in 4",
        f"cup: {BALANCE}",
        f"cup: stored in {tmp_path}/arena.db",
    ]


def test_dry_run_shows_the_schedule_and_touches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = write_tournament(tmp_path, players=[3, 4], blocks=5)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*")}
    data = data_of("run", file, "--dry-run")
    table = stdout_of("run", file, "--dry-run", "--executor", "inline")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*")} == before
    assert list(data) == ["tournament", "fingerprint", "pools", "balance", "bots"]
    assert data["pools"] == [
        {"edition": "house-four-shores", "players": 3, "blocks": 8, "games": 24},
        {"edition": "house-four-shores", "players": 4, "blocks": 8, "games": 32},
    ]
    assert data["balance"] == [
        {
            "players": players,
            "blocks": 4,
            "bots": "the bots",
            "seat": [players, players],
            "others": "the others",
            "pair": [pair, pair],
        }
        for players, pair in ((3, 6), (4, 16))
    ]
    assert BALANCE in table
    assert [bot["bot"] for bot in data["bots"]] == ["uniform", "turtle", "greedy", "continental"]
    assert list(data["bots"][0]) == ["bot", "version", "source"]
    for word in (data["tournament"], data["fingerprint"], "house-four-shores", "32", "continental"):
        assert word in table


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"blok": 1}, "{file}: blok: unknown key: did you mean blocks?"),
        ({"bots": ["gredy"]}, "{file}: bots: unknown bot 'gredy': did you mean greedy?"),
        (
            {"bots": [f"greedy:margin={i}" for i in range(25)], "players": 4, "format": "round-robin"},
            "{file}: format: expected a round-robin of at most 10,000 line-ups, got 12,650 of 4 players among"
            " 25 bots: balanced makes do with few",
        ),
        ({"players": 5}, "{file}: bots: expected at least 5 bots for tables of 5 (or copies = true), got 4"),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_wrong_tournament_is_one_line_and_no_database_is_made(
    tmp_path: Path, changes: dict[str, Any], complaint: str, dry: list[str]
) -> None:
    db, file = tmp_path / "arena.db", write_tournament(tmp_path, **changes)
    line = complaint_of("run", file, "--db", db, "--executor", "local", *dry)
    assert line == complaint.format(file=file)
    assert not db.exists()


@pytest.mark.parametrize("text", ["mine.py", ".", "cups/mine"])
def test_what_is_no_tournament_file_is_told(text: str) -> None:
    line = f"tournament {text!r}: expected an id, or a file that ends in .toml"
    assert complaint_of("run", text) == line
    assert "edition " + line.partition(" ")[2] in complaint_of(
        "compare", "greedy", "turtle", "--edition", text
    )


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--executor", "local", "--address", "node:1"],
            "address: expected with executor ray only, got it with local",
        ),
        (["--workers", "2", "--address", "node:1"], "workers: a cluster has its own number, got 2"),
        (["--address", "auto"], "address: expected host:port of a running Ray cluster, got 'auto'"),
    ],
)
def test_options_that_do_not_go_together_are_one_line(
    tmp_path: Path, options: list[str], complaint: str
) -> None:
    command = ["run", write_tournament(tmp_path), "--db", tmp_path / "arena.db", *options]
    assert complaint_of(*command) == complaint
    assert usage_error_of(*command, "--dry-run") == "--dry-run plays nothing: give no --address with it"


def test_tournament_changed_under_its_name_is_one_line_with_the_difference(db: Path) -> None:
    before = games_in(db)
    (db.parent / "faulty.py").write_text(FAULTY)
    file = write_tournament(db.parent, bots=["greedy", "uniform", "faulty.py", "continental"])
    assert call("run", file, "--db", db, "--executor", "local").exit_code == 0
    assert complaint_of("run", file, "--db", db, "--executor", "local", "--seed", "8") == (
        f"{db}: expected tournament cup as it was begun here, got it changed (seed: 7 -> 8):"
        " give it another name or another database"
    )
    assert games_in(db) == before


def test_run_whose_games_cannot_be_played_stops_with_the_reason(tmp_path: Path) -> None:
    db, bomb = tmp_path / "arena.db", str(BOTS / "saboteur.py")
    file = write_tournament(tmp_path, bots=["greedy", bomb, "turtle"], blocks=3)
    result = call("run", file, "--db", db, "--executor", "local", "--workers", "1")
    assert (result.exit_code, result.stdout) == (1, "")
    line = result.stderr.splitlines()[-1]
    assert line.startswith("arena: two games in a row of ")
    assert "the last one: host process exited with status 1 outside of any bot: TypeError: " in line
    ((voids,),) = query(db, "select sum(count) from voids")
    assert voids >= 2


@pytest.mark.parametrize(
    ("command", "options", "exit_code"),
    [
        ("run", ["--dry-run", "--json"], 0),
        ("compare", ["--max-games", "2", "--executor", "local", "--json"], 3),
        ("test-positions", ["--json"], 1),
        ("bots", ["--json"], 0),
    ],
)
def test_misspelt_method_is_warned_of(
    command: str, options: list[str], exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(BOTS / "misspelt.py", tmp_path)
    words: dict[str, list[object]] = {
        "run": [write_tournament(tmp_path, bots=["misspelt.py", "greedy", "uniform"])],
        "compare": ["misspelt.py", "turtle", "--seed", "1"],
    }
    result = call(command, *words.get(command, ["misspelt.py"]), *options)
    assert result.exit_code == exit_code
    assert json.loads(result.stdout)
    line = "bot misspelt.py: atack is no decision: did you mean attack? (if not, call it _atack)"
    warned = [line for line in result.stderr.splitlines() if line.startswith("arena: ")]
    assert warned == [f"arena: warning: {line}"]


def test_second_run_on_a_database_is_refused(db: Path) -> None:
    from arena.store import open_store

    file = write_tournament(db.parent)
    with open_store(db):
        line = complaint_of("run", file, "--db", db, "--executor", "local")
    assert line.startswith(f"{db}: expected no other run on it, got process {os.getpid()} on ")


NOTED = """
import arena

class Noted(arena.Bot):
    def __init__(self, note: str):
        pass

    def attack(self, view):
        return next((arena.Attack(src, dst) for src, dst in view.attacks() if view.troops[src] > 2), None)
"""

NAMES = ["noted:note=[/]", "noted:note=[red]x[/red]", "noted:note=:bug:"]


def test_names_are_shown_as_they_are_and_the_progress_bar_on_a_terminal_only(tmp_path: Path) -> None:
    """None of them is taken for one of rich's marks."""
    (tmp_path / "noted.py").write_text(NOTED)
    bots = [name.replace(":", ".py:", 1) for name in NAMES]
    file = write_tournament(tmp_path, name="[bold]cup :bug:", bots=bots, blocks=3)
    seen = in_a_terminal("run", file, "--db", tmp_path / "arena.db", "--executor", "local", piped=True)
    assert seen.exit_code == 0
    for words in ("[bold]cup :bug:", "0/9", "9/9", " games/s · ", " left · ", " leads with "):
        assert words in seen.screen
    assert any(f"{name} leads with" in seen.screen for name in NAMES)
    db = tmp_path / "arena.db"
    assert seen.stdout == stdout_of("standings", "--db", db)
    assert "\x1b" not in seen.stdout
    board = stdout_of("show", any_key(db), "--at", 5, "--db", db)
    for name in NAMES:
        assert f" {name} " in seen.stdout
        assert f" {name} 0 " in board


# --- standings


def test_standings_as_json_tell_the_pool_its_seats_and_its_bots(played: Path) -> None:
    (pool,) = data_of("standings", "--db", played)
    assert [seat["turn"] for seat in pool["seats"]] == [0, 1, 2]
    assert [bot["rank"] for bot in pool["bots"]] == [1, 2, 3, 4]
    assert (pool["tournament"], pool["edition"], pool["players"]) == ("cup", "house-four-shores", 3)
    assert (pool["games"], pool["void"], type(pool["connected"])) == (12, 0, bool)


def test_standings_as_a_table_show_the_same_numbers(played: Path) -> None:
    (pool,) = data_of("standings", "--db", played)
    text = stdout_of("standings", "--db", played)
    lines = text.splitlines()
    assert lines[0].startswith("cup · house-four-shores · 3 players · 12 games · 0 unfinished · rounds ")
    head = next(line for line in lines if " Elo " in line)
    words = "# bot version Elo 95 % games wins win rate LOS forfeits"  # none was unfinished
    assert " ".join(head.split()) == words
    for bot in pool["bots"]:
        row = next(line for line in lines if f" {bot['bot']} " in line).split()
        assert row[0] == str(bot["rank"])
        assert f"{bot['elo']:.0f}" in row
        assert f"{bot['win_rate']:.1%}" in row
    assert "by turn position" in text
    assert "\x1b" not in text


def test_standings_of_one_tournament_and_of_all(db: Path) -> None:
    run(tournament(db.parent, name="other", seed=9), db, HereExecutor())
    assert [pool["tournament"] for pool in data_of("standings", "--db", db)] == ["cup", "other"]
    assert [pool["tournament"] for pool in data_of("standings", "other", "--db", db)] == ["other"]
    (merged,) = data_of("standings", "--all", "--db", db)
    assert (merged["tournament"], merged["games"]) == (None, 24)
    assert stdout_of("standings", "--all", "--db", db).startswith("all tournaments · house-four-shores · ")
    error = usage_error_of("standings", "cup", "--all", "--db", db)
    assert error == "--all merges all tournaments: give no TOURNAMENT with it"


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tournaments, the first one of 2031; `uniform` hardly ever wins."""
    path = tmp_path_factory.mktemp("league") / "arena.db"
    run(tournament(path.parent, players=[2, 3], blocks=40), path, HereExecutor(50))
    run(tournament(path.parent, name="later", seed=9), path, HereExecutor(50))
    change(path, "update tournaments set created = '2031-05-01T10:00:00+00:00' where name = 'cup'")
    return path


@pytest.mark.parametrize("command", ["standings", "matrix"])
@pytest.mark.parametrize(
    ("options", "pools"),
    [
        ([], [("cup", 2), ("cup", 3), ("later", 3)]),
        (["--players", 3], [("cup", 3), ("later", 3)]),
        (["--edition", "house-four-shores", "later"], [("later", 3)]),
        (["--since", "2031-05-01"], [("cup", 2), ("cup", 3)]),
        (["--all", "--players", 3], [(None, 3)]),
    ],
)
def test_pools_are_chosen_by_options(
    league: Path, command: str, options: list[object], pools: list[tuple[str, int]]
) -> None:
    more = ["--samples", 3] if command == "matrix" else []
    data = data_of(command, "--db", league, *options, *more)
    assert [(pool["tournament"], pool["players"]) for pool in data] == pools


def test_merged_pools_leave_out_earlier_tournaments(league: Path) -> None:
    both, late = (
        data_of("standings", "--all", "--players", 3, "--db", league, *since)[0]
        for since in ([], ["--since", "2031-01-01"])
    )
    assert both["games"] == late["games"] + 12
    assert sum(bot["games"] for bot in late["bots"]) == late["games"] * 3
    (cup,) = data_of("standings", "cup", "--players", 3, "--db", league)
    assert late | {"tournament": "cup"} == cup


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--edition", "us"],
            "{db}: edition: expected one that was played here, got 'us': known are house-four-shores",
        ),
        (["--players", 6], "{db}: players: expected one that was played here, got 6: known are 2, 3"),
        (
            ["--anchor", "ant=1500"],
            "cup, house-four-shores, 2 players: expected an anchor that played there, got 'ant':"
            " known are continental, greedy, turtle, uniform",
        ),
        (
            ["--anchor", "gredy=1500"],
            "cup, house-four-shores, 2 players: expected an anchor that played there, got 'gredy':"
            " did you mean greedy?",
        ),
    ],
)
def test_choice_of_nothing_is_one_line_with_the_candidates(
    league: Path, options: list[object], complaint: str
) -> None:
    assert complaint_of("standings", "--db", league, *options) == complaint.format(db=league)


@pytest.mark.parametrize("command", ["standings", "matrix"])
@pytest.mark.parametrize("day", ["yesterday", "2031", "2031-02-30", "1.5.2031", ""])
def test_day_that_is_none_is_told(league: Path, command: str, day: str) -> None:
    error = usage_error_of(command, "--db", league, "--since", day)
    assert error.endswith(f"'--since': expected a date such as 2026-11-30, got {day!r}")


@pytest.mark.parametrize("command", ["standings", "matrix"])
def test_choice_without_games_is_told(league: Path, command: str) -> None:
    line = complaint_of(command, "--db", league, "--since", "2031-05-02")
    what = "expected games of tournaments first run on 2031-05-02 or later, got none"
    assert line == f"{league}: since: {what}"


@pytest.mark.parametrize("command", ["standings", "matrix"])
@pytest.mark.parametrize("styles", [*permutations(("--json", "--csv", "--markdown"), 2)])
def test_output_has_one_style(league: Path, command: str, styles: tuple[str, str]) -> None:
    error = usage_error_of(command, "--db", league, *styles)
    assert error == f"{styles[0]} and {styles[1]}: expected one of them"


def test_record_has_no_other_style(played: Path) -> None:
    error = usage_error_of("show", any_key(played), "--record", "--json", "--db", played)
    assert error == "--record prints text: give no --json with it"


@pytest.mark.parametrize("anchor", ["greedy", "greedy=", "greedy=strong", "greedy=nan", "greedy=inf"])
def test_anchor_without_a_rating_is_one_line(league: Path, anchor: str) -> None:
    error = usage_error_of("standings", "--db", league, "--anchor", anchor)
    assert error == f"--anchor: expected BOT=ELO, got {anchor!r}"


def test_anchor_has_its_rating_without_error(league: Path) -> None:
    (pool,) = data_of("standings", "cup", "--players", 3, "--db", league, "--anchor", "greedy=1000")
    bots = {bot["bot"]: bot for bot in pool["bots"]}
    assert [bots["greedy"][key] for key in ("elo", "error", "low", "high")] == [1000, 0, 1000, 1000]
    assert bots["turtle"]["error"] > 0
    assert pool["reference"] == ["greedy"]


def test_los_matrix_holds_the_los_against_the_next(league: Path) -> None:
    (pool,) = data_of("standings", "cup", "--players", 3, "--db", league, "--los")
    names = [bot["bot"] for bot in pool["bots"]]
    assert list(pool["los"]) == names
    for bot, below in pairwise(pool["bots"]):
        assert pool["los"][bot["bot"]][below["bot"]] == bot["los_next"]
        assert pool["los"][below["bot"]][bot["bot"]] == pytest.approx(1 - bot["los_next"])
    text = stdout_of("standings", "cup", "--players", 3, "--db", league, "--los")
    assert f"{pool['los'][names[0]][names[2]]:.1%}" in text
    assert data_of("standings", "cup", "--db", league)[0].get("los") is None


def test_standings_as_csv_have_a_row_a_bot(league: Path) -> None:
    rows = list(csv.DictReader(stdout_of("standings", "--db", league, "--csv", "--los").splitlines()))
    pools = data_of("standings", "--db", league)
    assert [(row["tournament"], row["bot"]) for row in rows] == [
        (pool["tournament"], bot["bot"]) for pool in pools for bot in pool["bots"]
    ]
    assert {"edition", "players", "elo", "low", "high", "los greedy"} <= set(rows[0])
    assert float(rows[0]["elo"]) == pools[0]["bots"][0]["elo"]


@pytest.mark.parametrize("command", [["standings", "--los"], ["matrix", "--samples", "3"]])
def test_markdown_has_only_whole_tables(league: Path, command: list[str]) -> None:
    lines = stdout_of(*command, "cup", "--db", league, "--markdown").splitlines()
    assert lines[0].startswith("### cup · house-four-shores · 2 players")
    tables = [list(group) for is_row, group in groupby(lines, lambda line: line.startswith("|")) if is_row]
    assert len(tables) == (6 if command[0] == "standings" else 4)
    for table in tables:
        assert len({line.count("|") for line in table}) == 1
        assert set(table[1]) <= set("|-: ")
    assert "─" not in "".join(lines)


def test_few_wins_show_an_interval_and_none_a_bound(league: Path) -> None:
    (pool,) = data_of("standings", "cup", "--players", 2, "--db", league)
    text = stdout_of("standings", "cup", "--players", 2, "--db", league)
    last = pool["bots"][-1]
    row = next(line for line in text.splitlines() if f" {last['bot']} " in line)
    assert last["wins"] < 10
    assert last["bot"] not in pool["reference"]
    left_out = ", ".join(bot["bot"] for bot in pool["bots"] if bot["bot"] not in pool["reference"])
    assert f"1500 is the mean without {left_out}: too few wins or losses" in text
    if last["wins"]:
        assert f"{last['low']:.0f}–{last['high']:.0f}" in row
    else:
        assert f"< {last['high']:.0f}" in row


def test_bots_beyond_their_bounds_share_a_line() -> None:
    """Nothing is known of c and d, which have no upper, and no lower, end."""
    bounds = {"a": "<", "b": ">", "c": "<", "d": ">", "e": "<"}
    intervals = {"a": (None, 9.0), "b": (9.0, None), "c": (None, None), "d": (None, None), "e": (None, 8.0)}
    assert _beyond(bounds, intervals) == [
        "< a, e lost every game: in 95 % of such cases it is beyond that",
        "> b won every game: in 95 % of such cases it is beyond that",
        "< c lost every game: how far off it is is not known",
        "> d won every game: how far off it is is not known",
    ]


def test_likelihood_that_cannot_be_told_is_explained(league: Path) -> None:
    note = "LOS –: cannot be told between bots without wins in both directions"
    seen = set()
    for choice in (["cup", "--players", 2], ["cup", "--players", 3], ["later"]):
        (pool,) = data_of("standings", *choice, "--db", league)
        seen.add(pool["connected"])
        assert (note in stdout_of("standings", *choice, "--db", league)) == (not pool["connected"])
        if pool["connected"]:
            assert all(bot["los_next"] is not None for bot in pool["bots"][:-1])
    assert seen == {True, False}


def test_matrix_as_table_csv_and_json_agree(league: Path) -> None:
    options = ["cup", "--players", 3, "--db", league, "--samples", 19]
    (pool,) = data_of("matrix", *options)
    assert list(pool) == [
        "tournament", "edition", "players", "games", "bots", "wins", "expected", "z", "x2", "p_value"
    ]  # fmt: skip
    first, second = pool["bots"][:2]
    rows = list(csv.DictReader(stdout_of("matrix", *options, "--csv").splitlines()))
    row = next(row for row in rows if (row["bot"], row["other"]) == (first, second))
    wins, losses = pool["wins"][0][1], pool["wins"][1][0]
    assert (int(row["wins"]), int(row["losses"])) == (wins, losses)
    assert float(row["z"]) == pool["z"][0][1]
    text = stdout_of("matrix", *options)
    assert f"{wins / (wins + losses):.0%}" in text
    assert f"p = {pool['p_value']:.3g}" in text
    assert "\x1b" not in text


def test_standings_before_any_game_say_so(db: Path) -> None:
    for table in ("faults", "seats", "games"):
        change(db, f"delete from {table}")
    assert stdout_of("standings", "--db", db) == "no games yet\n"
    assert data_of("standings", "--db", db) == []


def test_standings_count_void_games(db: Path) -> None:
    change(db, "insert into voids select 'x', tournament, edition, players, 'a fuse', 3 from games limit 1")
    assert data_of("standings", "--db", db)[0]["void"] == 3
    assert " · 3 void · " in stdout_of("standings", "--db", db)


# --- games, show, faults


def test_games_are_listed_in_the_order_of_the_schedule(played: Path) -> None:
    games = data_of("games", "--db", played)
    assert [(game["block"], game["rotation"]) for game in games] == [
        (b, r) for b in range(4) for r in range(3)
    ]
    assert {(game["key"], game["digest"]) for game in games} == games_in(played)
    assert {game["status"] for game in games} == {"finished"}
    lines = stdout_of("games", "--db", played).splitlines()
    assert [line.split()[0] for line in lines[3:] if line.strip()] == [game["key"] for game in games]


def test_games_of_one_tournament(db: Path) -> None:
    run(tournament(db.parent, name="other", seed=9), db, HereExecutor())
    assert len(data_of("games", "--db", db)) == 24
    assert {game["tournament"] for game in data_of("games", "other", "--db", db)} == {"other"}


def test_game_is_shown_with_its_seats(played: Path) -> None:
    key = any_key(played)
    game = data_of("show", key, "--db", played)
    ((digest, seed, winner),) = query(
        played, f"select digest, seed, winner_seat from games where key = '{key}'"
    )
    assert (game["game"], game["digest"], game["seed"], game["winner"]) == (key, digest, seed, winner)
    assert (game["tournament"], game["edition"], game["record"]) == ("cup", "house-four-shores", True)
    assert [seat["seat"] for seat in game["seats"]] == [0, 1, 2]
    assert game["seats"][game["starter"]]["turn"] == 0
    assert game["seats"][game["winner"]]["finish"] == 1
    text = stdout_of("show", key, "--db", played)
    first, second, third, *_ = text.splitlines()
    assert first.startswith(f"{key} · cup · house-four-shores · 3 players · block ")
    name = game["seats"][winner]["bot"]
    assert second.startswith(f"{name} (seat {winner}) won in round {game['rounds']} · {game['decisions']} ")
    assert third.startswith(f"record of all orders · digest {digest} · ")
    for seat in game["seats"]:
        assert f" {seat['bot']} " in text


def test_beginning_of_a_key_is_enough(played: Path) -> None:
    key = any_key(played)
    for command in (["show"], ["faults"], ["replay", "--verify"]):
        assert stdout_of(*command, key[:8], "--db", played) == stdout_of(*command, key, "--db", played)


def test_board_and_position_after_some_orders(played: Path) -> None:
    key = any_key(played)
    position = data_of("show", key, "--at", 30, "--db", played)
    game = arena.load_position(position)
    assert (game.to_position()["territories"], position["players"]) == (position["territories"], 3)
    text = stdout_of("show", key, "--at", 30, "--db", played)
    for name, (owner, troops) in position["territories"].items():
        row = next(line for line in text.splitlines() if f" {name} " in line)
        assert f"{owner}" in row
        assert f"{troops}" in row
    orders = data_of("show", key, "--db", played)["decisions"]
    line = complaint_of("show", key, "--at", 10**6, "--db", played)
    assert line.startswith(f"game {key}: expected at most ")
    assert orders <= int(line.split(" at most ")[1].split()[0])


@pytest.mark.parametrize("width", [80, 120, 200])
def test_continents_stand_in_rows_that_fit(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    game = arena.Game(arena.load_edition("hasbro-us-2003").rules, players=3, seed=1)
    print_board(game, ["greedy", "turtle", "uniform"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    for name in game.board.names:
        assert sum(f" {name} " in line for line in lines) == 1
    in_the_first_row = next(line for line in lines if "north-america" in line).count("╭")
    assert in_the_first_row == {80: 2, 120: 4, 200: 6}[width]


def test_standings_tell_of_the_faults(played: Path) -> None:
    ((strikes, forfeits),) = query(played, "select sum(strikes), sum(forfeit) from seats")
    line = f"{strikes} strikes and {forfeits} forfeits of bots: see `arena faults`"
    assert stdout_of("standings", "--db", played).splitlines()[-1] == line


def test_fault_after_the_game_counts_as_nothing(db: Path) -> None:
    change(db, "update faults set kind = 'crash', forfeit = 0")
    shown = stdout_of("faults", "--db", db)
    assert "nothing" in shown
    assert "strike" not in shown


def test_one_strike_is_not_told_as_several(db: Path) -> None:
    change(db, "update seats set forfeit = 0, strikes = 0")
    change(db, "update seats set strikes = 1 where seat = 0 and game = ?", any_key(db))
    last = stdout_of("standings", "--db", db).splitlines()[-1]
    assert last == "1 strike and 0 forfeits of bots: see `arena faults`"


def test_faults_are_listed_and_those_of_a_game_with_their_tracebacks(played: Path) -> None:
    faults = data_of("faults", "--db", played)
    assert len(faults) == query(played, "select count(*) from faults")[0][0] > 3
    assert {fault["bot"] for fault in faults} == {"faulty"}
    assert {fault["kind"] for fault in faults} == {"exception", "illegal"}
    everywhere = stdout_of("faults", "--db", played)
    for fault in faults:
        assert fault["detail"].partition("\n")[0] in everywhere
    assert everywhere.count("forfeit") == sum(fault["forfeit"] for fault in faults)
    assert "Traceback" not in everywhere
    key = next(fault["game"] for fault in faults if fault["kind"] == "exception")
    here = [fault for fault in faults if fault["game"] == key]
    assert data_of("faults", key, "--db", played) == here
    text = stdout_of("faults", key, "--db", played)
    for fault in here:
        assert f"\nseat {fault['seat']}, faulty, decision {fault['decision']}:\n{fault['detail']}\n" in text
    assert "Traceback (most recent call last):" in text
    assert "return 1 / (view.round < 3)" in text


def test_faults_of_one_tournament_and_of_one_bot(db: Path) -> None:
    run(tournament(db.parent, name="other", seed=9), db, HereExecutor())
    everywhere = data_of("faults", "--db", db)
    assert data_of("faults", "--tournament", "cup", "--bot", "faulty", "--db", db) == everywhere
    assert data_of("faults", "--tournament", "other", "--db", db) == []
    assert data_of("faults", "--bot", "greedy", "--db", db) == []
    line = complaint_of("faults", "--tournament", "cap", "--db", db)
    assert line == f"{db}: expected a tournament that was run here, got 'cap': did you mean cup?"
    line = complaint_of("faults", "--bot", "fault", "--db", db)
    assert line == f"{db}: expected a bot that has played here, got 'fault': did you mean faulty?"


def test_bots_of_one_file_name_are_told_apart_everywhere(tmp_path: Path) -> None:
    bots = []
    for i, folder in enumerate(("a", "b:c")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "faulty.py").write_text(FAULTY + f"# {i}\n")
        bots.append(f"{folder}/faulty.py")
    db, file = tmp_path / "arena.db", write_tournament(tmp_path, bots=[*bots, "continental"], blocks=3)
    labels = {bot["bot"] for bot in data_of("run", file, "--dry-run")["bots"]}
    assert len(labels) == 3
    result = call("run", file, "--db", db, "--executor", "local")
    assert (result.exit_code, "has changed" in result.stderr) == (0, False)
    assert {bot["bot"] for bot in data_of("standings", "--db", db)[0]["bots"]} == labels
    assert {game["winner"] for game in data_of("games", "--db", db)} <= {*labels, None}
    assert {fault["bot"] for fault in data_of("faults", "--db", db)} == labels - {"continental"}
    key = any_key(db)
    assert {seat["bot"] for seat in data_of("show", key, "--db", db)["seats"]} == labels
    record = stdout_of("show", key, "--record", "--db", db)
    assert all(label in record for label in labels)


def test_game_without_faults_says_so(played: Path) -> None:
    key = any_key(played, "key not in (select game from faults)")
    assert stdout_of("faults", key, "--db", played) == "no faults\n"
    assert data_of("faults", key, "--db", played) == []


# --- replay and verify


def test_replay_tells_the_game_and_parts_of_it(played: Path) -> None:
    key = any_key(played)
    lines = stdout_of("replay", key, "--db", played).splitlines()
    assert lines[0].startswith("0. r0 s")
    assert " wins in round " in lines[-1]
    assert stdout_of("replay", key, "--from", 3, "--to", 5, "--db", played).splitlines() == lines[3:6]
    assert stdout_of("replay", key, "--from", len(lines) - 1, "--db", played).splitlines() == lines[-1:]


def test_parts_of_a_game_that_are_empty_or_beyond_it(played: Path) -> None:
    key = any_key(played)
    error = usage_error_of("replay", key, "--from", 5, "--to", 3, "--db", played)
    assert error.startswith("--from 5 comes after --to 3: ")
    end = len(stdout_of("replay", key, "--db", played).splitlines()) - 1
    assert complaint_of("replay", key, "--from", 10**30, "--db", played) == (
        f"{key}: from: expected at most {end}, the last line's number, got {10**30}"
    )
    assert stdout_of("replay", key, "--to", 10**30, "--db", played) == stdout_of(
        "replay", key, "--db", played
    )


def test_replay_verifies_one_game(db: Path) -> None:
    key = any_key(db)
    ((digest,),) = query(db, f"select digest from games where key = '{key}'")
    assert stdout_of("replay", key, "--verify", "--db", db) == f"{key}: same digest\n"
    change(db, f"update games set digest = 'beef' where key = '{key}'")
    line = complaint_of("replay", key, "--verify", "--db", db, exit_code=1)
    assert line == f"game {key}: expected digest beef, got {digest}"


def test_record_in_a_file_is_verified(played: Path, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(stdout_of("show", any_key(played), "--record", "--db", played))
    assert stdout_of("replay", file, "--verify") == f"{file}: same digest\n"
    assert stdout_of("replay", file, "--from", 3, "--to", 3) == f"{file.read_text().splitlines()[12]}\n"
    file.write_text(file.read_text().replace("\n5. r0 s", "\n5. r0 s1"))
    assert complaint_of("replay", file, exit_code=1).startswith(f"{file}: order 5: ")
    assert complaint_of("replay", tmp_path / "none.txt") == f"{tmp_path}/none.txt: No such file or directory"


def test_sound_database_is_verified(played: Path) -> None:
    assert stdout_of("verify", "--db", played) == "12 of 12 games played again agree, 0 skipped\n"
    assert stdout_of("verify", "--sample", 3, "--db", played).startswith("3 of 3 ")


@pytest.mark.parametrize(
    ("sql", "wrong"),
    [
        (
            "update games set digest = 'beef' where key = '{key}'",
            "wrong: game {key}: expected digest beef, got ",
        ),
        (
            "update games set record = x'00' where key = '{key}'",
            "wrong: game {key}: record: expected packed orders",
        ),
        ("delete from seats where game = '{key}' and seat = 0", "wrong: game {key}: expected 3 seats, got 2"),
        ("update games set rotation = 7 where key = '{key}'", "wrong: game {key}: expected a place "),
    ],
)
def test_what_verify_finds_wrong_is_printed_and_fails(db: Path, sql: str, wrong: str) -> None:
    key = any_key(db)
    change(db, sql.format(key=key))
    result = call("verify", "--db", db)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith(wrong.format(key=key))


def test_games_that_verify_cannot_play_again_are_no_failure(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    bots = ["greedy", "faulty.py", "turtle"]
    run(tournament(tmp_path, bots=bots, records="none", blocks=1), tmp_path / "arena.db", HereExecutor())
    (tmp_path / "faulty.py").write_text(FAULTY + "# changed\n")
    lines = stdout_of("verify", "--sample", 2, "--db", tmp_path / "arena.db").splitlines()
    assert [line.partition(": ")[0] for line in lines[:-1]] == ["skipped"] * 2
    assert "bot faulty: its source has changed" in lines[0]
    assert lines[-1] == "0 of 2 games played again agree, 2 skipped"


# --- what is installed


@pytest.mark.parametrize(
    ("command", "fields", "row"),
    [
        ("bots", ["bot", "version", "options", "plugin", "summary"], "greedy"),
        ("editions", ["edition", "players", "map", "fingerprint", "plugin", "summary"], "hasbro-us-2003"),
        ("maps", ["map", "territories", "borders", "continents", "plugin"], "classic"),
        ("tournaments", ["tournament", "plugin"], "quick"),
        ("plugins", ["plugin", "distribution", "version", "registered", "problem"], "arena.bots.greedy"),
    ],
)
def test_what_is_installed_is_listed(command: str, fields: list[str], row: str) -> None:
    rows = data_of(command)
    assert all(list(found) == fields for found in rows)
    assert row in [found[fields[0]] for found in rows]
    lines = stdout_of(command).splitlines()
    assert lines[1].split() == fields
    for found in rows:
        assert any(line.split()[:1] == [found[fields[0]]] for line in lines)


def test_much_of_one_kind_is_counted() -> None:
    line = next(line for line in stdout_of("plugins").splitlines() if " arena.configs " in line)
    number = {kind: len(data_of(kind)) for kind in ("editions", "maps", "tournaments")}
    assert ", ".join(f"{count} {kind}" for kind, count in number.items()) in line


def test_bot_is_told_with_its_options() -> None:
    (option,) = data_of("bots", "greedy")["options"]
    assert list(option) == ["name", "type", "default", "help"]
    assert (option["name"], option["type"], option["default"]) == ("margin", "int", "2")
    text = stdout_of("bots", "greedy")
    assert "summary   Attacks wherever it has `margin` troops more than the defender" in text
    assert f"margin   int          2   {option['help']}" in text
    assert data_of("bots", "turtle")["options"] == []
    assert "options" not in stdout_of("bots", "turtle")


def test_bot_in_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "shy.py").write_text(
        "import arena\nclass Shy(arena.Bot):\n    def __init__(self, reach: int = 2): ...\n"
    )
    told = data_of("bots", tmp_path / "shy.py")
    assert (told["bot"], told["version"], told["source"]) == ("shy", "0", str(tmp_path / "shy.py"))
    assert told["options"] == [{"name": "reach", "type": "int", "default": "2", "help": ""}]
    assert told["summary"] == ""


def test_bot_is_told_with_options_that_are_checked() -> None:
    assert data_of("bots", "greedy:margin=3") == data_of("bots", "greedy")
    assert complaint_of("bots", "greedy:margin=much").startswith("bot greedy:margin=much: ")
    assert complaint_of("bots", "gredy:margin=3") == "unknown bot 'gredy': did you mean greedy?"


def test_edition_in_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "home.toml"
    file.write_text('id = "home"\nname = "Home"\nextends = "house-four-shores"\n[combat]\nattack_dice = 2\n')
    told = data_of("editions", file)
    assert (told["edition"], told["plugin"], told["source"]) == ("home", None, str(file))
    switches = {switch["switch"]: (switch["value"], switch["from"]) for switch in told["switches"]}
    assert switches["combat.attack_dice"] == (2, "home")
    assert switches["setup.neutral_troops"][1] == "house-four-shores"
    assert "plugin       –\n" in stdout_of("editions", file)


def test_edition_is_told_with_its_switches_and_whence_they_come() -> None:
    told = data_of("editions", "house-four-shores")
    assert (told["edition"], told["map"]) == ("house-four-shores", "four-shores")
    switches = {switch["switch"]: (switch["value"], switch["from"]) for switch in told["switches"]}
    assert switches["setup.neutral_troops"] == ({"2": 14}, "house-four-shores")
    assert switches["combat.attack_dice"] == (3, "hasbro-us-2003")
    edition = arena.load_edition("house-four-shores")
    for section in ("setup", "reinforcement", "cards", "combat", "fortify", "victory"):
        for name in type(getattr(edition, section)).model_fields:
            assert f"{section}.{name}" in switches
    rows = stdout_of("editions", "house-four-shores").splitlines()
    for name, (_, origin) in switches.items():
        (row,) = [row for row in rows if row.lstrip().startswith(f"{name} ")]
        assert row.endswith(origin or "–")
    assert any("4, 6, 8, 10, 12, 15], then: 5  " in row for row in rows)
    assert complaint_of("editions", "house-four").startswith("unknown edition 'house-four': did you mean ")


def test_unknown_bot_is_not_told() -> None:
    assert complaint_of("bots", "gredy") == "unknown bot 'gredy': did you mean greedy?"


def test_numbers_of_the_classic_map_are_right() -> None:
    (classic,) = [row for row in data_of("maps") if row["map"] == "classic"]
    assert (classic["territories"], classic["borders"], classic["continents"]) == (42, 83, 6)


def test_broken_and_clashing_plugins_are_named_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = (
        "import arena\n\n@arena.hookimpl\ndef register_bots(register):\n    register('greedy', arena.Bot)\n"
    )
    write_plugin(tmp_path, "broken_one", "1 / 0\n")
    write_plugin(tmp_path, "second_greedy", plugin)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # for the process that identifies bots
    result = call("plugins", "--json")
    assert result.exit_code == 0
    problems = {row["plugin"]: row["problem"] for row in json.loads(result.stdout) if row["problem"]}
    assert problems == {"broken_one": "ZeroDivisionError: division by zero (broken_one.py, line 1)"}
    broken, clash = result.stderr.splitlines()
    assert broken == f"arena: warning: plugin broken_one (broken_one 1.0): {problems['broken_one']}"
    assert clash.startswith("arena: warning: bot greedy is registered by plugin arena.bots.greedy ")
    assert "bots: bot greedy is registered by " in complaint_of("run", "quick", "--dry-run")
    file = write_tournament(tmp_path, bots=["uniform", "turtle", "continental"])
    assert call("run", file, "--dry-run").exit_code == 0


# --- what is no file, or no text


def test_a_game_that_no_file_or_key_can_be_called_is_one_line(played: Path) -> None:
    for command in ("replay", "show", "faults"):
        line = complaint_of(command, "a" * 5000, "--db", played)
        assert "expected one game whose key begins with" in line
        line = complaint_of(command, "\udcff", "--db", played)
        assert line == f"{played}: expected text that UTF-8 can hold, got '\\udcff'"


def test_a_link_that_leads_to_itself_is_one_line(tmp_path: Path) -> None:
    loop = tmp_path / "loop.db"
    loop.symlink_to(loop)
    for command in ("standings", "status"):
        line = complaint_of(command, "--db", loop)
        assert line == f"{loop}: expected a file that can be opened, got: Too many levels of symbolic links"
    line = complaint_of("run", write_tournament(tmp_path), "--executor", "local", "--db", loop)
    assert "Too many levels of symbolic links" in line
    assert loop.is_symlink()


@pytest.mark.parametrize("place", ["file/junit.xml", "none/junit.xml", "folder"])
def test_a_report_that_cannot_be_written_is_refused_before_a_game_is_played(
    place: str, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    command = ["compare", "greedy", "turtle", "--junit", tmp_path / place, "--db", tmp_path / "a.db"]
    line = complaint_of(*command)
    assert line == f"junit: expected a file that can be written, got {tmp_path / place}"
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("command", [["games"], ["standings"], ["games", "--json"]])
def test_what_a_terminal_without_unicode_cannot_show_stops_nothing(command: list[str], played: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([ARENA, *command, "--db", played], env=environment, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"greedy" in done.stdout
