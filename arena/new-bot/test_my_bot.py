"""The bot plays by the rules, the same for the same seed, and in time."""

from arena.testing import check_bot


def test_bot_conforms() -> None:
    check_bot("my-bot")
