"""Bad bots at a table with three honest ones: what each is charged with, and that nobody else has to pay."""

from pathlib import Path

import pytest
from playing import BOTS
from tournaments import query, tournament

from arena.executors import make_executor
from arena.run import run

CHARGED: dict[str, set[str]] = {
    "raises.py": {"exception"},
    "base_exception.py": {"exception"},
    "edits_view.py": {"exception"},
    "wrong_types.py": {"illegal"},
    "hang.py": {"timeout"},
    "hang_at_start.py": {"timeout"},
    "hang_in_c.py": {"timeout"},
    "swallows.py": {"timeout"},
    "sleeps.py": {"timeout"},
    "hoard.py": {"memory"},
    "leave.py": {"crash"},
    "kill.py": {"crash"},
    "segfault.py": {"crash"},
    "fork.py": {"crash"},
    "forks.py": {"crash"},
    "closes_files.py": {"crash"},
    "late_thread.py": {"crash"},
    "time_bomb.py": {"crash"},
    "chatter.py": set(),
    "thread.py": set(),
    "daemon.py": set(),
    "alarm.py": set(),
    "clings.py": {"timeout"},
    "pool.py": set(),
    "closes_stdout.py": set(),
    "interrupts.py": {"exception"},
}


HONEST = ("uniform", "turtle", "greedy")
EDITION = """
id = "house-short"
name = "Four shores, six rounds"
extends = "house-four-shores"
victory.max_rounds = 6
"""


@pytest.mark.slow
@pytest.mark.parametrize("bot", CHARGED)
def test_bad_bot_is_charged_and_the_games_of_honest_bots_end(bot: str, tmp_path: Path, mark: str) -> None:
    (tmp_path / "short.toml").write_text(EDITION)
    resolved = tournament(
        tmp_path,
        edition="short.toml",
        players=4,
        bots=[str(BOTS / bot), *HONEST],
        format="round-robin",
        blocks=1,
        limits={"decision_seconds": 1.0},
    )
    path = tmp_path / "arena.db"
    progress = run(resolved, path, make_executor("local", workers=2))
    assert progress.done == progress.total > 0
    charged = query(path, "select distinct name, kind from faults join bots on bots.id = bot")
    assert {kind for _, kind in charged} == CHARGED[bot]
    assert not {name for name, _ in charged} & set(HONEST)
    assert query(path, "select count(*) from voids") == [(0,)]
