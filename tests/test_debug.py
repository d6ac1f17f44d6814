"""A bot of a stored game asked again: the game stays as it was, what the bot now does otherwise is marked."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from commands import ARENA, data_of, in_a_terminal, usage_error_of
from tournaments import REGISTRY, HereExecutor, any_key, tournament, write_tournament

from arena.debug import ask_again
from arena.errors import ConfigError, PluginError
from arena.replay import narrate
from arena.rows import StoredGame
from arena.run import run
from arena.store import open_history

BOLD = """
import arena

class Bold(arena.Bot):
    '''Attacks from its strongest place, at random where there are several.'''

    def attack(self, view):
        pairs = view.attacks()
        self.rng.shuffle(pairs)
        src, dst = max(pairs, key=lambda pair: view.troops[pair[0]], default=(0, 0))
        if src == dst or view.troops[src] < 4:
            return None
        return arena.Attack(src, dst, until=3)
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database with games of a bot in a file."""
    (tmp_path / "bold.py").write_text(BOLD)
    return database_of(tmp_path, "bold.py", "greedy:margin=3", "turtle")


def database_of(folder: Path, *bots: str) -> Path:
    """A database in the folder with one block of games of these bots."""
    run(tournament(folder, bots=list(bots), blocks=1), folder / "a.db", HereExecutor())
    return folder / "a.db"


def first_game(db: Path) -> StoredGame:
    with open_history(db) as history:
        return history.game(any_key(db))


@pytest.mark.parametrize("bot", ["bold", "greedy:margin=3", "greedy", "turtle"])
def test_unchanged_bot_answers_as_it_did(db: Path, bot: str) -> None:
    stored = first_game(db)
    assert list(ask_again(stored, REGISTRY, bot)) == list(narrate(stored))[:-1]


def test_changed_bot_is_asked_in_the_same_positions_and_its_other_answers_are_marked(db: Path) -> None:
    stored = first_game(db)
    before = list(narrate(stored))[:-1]
    (db.parent / "bold.py").write_text(BOLD.replace("until=3", "until=2").replace("< 4", "< 3"))
    after = list(ask_again(stored, REGISTRY, "bold"))
    assert [line.partition("\n")[0] for line in after] == before
    seat = next(seat for seat, bot in enumerate(stored.result.spec.lineup) if stored.job.bots[bot].path)
    changed = [line for line in after if "\n" in line]
    assert changed
    for line in changed:
        assert re.fullmatch(rf"\d+\. r\d+ s{seat}: .*\n    now: attack .* until 2", line)


@pytest.mark.parametrize(
    ("body", "now"),
    [("1 / 0", "ZeroDivisionError: division by zero"), ("arena.Attack(0, 0)", "now: illegal: ")],
)
def test_fault_of_a_changed_bot_is_shown_and_the_game_goes_on(db: Path, body: str, now: str) -> None:
    stored = first_game(db)
    (db.parent / "bold.py").write_text(BOLD.replace("arena.Attack(src, dst, until=3)", body))
    after = list(ask_again(stored, REGISTRY, "bold"))
    assert len(after) == len(list(narrate(stored))) - 1
    assert any(now in line for line in after)


def test_bot_that_is_not_in_the_game_is_refused(db: Path) -> None:
    stored = first_game(db)
    known = "known are bold, greedy, greedy:margin=3, turtle"
    with pytest.raises(ConfigError, match=f"bot xyz: expected one that plays in this game: {known}"):
        list(ask_again(stored, REGISTRY, "xyz"))
    with pytest.raises(ConfigError, match=r"in this game: did you mean turtle\?"):
        list(ask_again(stored, REGISTRY, "turtel"))


def test_bot_is_asked_by_its_label_in_standings(tmp_path: Path) -> None:
    (tmp_path / "turtle.py").write_text(BOLD)
    stored = first_game(database_of(tmp_path, "turtle", "turtle.py", "greedy"))
    assert sorted(label.partition("@")[0] for label in stored.labels) == ["greedy", "turtle", "turtle"]
    assert len(set(stored.labels)) == 3
    for label in stored.labels:
        assert list(ask_again(stored, REGISTRY, label)) == list(narrate(stored))[:-1]


def test_bot_that_can_no_longer_sit_down_is_one_clear_line(db: Path) -> None:
    stored = first_game(db)
    (db.parent / "bold.py").write_text(BOLD + "\n    def start(self, briefing):\n        1 / 0\n")
    with pytest.raises(PluginError, match=r"^bot bold: ZeroDivisionError: division by zero$"):
        list(ask_again(stored, REGISTRY, "bold"))


def test_stop_where_the_bot_has_no_order_is_refused_before_anything_is_told(db: Path) -> None:
    stored = first_game(db)
    seats = [int(line.partition(" s")[2].partition(":")[0]) for line in list(narrate(stored))[:-1]]
    bold = next(seat for seat, bot in enumerate(stored.result.spec.lineup) if stored.job.bots[bot].path)
    other = next(n for n in range(30, len(seats)) if bold not in seats[n : n + 2])
    last = max(n for n, seat in enumerate(seats) if seat == bold)
    complaint = "bot bold: expected an order of its own from "
    for stop_at, to, where in [
        (other, other + 1, f"{other} to {other + 1}"),
        (9999, None, "9999 on"),
        (last + 1, None, f"{last + 1} on"),
        (9999, 30, "9999 to 30"),
    ]:
        with pytest.raises(ConfigError, match=f"^{complaint}{where}, found none$"):
            next(ask_again(stored, REGISTRY, "bold", stop_at, to))
    options = ("--bot", "bold", "--stop-at", other, "--to", other + 1)
    command = ("replay", stored.result.spec.key, "--db", db, *options)
    code, screen, _ = in_a_terminal(*command)
    assert (code, screen) == (2, f"arena: {complaint}{other} to {other + 1}, found none\r\n")


def test_debugger_stops_in_the_bot_at_its_next_order(db: Path) -> None:
    key = first_game(db).result.spec.key
    command = ("replay", key, "--db", db, "--bot", "bold", "--stop-at", 30, "--from", 30, "--to", 40)
    code, screen, _ = in_a_terminal(*command, typed="p view.seat, view.round\nq\n")
    assert code == 130
    assert re.search(r"\(Pdb\) .*\(\d, \d+\)", screen, re.DOTALL)
    code, screen, _ = in_a_terminal(*command, typed="c\n")
    assert code == 0
    assert screen.count("(Pdb)") == 1
    assert "\n40. r" in screen


def test_breakpoint_in_the_bot_works(db: Path) -> None:
    (db.parent / "bold.py").write_text(BOLD.replace("if src", "breakpoint()\n        if src"))
    key = first_game(db).result.spec.key
    code, screen, _ = in_a_terminal(
        "replay", key, "--db", db, "--bot", "bold", typed="p view.troops[src]\nq\n"
    )
    assert "bold.py" in screen
    assert code == 130


# --- a breakpoint in a run


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """The file of a tournament with a bot that has a breakpoint."""
    (tmp_path / "bold.py").write_text(BOLD.replace("if src", "breakpoint()\n        if src"))
    return write_tournament(tmp_path, bots=["bold.py", "greedy", "turtle"], blocks=1)


def stored_in(db: Path) -> tuple[list[object], list[object]]:
    """Games and faults of the database."""
    return data_of("games", "--db", db), data_of("faults", "--db", db)


def test_run_is_interrupted_by_who_quits_the_debugger_and_charges_nobody(cup: Path) -> None:
    db = cup.with_name("a.db")
    typed = "p view.decision, view.round\nq\n"
    code, screen, _ = in_a_terminal("run", cup, "--db", db, "--executor", "inline", typed=typed)
    assert code == 130
    assert screen.count("(Pdb)") == 2
    assert "('attack', 1)" in screen
    assert screen.endswith("arena: interrupted: what is played is stored, run again to go on\r\n")
    assert "\x1b" not in screen  # no bar is drawn over what is typed
    assert stored_in(db) == ([], [])


def test_terminal_that_goes_away_at_a_breakpoint_charges_nobody(cup: Path) -> None:
    db = cup.with_name("a.db")
    terminal, end = pty.openpty()
    command = [ARENA, "run", str(cup), "--db", str(db), "--executor", "inline"]
    with subprocess.Popen(command, stdin=end, stdout=end, stderr=end) as process:
        os.close(end)
        screen = b""
        while b"(Pdb)" not in screen:
            screen += os.read(terminal, 1 << 12)
        os.close(terminal)
    assert process.returncode in (2, 130)
    assert stored_in(db) == ([], [])


def test_breakpoint_in_a_host_is_a_fault_of_the_bot(cup: Path) -> None:
    db = cup.with_name("a.db")
    code, screen, _ = in_a_terminal("run", cup, "--db", db, "--executor", "local", typed="q\n")
    assert code == 0
    assert "(Pdb)" not in screen
    faults = data_of("faults", "--db", db)
    assert {(fault["bot"], fault["detail"].partition("\n")[0]) for fault in faults} == {("bold", "BdbQuit")}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["x", "--stop-at", "3"], "--stop-at says where to stop in a bot: give --bot with it"),
        (["x", "--verify", "--to", "3"], "--verify prints no orders: give no --from and no --to with it"),
        (["x", "--edition", "us"], "--edition is for a record in a file: a stored game has its own"),
        (
            ["x", "--bot", "bold", "--verify"],
            "--bot asks a bot of a stored game: give its key, and no --verify",
        ),
        (["x.txt", "--bot", "bold"], "--bot asks a bot of a stored game: give its key, and no --verify"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], complaint: str) -> None:
    assert usage_error_of("replay", *arguments) == complaint
