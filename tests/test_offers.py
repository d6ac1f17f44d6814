"""What plugins register: ids, and the options of a bot."""

from inspect import Parameter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError, PluginError
from arena.offers import check_id, kebab_case, parse_options, read_option


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


@pytest.mark.parametrize(
    ("text", "default", "value"),
    [
        ("2", 1, 2),
        ("2", 1.5, 2.0),
        ("2", "x", "2"),
        ("true", False, True),
        ("2", None, 2),
        ("2.5", None, 2.5),
        ("false", Parameter.empty, False),
        ("a=b", Parameter.empty, "a=b"),
    ],
)
def test_option_has_the_type_of_its_default_or_the_nearest(text: str, default: object, value: object) -> None:
    read = read_option("option", text, default)
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "default", "expected"),
    [("x", 1, "int"), ("x", 1.0, "float"), ("1", True, "bool"), ("1.0", 1, "int")],
)
def test_option_of_another_type_is_refused(text: str, default: object, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"option depth: expected {expected}, got '{text}'"):
        read_option("depth", text, default)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]+", fullmatch=True), st.text().filter(lambda t: "," not in t), min_size=1
    )
)
def test_options_read_back_as_they_were_written(options: dict[str, str]) -> None:
    assert parse_options(",".join(f"{name}={value}" for name, value in options.items())) == options


@pytest.mark.parametrize("wrong", ["", "a", "=1", "a=1,", "a=1,a=2", "a b=1", "1=1"])
def test_malformed_options_are_refused(wrong: str) -> None:
    with pytest.raises(ConfigError, match="expected option=value, each option once, got "):
        parse_options(wrong)
