"""A bot's options: the arguments of its factory, as text on the one side and as values on the other."""

from collections.abc import Callable
from inspect import Parameter, Signature
from random import Random
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from arena.errors import ConfigError
from arena.options import Option, list_options, option_defaults, parse_options, read_options, split_options


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


def taking(annotation: Any = Parameter.empty, default: Any = Parameter.empty) -> Callable[..., object]:
    """A factory with one option of this annotation and default."""

    parameter = Parameter("depth", Parameter.KEYWORD_ONLY, default=default, annotation=annotation)

    class Factory:
        __signature__ = Signature([parameter])

    return Factory


@pytest.mark.parametrize(
    ("text", "factory", "value"),
    [
        ("2", taking(default=1), 2),
        ("2", taking(default=1.5), 2.0),
        ("2", taking(default="x"), "2"),
        ("true", taking(default=False), True),
        ("2", taking(default=None), 2),
        ("2.5", taking(default=None), 2.5),
        ("false", taking(), False),
        ("a=b", taking(), "a=b"),
        ("2", taking(float, 1), 2.0),
        ("2", taking(int | None, None), 2),
        ("shy", taking(Literal["bold", "shy"], "bold"), "shy"),
        ("3", taking("Depth", 1), 3),  # only a type checker knows what it is
        ("3", taking(Random, 1), 3),  # no text is one
    ],
)
def test_option_has_the_type_of_its_annotation_or_its_default_or_the_nearest(
    text: str, factory: Callable[..., object], value: object
) -> None:
    read = read_options(factory, {"depth": text})["depth"]
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "factory", "expected"),
    [
        ("x", taking(default=1), "int"),
        ("x", taking(default=1.0), "float"),
        ("nan", taking(default=1.0), "float"),
        ("-inf", taking(float), "float"),
        ("5", taking(default=True), "true or false"),
        ("1.5", taking(default=1), "int"),
        ("-1", taking(Annotated[int, Field(ge=0)]), "int, at least 0"),
        ("1", taking(Annotated[float, Field(gt=0, lt=1), "share"]), "float, above 0, below 1"),
        ("7", taking(Annotated[int, Field(le=6)]), "int, at most 6"),
        ("x", taking(Literal["bold", "shy"]), "bold or shy"),
        ("x", taking(int | None), "int or none"),
    ],
)
def test_wrong_value_is_refused_with_what_was_expected(
    text: str, factory: Callable[..., object], expected: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_options(factory, {"depth": text})
    assert str(caught.value) == f"option depth: expected {expected}, got '{text}'"


class Mixed:
    """A factory with options of each kind, among things that are none."""

    def __init__(
        self,
        margin: Annotated[int, "troops more", Field(ge=0)] = 2,
        *args: int,
        copy: Annotated[bool, Field(description="whether to copy")],
        _memo: dict[str, int] = {},  # noqa: B006
        **rest: int,
    ) -> None: ...


def test_options_are_listed_with_type_default_and_help() -> None:
    assert list_options(Mixed) == [
        Option("margin", "int, at least 0", "2", "troops more"),
        Option("copy", "true or false", None, "whether to copy"),
    ]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"copy": "true", "margn": "3"}, "unknown option 'margn': did you mean margin?"),
        ({"copy": "true", "_memo": "3"}, "unknown option '_memo': known are margin, copy"),
        ({}, "option copy: expected true or false, got none"),
    ],
)
def test_unknown_or_missing_option_is_told(texts: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_options(Mixed, texts)
    assert str(caught.value) == message


def test_only_given_options_are_read() -> None:
    assert read_options(Mixed, {"copy": "false"}) == {"copy": False}


def test_factory_without_a_signature_has_no_options() -> None:
    assert option_defaults(dict) == {}
    assert read_options(dict, {}) == {}


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("greedy", "greedy", None),
        ("greedy:margin=2", "greedy", "margin=2"),
        ("greedy:note=a:b", "greedy", "note=a:b"),
        ("greedy:", "greedy", ""),
        ("greedy:margin", "greedy", "margin"),
        ("a:b/bot.py", "a:b/bot.py", None),
        ("a:b/bot.py:margin=2", "a:b/bot.py", "margin=2"),
        ("my:bot.py", "my:bot.py", None),
    ],
)
def test_colons_of_a_path_are_told_from_that_before_options(
    text: str, name: str, options: str | None
) -> None:
    assert split_options(text) == (name, options)
