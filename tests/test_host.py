"""Hosts: a bot cannot end a run, what it did is charged to it, and nothing stays behind."""

import signal
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path

import pytest
from playing import BOTS, digests, hosts_of, job_of, marked, spec_of

from arena.config import GameResult, Job, Void
from arena.errors import PluginError, RunStopped
from arena.executors import Outcome
from arena.host import Host, identify
from arena.match import Referee

SEAT = 2  # of the bad bot


def play(job: Job, *lineups: tuple[int, ...]) -> list[Outcome]:
    """What comes of these games, played as runs play them: some at a time."""
    specs = [spec_of(job, *lineup, seed=seed) for seed, lineup in enumerate(lineups)]
    outcomes: list[Outcome] = []
    with Host(job) as host:
        while len(outcomes) < len(specs):
            outcomes += host.play_some(specs[len(outcomes) :])
    return outcomes


@pytest.mark.parametrize(
    ("bot", "kind", "line", "place"),
    [
        ("segfault.py", "crash", "killed by signal SIGSEGV", "in attack"),
        ("leave.py", "crash", "exited with status 3", ""),
        ("kill.py", "crash", "killed by signal SIGKILL", ""),
        ("fork.py", "crash", "exited with status 5", ""),
        ("hang.py", "timeout", "no answer within 0.3 s", "in attack"),
        ("hang_in_c.py", "timeout", "no answer within 0.3 s", "in attack"),
        ("hoard.py", "memory", "MemoryError", "in attack"),
    ],
)
def test_bad_bot_is_stopped_and_charged_and_the_other_games_are_as_ever(
    bot: str, kind: str, line: str, place: str, mark: str
) -> None:
    job = job_of("uniform", bot, decision_seconds=0.3 if kind == "timeout" else 60)
    before, bad, after = play(job, (0, 0, 0), (0, 0, 1), (0, 0, 0))
    assert isinstance(bad, GameResult)
    (fault,) = bad.faults
    assert (fault.seat, fault.kind, fault.round, fault.forfeit) == (SEAT, kind, 2, True)
    assert fault.detail.splitlines()[0] == line
    assert place in fault.detail
    here = Referee.for_job(job)
    specs = (spec_of(job, 0, 0, 0, seed=seed) for seed in (0, 2))
    assert digests([before, after]) == digests([here.play(spec) for spec in specs])


@pytest.mark.parametrize("bot", ["segfault.py", "leave.py"])
def test_among_many_games_each_has_its_own_outcome(bot: str, mark: str) -> None:
    job = job_of("uniform", bot)
    lineups = [(0, 0, int(number in {5, 6, 11})) for number in range(16)]
    outcomes, here = play(job, *lineups), Referee.for_job(job)
    for seed, (lineup, outcome) in enumerate(zip(lineups, outcomes, strict=True)):
        assert isinstance(outcome, GameResult)
        assert [(fault.seat, fault.kind) for fault in outcome.faults] == [(SEAT, "crash")] * lineup[SEAT]
        assert outcome.digest == here.play(replace(outcome.spec, crashes=outcome.faults)).digest
        assert outcome.spec == spec_of(job, *lineup, seed=seed) or outcome.spec.crashes


def test_bot_that_hangs_before_the_first_decision_is_charged(mark: str) -> None:
    (result,) = play(job_of("uniform", "hang_at_start.py", decision_seconds=0.3), (0, 0, 1))
    assert isinstance(result, GameResult)
    (fault,) = result.faults
    assert (fault.seat, fault.kind, fault.decision, fault.forfeit) == (SEAT, "timeout", 0, True)


def test_two_bad_bots_at_one_table_are_both_charged(mark: str) -> None:
    (result,) = play(job_of("uniform", "segfault.py", "hang.py", decision_seconds=0.3), (1, 2, 0))
    assert isinstance(result, GameResult)
    assert {(fault.seat, fault.kind) for fault in result.faults} == {(0, "crash"), (1, "timeout")}
    assert result.winner == 2


def test_charge_names_the_decision_at_which_the_process_died(mark: str) -> None:
    job = job_of("uniform", "segfault.py", "raises.py")
    (crashed,) = play(job, (0, 0, 1))
    assert isinstance(crashed, GameResult)
    raised = Referee.for_job(job).play(spec_of(job, 0, 0, 2))  # plays the same until then
    (fault,) = crashed.faults
    assert fault.decision == next(other.decision for other in raised.faults if other.round == 2)


def test_game_goes_on_without_the_bot_from_that_decision(mark: str) -> None:
    job = job_of("uniform", "segfault.py")
    (result,) = play(job, (0, 0, 1))
    assert isinstance(result, GameResult)
    there = replace(spec_of(job, 0, 0, 1), crashes=result.faults)
    assert digests([Referee.for_job(job).play(there)]) == digests([result])


@pytest.mark.parametrize(
    ("bot", "line"),
    [
        ("forks.py", "killed by signal SIGKILL"),
        ("late_thread.py", "exited with status 4"),
        ("closes_files.py", "exited with status 1"),
        ("time_bomb.py", "exited with status 7"),
        ("odd_class.py", "exited with status 6"),
    ],
)
def test_bot_is_charged_for_what_it_left_behind(bot: str, line: str, mark: str) -> None:
    job = job_of("uniform", bot)
    (result,) = play(job, (0, 0, 1))
    assert isinstance(result, GameResult)
    (fault,) = result.faults
    assert (fault.seat, fault.kind, fault.forfeit) == (SEAT, "crash", True)
    assert line in fault.detail


def test_bot_whose_thread_ends_the_process_in_anothers_decision_is_charged(mark: str) -> None:
    (result,) = play(job_of("uniform", "late_exit.py", "slow.py"), (0, 1, 2))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(1, "crash", True)]


def test_bot_that_crashes_beside_a_thread_of_another_is_charged(mark: str) -> None:
    (result,) = play(job_of("uniform", "thread.py", "segfault.py"), (0, 1, 2))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(2, "crash", True)]


def test_hanging_finalizers_are_charged_to_the_bot_whose_they_are(mark: str) -> None:
    (result,) = play(job_of("uniform", "litters.py", "collects.py", decision_seconds=0.3), (0, 1, 2))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(1, "timeout", True)]


def test_fault_after_the_last_decision_changes_no_result(mark: str) -> None:
    hanging, whole = (
        job_of("uniform", f"clings.py:hangs={word}", decision_seconds=0.3) for word in ("true", "false")
    )
    (result,) = play(hanging, (0, 0, 1))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(SEAT, "timeout", False)]
    assert digests([result]) == digests([Referee.for_job(whole).play(spec_of(whole, 0, 0, 1))])


def test_bot_in_a_cycle_is_let_go_of_where_its_game_is_looked_at_closely(mark: str, tmp_path: Path) -> None:
    job = job_of("clings.py:cycle=true", f"time_bomb.py:once={tmp_path / 'once'}", decision_seconds=0.3)
    (result,) = play(job, (0, 1))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(0, "timeout", False)]


def test_bot_that_has_crashed_is_not_let_go_of_as_well(mark: str) -> None:
    (result,) = play(job_of("uniform", "clings.py:crashes=true", decision_seconds=0.3), (0, 0, 1))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(SEAT, "crash", True)]


SETTINGS = [
    *("alarm", "decimals", "depth", "environment", "files", "filters", "folder", "garbage", "handlers"),
    *("language", "numbers", "other_environment", "path", "streams"),
]


@pytest.mark.parametrize("what", SETTINGS)
def test_what_a_bot_changes_for_all_is_put_back_before_another_is_asked(what: str, mark: str) -> None:
    spoilt, whole = (job_of("uniform", f"spoils.py:what={word}", "needy.py") for word in (what, "nothing"))
    (result,) = play(spoilt, (1, 2, 0))
    assert isinstance(result, GameResult)
    assert result.faults == ()
    assert digests([result]) == digests(play(whole, (1, 2, 0)))


@pytest.mark.parametrize(
    ("what", "changed"),
    [
        ("builtin", "builtins.max"),
        ("chance", "random.Random.random"),
        ("method", "arena.bot.Bot.reinforce"),
        ("module", "arena.risk.game"),
        ("rules", "Rules.divisor"),
    ],
)
def test_bot_that_changes_what_all_play_by_is_charged(what: str, changed: str, mark: str) -> None:
    job = job_of("uniform", f"spoils.py:what={what}", "needy.py")
    bad, after = play(job, (2, 0, 1), (2, 0, 2))
    assert isinstance(bad, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in bad.faults] == [(SEAT, "crash", True)]
    assert f"SystemExit: it changed {changed}" in bad.faults[0].detail
    assert digests([after]) == digests(play(job, (2, 0, 0), (2, 0, 2))[1:])


def test_bot_that_leaves_no_memory_for_the_others_is_charged(mark: str) -> None:
    (result,) = play(job_of("uniform", "spoils.py:what=memory", "needy.py"), (1, 2, 0))
    assert isinstance(result, GameResult)
    assert [(fault.seat, fault.kind, fault.forfeit) for fault in result.faults] == [(0, "memory", True)]


@pytest.mark.parametrize("bot", ["alarm.py", "daemon.py", "pool.py", "thread.py"])
def test_what_harms_nobody_costs_nothing(bot: str, mark: str) -> None:
    job = job_of("uniform", bot)
    outcomes = play(job, (0, 0, 1), (1, 1, 0), (0, 1, 0))
    assert all(isinstance(outcome, GameResult) and outcome.faults == () for outcome in outcomes), outcomes


@pytest.mark.parametrize("length", [5, 1 << 30])
def test_bot_that_writes_into_the_pipe_is_stopped_and_the_next_game_is_played(
    length: int, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.host.REST_SECONDS", 0.5)
    job = job_of("uniform", f"writes_anywhere.py:length={length}")
    bad, after = play(job, (0, 0, 1), (0, 0, 0))
    assert isinstance(bad, Void) or [fault.kind for fault in bad.faults] == ["crash"]
    assert isinstance(after, GameResult)


def test_what_a_bot_keeps_in_memory_is_not_charged_to_the_next_ones(mark: str) -> None:
    job = job_of("uniform", "leaks.py", decision_seconds=60)
    outcomes = play(job, *[(0, 0, 1)] * 4)
    assert all(isinstance(outcome, GameResult) and outcome.faults == () for outcome in outcomes), outcomes


@pytest.mark.parametrize("bot", ["time_bomb.py", "kill.py", "segfault.py"])
def test_what_may_be_chance_is_tried_once_more_before_anybody_is_charged(
    bot: str, mark: str, tmp_path: Path
) -> None:
    once = tmp_path / "once"
    job = job_of("uniform", f"{bot}:once={once}")
    (result,) = play(job, (0, 0, 1))
    assert once.exists()
    assert digests([result]) == digests([Referee.for_job(job).play(spec_of(job, 0, 0, 1))])


def test_deaths_in_the_decisions_of_two_bots_may_both_be_chance(mark: str, tmp_path: Path) -> None:
    job = job_of(*(f"segfault.py:once={tmp_path / name}" for name in ("one", "two")))
    (result,) = play(job, (0, 1))
    assert len(list(tmp_path.iterdir())) == 2
    assert isinstance(result, GameResult)
    assert result.faults == ()


def test_game_is_void_that_dies_in_one_bots_decision_after_the_other(mark: str, tmp_path: Path) -> None:
    names = ("one", "two", "three", "four")
    job = job_of(*(f"segfault.py:once={tmp_path / name}" for name in names))
    void, after = play(job, (0, 1, 2, 3), (0, 1, 2, 3))
    assert isinstance(void, Void)
    assert void.reason.startswith("host process killed by signal SIGSEGV in a decision of seat ")
    assert isinstance(after, GameResult)


def test_two_deaths_outside_of_bots_make_the_game_void_and_the_next_is_played(mark: str) -> None:
    void, after = play(job_of("uniform", "saboteur.py"), (0, 0, 1), (0, 0, 0))
    assert isinstance(void, Void)
    assert void.reason == (
        "host process exited with status 1 outside of any bot: TypeError: 'NoneType' object is not iterable"
    )
    assert isinstance(after, GameResult)


def test_bot_prints_and_reads_nowhere(mark: str, capfd: pytest.CaptureFixture[str]) -> None:
    job = job_of("chatter.py")
    with Host(job) as host:
        result = host.play(spec_of(job, 0, 0, 0))
    assert isinstance(result, GameResult)
    assert result.faults == ()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("end", ["raise", "exit"])
def test_end_of_what_a_bot_printed_is_kept_with_its_fault(end: str, mark: str) -> None:
    job = job_of("uniform", "chatter.py", f"last_words.py:end={end}")
    (result,) = play(job, (0, 1, 2))
    assert isinstance(result, GameResult)
    assert {len(fault.output) for fault in result.faults} == {4096}
    assert {fault.output[-12:] for fault in result.faults} == {"\nlast words\n"}


@pytest.mark.parametrize("bot", ["leave.py", "hang.py"])
def test_what_another_has_printed_does_not_stand_with_a_fault(bot: str, mark: str) -> None:
    job = job_of("uniform", bot, "last_words.py:end=raise", decision_seconds=0.3)
    (result,) = play(job, (0, 2, 1))
    assert isinstance(result, GameResult)
    assert {fault.seat: fault.output[-12:] for fault in result.faults} == {1: "\nlast words\n", 2: ""}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        pytest.param(
            "import time\ntime.sleep(1000)\n",
            r"mine.py: no answer within 5 s \(File .*mine.py., line 2",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "import arena\nclass B(arena.Bot):\n    def __init__(self):\n        while True: pass\n",
            r"mine.py: no answer within 5 s \(File .*mine.py., line 4",
            marks=pytest.mark.slow,
        ),
        ("import os\nos._exit(0)\n", r"mine.py: exited with status 0"),
        ("import nothing_of_the_name\n", r"mine.py: ModuleNotFoundError"),
    ],
)
def test_identification_outlives_what_a_bot_does_at_import(
    source: str, words: str, tmp_path: Path, mark: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(source + "print('hello')\n")
    found = identify(["greedy", "mine.py", "turtle"], tmp_path, 5)
    assert next(found).bot_id == "greedy"
    with pytest.raises(PluginError, match=words):
        next(found)
    assert capfd.readouterr() == ("", "")


def test_bot_that_walks_over_a_set_of_strings_plays_one_game_everywhere(mark: str) -> None:
    job = job_of("uniform", "set_walker.py")
    assert digests(play(job, (0, 1, 1))) == digests(play(job, (0, 1, 1)))


def test_changed_source_is_named_before_any_game(tmp_path: Path, mark: str) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text((BOTS / "raises.py").read_text())
    job = job_of(str(bot))
    bot.write_text(bot.read_text() + "# changed\n")
    with pytest.raises(PluginError, match=r"mine: .*changed"):
        Host(job)


def test_process_that_dies_while_it_starts_stops_the_run_with_the_reason(tmp_path: Path, mark: str) -> None:
    bot = tmp_path / "mine.py"
    death = "    os.write(2, b'no way')\n    os._exit(9)\n"
    source = f"import os, sys\nif 'arena.hosted' in sys.orig_argv:\n{death}"
    bot.write_text(source + (BOTS / "raises.py").read_text())
    with pytest.raises(RunStopped, match=r"could not start: exited with status 9\nno way"):
        Host(job_of(str(bot)))


def test_stop_ends_a_running_game_at_once(mark: str) -> None:
    job = job_of("uniform", "hang.py", decision_seconds=1000)
    stop = threading.Event()
    with Host(job, stop) as host:
        timer = threading.Timer(0.1, stop.set)
        timer.start()
        with pytest.raises(CancelledError):
            host.play(spec_of(job, 0, 0, 1))
        timer.join()


def test_games_of_bots_that_harm_nobody_are_played_in_one_process(mark: str) -> None:
    job = job_of("uniform", "turtle", "greedy", "continental", "oddsmaker", "strategist", "planner:nodes=50")
    with Host(job) as host:
        children = hosts_of(mark)
        for seed in range(4):
            host.play(spec_of(job, *range(3), seed=seed))
            host.play(spec_of(job, *range(6, 2, -1), seed=seed))
        assert hosts_of(mark) == children


def test_closed_host_starts_again_when_it_is_asked(mark: str) -> None:
    job = job_of("uniform")
    with Host(job) as host:
        first = host.play(spec_of(job, 0, 0, 0))
        host.close()
        again = host.play(spec_of(job, 0, 0, 0))
    assert digests([first]) == digests([again])


PARENT = """
from playing import job_of, spec_of
from arena.host import Host
job = job_of("uniform", "hang_in_c.py", decision_seconds=1000)
host = Host(job)
print("ready", flush=True)
host.play(spec_of(job, 0, 0, 1))
"""


def test_host_dies_with_its_parent_even_in_a_hanging_bot(mark: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        assert len(marked(mark)) == 2
        parent.send_signal(signal.SIGKILL)
