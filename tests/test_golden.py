"""The golden games: one a printed edition and table size, as the rules and the bots stand now."""

import pytest
from golden import golden_game, path_of, tables

from arena.risk import record
from arena.risk.edition import Edition

TABLES = [pytest.param(*table, id=path_of(*table).stem) for table in tables()]


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_the_golden_game_is_played_again_to_the_letter(edition: Edition, players: int) -> None:
    assert golden_game(edition, players) == path_of(edition, players).read_text(encoding="utf-8")


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_the_golden_game_is_legal_without_the_bots(edition: Edition, players: int) -> None:
    path = path_of(edition, players)
    game = record.verify_text(
        record.read_text(path.read_text(encoding="utf-8"), str(path)), edition.rules, str(path)
    )
    assert game.result is not None
