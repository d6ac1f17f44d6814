"""The reference ladder that is committed is the one that the bots play."""

import re

import pytest
from ladder import PAGE, PART, by_pool, digest, resolve

from arena.match import Referee


@pytest.mark.slow
def test_the_first_blocks_of_the_reference_ladder_come_out_as_committed() -> None:
    table = re.findall(r"^\| (\d) \| \d+ \| \d+ \| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    resolved = resolve("reference")
    referee = Referee.for_job(resolved.job())
    played = [
        (str(pool.players), digest(referee.play(spec).digest for spec in specs))
        for pool, specs in by_pool(resolved, PART)
    ]
    assert table == played
