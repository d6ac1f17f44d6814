"""The reference ladder that is committed is the one that the bots play."""

import re

import pytest
from ladder import AGAIN, PAGE, by_pool, digest, resolve

from arena.match import Referee


@pytest.mark.slow
def test_the_first_blocks_of_each_pool_of_the_ladder_come_out_as_committed() -> None:
    table = re.findall(r"^\| (\d) \| \d+ \| \d+ \| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    resolved = resolve("reference")
    referee = Referee.for_job(resolved.job())
    played = [
        (str(pool.players), digest(referee.play(spec).digest for spec in specs if spec.block < AGAIN))
        for pool, specs in by_pool(resolved)
    ]
    assert table == played


def test_the_ladder_has_every_bundled_bot() -> None:
    bots = {path.stem for path in (PAGE.parents[1] / "bots").glob("*.py")} - {"__init__"}
    assert {bot.bot_id for bot in resolve("reference").bots} == bots
