"""What a plugin registers: bots with their options, and TOML files, each with its provenance."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources.abc import Traversable
from inspect import Parameter, getdoc, signature
from types import ModuleType
from typing import Any

from arena.bot import Bot
from arena.errors import ConfigError, PluginError
from arena.source import read_toml

FILE_KEYS = {"edition": "id", "map": "id", "tournament": "name"}
"""The kinds of TOML files that plugins offer, and the key that holds the id."""


@dataclass(slots=True)
class PluginInfo:
    """A plugin, where it comes from and what became of it."""

    name: str
    """Its entry point's name; for a bot that is given as a file, the path."""
    distribution: str
    version: str
    registered: list[str] = field(default_factory=list)
    """What it offers, as "bot greedy", "map classic", …; nothing where there is an error."""
    error: str | None = None
    """One line on why it could not be loaded, or None."""

    def __str__(self) -> str:
        return f"{self.name} ({self.distribution} {self.version})" if self.distribution else self.name


@dataclass(frozen=True, slots=True)
class BotEntry:
    """A registered bot."""

    id: str
    plugin: PluginInfo
    factory: Callable[..., Bot]
    version: str
    summary: str
    module: ModuleType
    """The plugin's module."""

    @property
    def origin(self) -> str:
        """Where it comes from, for a person."""
        return f"plugin {self.plugin}"

    @property
    def options(self) -> dict[str, object]:
        """The options that the factory takes, with their defaults (`Parameter.empty` where it has none)."""
        return {
            name: parameter.default
            for name, parameter in signature(self.factory).parameters.items()
            if parameter.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        }

    def maker(self, options: dict[str, str]) -> Callable[[], Bot]:
        """What makes a fresh bot with these options. Raises ConfigError for an unknown or wrong one."""
        known = self.options
        for name in options:
            if name not in known:
                raise ConfigError(f"unknown option {name!r}: known are {', '.join(known) or 'none'}")
        values = {name: read_option(name, text, known[name]) for name, text in options.items()}
        return partial(self.factory, **values)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A registered edition, map or tournament."""

    id: str
    plugin: PluginInfo
    path: str
    table: dict[str, Any]
    """The file's content, not yet checked."""

    @property
    def origin(self) -> str:
        """Where it comes from, for a person."""
        return f"plugin {self.plugin} in {self.path}"


class Offers:
    """Takes what one plugin registers. Each method raises PluginError or ConfigError for what is wrong."""

    def __init__(self, plugin: PluginInfo, module: ModuleType) -> None:
        self.plugin = plugin
        self.module = module
        self.bots: list[BotEntry] = []
        self.files: dict[str, list[FileEntry]] = {kind: [] for kind in FILE_KEYS}

    def add_bot(
        self,
        bot_id: str,
        factory: Callable[..., Bot],
        *,
        version: str | None = None,
        summary: str | None = None,
    ) -> None:
        """What `register_bots` is handed, see `arena.hookspecs.RegisterBot`."""
        check_id("bot", bot_id)
        if not callable(factory):
            raise PluginError(f"bot {bot_id}: expected a factory that makes bots, got {factory!r}")
        for name, text in (("version", version), ("summary", summary)):
            if text is not None and not isinstance(text, str):
                raise PluginError(f"bot {bot_id}: expected {name} to be text, got {text!r}")
        if summary is None:
            summary = (getdoc(factory) or "").partition("\n")[0]
        version = version or self.plugin.version
        self.bots.append(BotEntry(bot_id, self.plugin, factory, version, summary, self.module))

    def add_files(self, kind: str, path: Traversable) -> None:
        """What the other hooks are handed, see `arena.hookspecs.RegisterFile`."""
        files = [path]
        if path.is_dir():
            files = sorted((file for file in path.iterdir() if file.name.endswith(".toml")), key=str)
            if not files:
                raise PluginError(f"{path}: expected a folder of TOML files, found none in it")
        for file in files:
            table = read_toml(file)
            entry_id = table.get(FILE_KEYS[kind])
            check_id(f"{file}: {FILE_KEYS[kind]}", entry_id)
            self.files[kind].append(FileEntry(str(entry_id), self.plugin, str(file), table))


def check_id(what: str, value: object) -> None:
    """Raise PluginError unless `value` is a kebab-case id."""
    if not isinstance(value, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value):
        raise PluginError(f"{what}: expected a kebab-case id such as my-bot, got {value!r}")


def kebab_case(name: str) -> str:
    """A file's or class's name as an id: `MyBot_v2` gives `my-bot-v2`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "-", name).strip("-").lower()


def parse_options(text: str) -> dict[str, str]:
    """`a=1,b=2` as names and texts. Raises ConfigError."""
    options: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier() or name in options:
            raise ConfigError(f"expected option=value, each option once, got {part!r}")
        options[name] = value
    return options


def read_option(name: str, text: str, default: object) -> object:
    """An option's value, of its default's type; where that says nothing an int, float, true/false or text.

    Raises ConfigError.
    """
    readers: dict[type, Callable[[str], object]] = {
        int: int,
        float: float,
        bool: {"true": True, "false": False}.__getitem__,
        str: str,
    }
    kinds = [type(default)] if type(default) in readers else list(readers)
    for kind in kinds:
        try:
            return readers[kind](text)
        except (ValueError, KeyError):
            continue
    raise ConfigError(f"option {name}: expected {kinds[0].__name__}, got {text!r}")
