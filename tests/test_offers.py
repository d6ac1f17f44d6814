"""The ids of what plugins register."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import PluginError
from arena.offers import check_id, kebab_case


@pytest.mark.parametrize(
    ("name", "bot_id"),
    [("greedy", "greedy"), ("MyBot_v2", "my-bot-v2"), ("alpha beta.old", "alpha-beta-old"), ("__x__", "x")],
)
def test_names_become_kebab_case(name: str, bot_id: str) -> None:
    assert kebab_case(name) == bot_id


@given(st.text())
def test_kebab_case_is_an_id_or_empty(name: str) -> None:
    if kebab_case(name):
        check_id("bot", kebab_case(name))


@pytest.mark.parametrize("wrong", ["", "A", "a_b", "-a", "a-", "a--b", "a\n", "é", None, 3, ["a"]])
def test_anything_else_is_no_id(wrong: object) -> None:
    with pytest.raises(PluginError, match="bot: expected a kebab-case id such as my-bot, got "):
        check_id("bot", wrong)
