"""What stands in files: text, TOML and JSON, with what is wrong about it as an error for a person."""

import json
import tomllib
from importlib.resources.abc import Traversable
from typing import Any

from arena.errors import ConfigError

UNREADABLE = (ValueError, RecursionError)
"""Raised for bad syntax, also for a number of too many digits, and for lists nested too deep."""


def read_text(file: Traversable) -> str:
    """The text in a file. Raises ConfigError where it cannot be read or is no UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: expected UTF-8 text, but byte {error.start} is not") from None


def read_toml(file: Traversable) -> dict[str, Any]:
    """The table in a TOML file. Raises ConfigError with the file and, for bad syntax, the line."""
    text = read_text(file)
    try:
        return tomllib.loads(text)
    except UNREADABLE as error:
        raise ConfigError(f"{file}: expected TOML: {error}") from None


def parse_json(text: str, where: str) -> Any:
    """The value of JSON text. Raises ConfigError with `where` and, for bad syntax, the line."""
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except UNREADABLE as error:
        raise ConfigError(f"{where}: expected JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these; of two equal keys Python would drop the first without a word."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in table if keys.count(key) > 1)
        raise ValueError(f"each key of an object once, got {twice!r} twice")
    return table
