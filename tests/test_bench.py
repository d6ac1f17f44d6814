"""The benchmark: its figures agree with the games that it plays; how large they are is nobody's test."""

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from subprocesses import in_another_process

from arena.bench import builds, core, play, processes
from arena.bench.builds import SourceFinder
from arena.cli import main
from arena.risk import game
from arena.risk.compiled import describe_build


def test_rates_and_shares_are_those_of_the_games() -> None:
    resolved = play.tournament("quick")
    seconds, played = play.play(resolved, 4)
    rules = resolved.editions[0].rules
    replays = [play.replay(rules, each) for each in played]
    rates = play.rates(seconds, played, replays)
    assert rates["games_per_second"] * seconds == pytest.approx(4)
    assert rates["rolls_per_second"] * seconds == pytest.approx(sum(each.result.rolls for each in played))
    assert 0 <= rates["unfinished"] <= 1
    parts = play.shares(resolved, seconds, played, replays)
    assert sum(parts[name] for name in ("bots", "core", "record", "digest")) == pytest.approx(1)
    assert all(0 < part < 1 for part in parts.values())


def test_replays_have_every_order_and_turn() -> None:
    resolved = play.tournament("4 greedy")
    _, played = play.play(resolved, 2)
    for each in played:
        replayed = play.replay(resolved.editions[0].rules, each)
        assert len(replayed.orders) == each.result.decisions
        assert each.result.rounds <= replayed.turns <= 4 * each.result.rounds


def test_every_seat_of_a_line_up_of_one_bot_is_its() -> None:
    resolved = play.tournament("4 continental")
    (_, (played,)) = play.play(resolved, 1)
    assert {resolved.bots[bot].bot_id for bot in played.spec.lineup} == {"continental"}


def test_core_costs_more_with_views_than_without() -> None:
    resolved = play.tournament(core.LINEUP)
    _, played = play.play(resolved, 1)
    rules = resolved.editions[0].rules
    figures = core.measure(rules, [play.replay(rules, each) for each in played])
    assert 0 < figures["order_seconds"] < figures["order_and_view_seconds"]


def test_pure_build_is_found_beside_a_compiled_one() -> None:
    folder = [game.__file__.rpartition("/")[0]]
    spec = SourceFinder().find_spec("arena.risk.game", folder)
    assert spec is not None
    assert str(spec.origin).endswith("/arena/risk/game.py")
    for other in ("arena.risk.edition", "arena.match", "json"):
        assert SourceFinder().find_spec(other, folder) is None
        assert importlib.util.find_spec(other) is not None


@pytest.mark.slow
def test_bench_measures_everything() -> None:
    code = """if True:
        import json
        from arena.bench.report import Size, report
        print(json.dumps(report(Size(2, 8, 1, memory_games=(4, 40))), allow_nan=False))
    """
    figures = json.loads(in_another_process(code, PYTHONHASHSEED="0"))
    assert list(figures["builds"]) == [describe_build()]
    assert figures["builds"][describe_build()]["core"]["order_units"] > 1
    assert set(figures["executors"]) == {"inline", "local 1", "local 2", "ray 1", "ray 2"}
    assert figures["help_over_python"] > 1
    assert set(figures["memory_mib"]) == {"4", "40"}
    assert all(mib > 1 for held in figures["memory_mib"].values() for mib in held.values())


def test_the_other_build_is_refused() -> None:
    with pytest.raises(Exception, match="non-zero exit status 1"):
        builds.measure(["compiled"], 1, 1)


def test_builds_are_not_those_of_the_folder_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "__init__.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    assert builds.measure([describe_build()], 1, 1).keys() == {describe_build()}
    assert processes.start_seconds(1)["help"] > 0


def test_bench_is_a_command() -> None:
    assert "--full" in CliRunner().invoke(main, ["bench", "--help"]).output
