"""What a plugin registers: bots, and TOML files, each with its provenance."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib.resources.abc import Traversable
from inspect import cleandoc
from types import FunctionType, ModuleType
from typing import Any

from arena.bot import Bot
from arena.errors import PluginError
from arena.files import read_toml
from arena.options import read_options
from arena.validation import KEBAB_CASE

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

    def maker(self, options: dict[str, str]) -> Callable[[], Bot]:
        """What makes a fresh bot with these options. Raises ConfigError, see `arena.options.read_options`."""
        return partial(self.factory, **read_options(self.factory, options))


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
            summary = _summary(factory)
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


def _summary(factory: Callable[..., Bot]) -> str:
    """The first line of its own docstring, not of its base class's or, for an object, its class's."""
    text = factory.__doc__ if isinstance(factory, type | FunctionType) else None
    return cleandoc(text).partition("\n")[0] if isinstance(text, str) else ""


def check_id(what: str, value: object) -> None:
    """Raise PluginError unless `value` is a kebab-case id."""
    if not isinstance(value, str) or not re.fullmatch(KEBAB_CASE, value):
        raise PluginError(f"{what}: expected a kebab-case id such as my-bot, got {value!r}")


def kebab_case(name: str) -> str:
    """A file's or class's name as an id: `MyBot_v2` gives `my-bot-v2`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "-", name).strip("-").lower()
