"""Builds the plugin manager and the registry of what plugins offer: bots, editions, maps, tournaments."""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from arena import hookspecs
from arena.bot import Bot
from arena.errors import ConfigError, PluginError, hint, shown
from arena.files import read_toml
from arena.hookspecs import PROJECT
from arena.offers import BotEntry, FileEntry, Offers, PluginInfo, check_id, kebab_case
from arena.options import parse_options, split_options
from arena.source import describe, hash_source, load_module
from arena.validation import describe_error

if TYPE_CHECKING:
    from arena.risk.edition import Edition
    from arena.risk.game import Game
    from arena.risk.map import Map
    from arena.risk.state import Dice

BLOCK_VARIABLE = "ARENA_BLOCK_PLUGINS"
"""Environment variable: names of plugins, with commas between, that are not loaded."""


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """Which bot exactly: what a rating belongs to. A change of any field but `path` is another bot."""

    bot_id: str
    version: str
    options: str
    """As written behind the id, keys sorted (`aggression=0.7,margin=2`); empty for none."""
    source_hash: str
    """Hex digest of the bot's own source."""
    path: str = field(default="", compare=False)
    """Absolute path of the .py file or folder for a bot that is given as one, else empty."""

    @property
    def name(self) -> str:
        """Id with options, as a person writes it."""
        return f"{self.bot_id}:{self.options}" if self.options else self.bot_id


def labels(bots: Mapping[int, BotIdentity]) -> dict[int, str]:
    """A display name for each bot that no other of them has, as short as that allows.

    Its id with options, then @version, then # and the beginning of its source's hash.
    """
    names = {key: bot.name for key, bot in bots.items()}
    for suffix in ("@{0.version}", "#{0.source_hash:.7}", "{0.source_hash}"):
        count = Counter(names.values())
        names = {
            key: name + suffix.format(bots[key]) if count[name] > 1 else name for key, name in names.items()
        }
    return names


E = TypeVar("E", BotEntry, FileEntry)


class Catalogue(Mapping[str, E]):
    """What plugins registered of one kind, by id. An id that was registered twice is not in it."""

    def __init__(self, kind: str, plugins: list[PluginInfo]) -> None:
        self.kind = kind
        self._plugins = plugins
        self._offers: dict[str, list[E]] = {}

    def __getitem__(self, entry_id: str) -> E:
        offers = self._offers[entry_id]
        if len(offers) > 1:
            raise KeyError(entry_id)
        return offers[0]

    def __iter__(self) -> Iterator[str]:
        return (entry_id for entry_id, offers in sorted(self._offers.items()) if len(offers) == 1)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def add(self, entry: E) -> None:
        """Offer an entry."""
        self._offers.setdefault(entry.id, []).append(entry)
        entry.plugin.registered.append(f"{self.kind} {entry.id}")

    def find(self, entry_id: str) -> E:
        """The entry. Raises ConfigError for an unknown id, PluginError for one that was registered twice."""
        if entry_id in self:
            return self[entry_id]
        if entry_id in self._offers:
            raise PluginError(self._clash(entry_id))
        broken = [f"; plugin {plugin} is broken: {plugin.error}" for plugin in self._plugins if plugin.error]
        raise ConfigError(f"unknown {self.kind} {entry_id!r}: {hint(entry_id, self)}{''.join(broken)}")

    @property
    def problems(self) -> list[str]:
        """One line for each id that was registered twice."""
        return [self._clash(entry_id) for entry_id, offers in sorted(self._offers.items()) if len(offers) > 1]

    def _clash(self, entry_id: str) -> str:
        origins = " and by ".join(entry.origin for entry in self._offers[entry_id])
        return f"{self.kind} {entry_id} is registered by {origins}: block one with {BLOCK_VARIABLE}"


class Registry:
    """What all plugins offer."""

    def __init__(self) -> None:
        self.plugins: list[PluginInfo] = []
        self.bots = Catalogue[BotEntry]("bot", self.plugins)
        self.editions = Catalogue[FileEntry]("edition", self.plugins)
        self.maps = Catalogue[FileEntry]("map", self.plugins)
        self.tournaments = Catalogue[FileEntry]("tournament", self.plugins)

    @property
    def problems(self) -> list[str]:
        """One line for each broken plugin and each id that cannot be used."""
        broken = [f"plugin {plugin}: {plugin.error}" for plugin in self.plugins if plugin.error]
        files = [*self.editions.problems, *self.maps.problems, *self.tournaments.problems]
        return [*broken, *self.bots.problems, *files]

    def identify(self, text: str, base: Path = Path()) -> BotIdentity:
        """The bot that `text` names: an id, or a .py file or a folder below `base`.

        Options may follow (`greedy:margin=2`). One bot is made, so that wrong ones show. Raises ConfigError
        or PluginError.
        """
        return self.meet(text, base)[0]

    def meet(self, text: str, base: Path = Path()) -> tuple[BotIdentity, Bot]:
        """What `identify` makes of it, and the bot that was made."""
        name, written = split_options(text)
        entry = self.entry(name, base)
        try:
            options = {} if written is None else parse_options(written)
            bot = entry.maker(options)()
        except (Exception, SystemExit) as error:
            raise ConfigError(f"bot {text}: {describe(error)}") from error
        if not isinstance(bot, Bot):
            raise PluginError(f"bot {text}: expected a Bot, got {shown(bot)}")
        ordered = ",".join(f"{name}={options[name]}" for name in sorted(options))
        source = hash_source(entry.module)
        return BotIdentity(entry.id, entry.version, ordered, source, self._bot_path(name, base)), bot

    def entry(self, name: str, base: Path = Path()) -> BotEntry:
        """The bot of that id, or of a .py file or folder below `base`. Raises ConfigError or PluginError."""
        path = self._bot_path(name, base)
        return load_bot(Path(path), name) if path else self.bots.find(name)

    def _bot_path(self, name: str, base: Path) -> str:
        """The absolute path that a bot's name stands for, or "" for an id."""
        is_folder = name != "" and name not in self.bots and (base / name).is_dir()
        return os.path.abspath(base / name) if name.endswith(".py") or is_folder or "/" in name else ""

    def factory(self, identity: BotIdentity) -> Callable[[], Bot]:
        """What makes fresh bots of exactly this identity, in whatever process.

        Raises PluginError where the bot's source is not the one that was identified.
        """
        entry = self.entry(identity.path or identity.bot_id)
        found = hash_source(entry.module)
        if found != identity.source_hash:
            raise PluginError(
                f"bot {identity.name}: its source has changed: expected {identity.source_hash}, found {found}"
            )
        return entry.maker(parse_options(identity.options) if identity.options else {})

    def edition(self, text: str, base: Path = Path()) -> "Edition":
        """The edition of this id, or in a file below `base` when it ends in .toml. Raises ArenaError."""
        from arena.risk.edition import resolve_edition  # noqa: PLC0415 - pydantic, only where it is needed

        table, where = self.edition_table(text, base)
        registered = self.editions.get(str(table.get("id")))
        if registered is not None and where != registered.path and registered.table != table:
            raise ConfigError(f"{where}: id: expected one of its own, got that of registered {registered.id}")
        return resolve_edition(table, where, lambda parent: self.edition_table(str(parent))[0], self.map)

    def edition_table(self, text: str, base: Path = Path()) -> tuple[dict[str, Any], str]:
        """An edition's unchecked table and its file, for errors. Raises ArenaError.

        The edition that it extends and its map may be files too, with paths from the folder of this one.
        """
        table, where, folder = _read(self.editions, text, base)
        named = {key: table[key] for key in ("extends", "map") if str(table.get(key)).endswith(".toml")}
        return table | {key: os.path.abspath(folder / path) for key, path in named.items()}, where

    def map(self, text: str) -> "Map":
        """The map of this id, or in a file when it ends in .toml. Raises ArenaError."""
        from pydantic import ValidationError  # noqa: PLC0415 - only where it is needed

        from arena.risk.map import Map  # noqa: PLC0415

        table, where, _ = _read(self.maps, text, Path())
        try:
            return Map.model_validate(table)
        except ValidationError as error:
            raise ConfigError(describe_error(error, where, Map)) from None

    def tournament_file(self, text: str, base: Path = Path()) -> tuple[dict[str, Any], str, Path]:
        """A tournament's unchecked table, its file for errors, and the folder that paths in it start from.

        `text` is an id, or a path below `base` that ends in .toml. Raises ArenaError.
        """
        return _read(self.tournaments, text, base)


def _read(catalogue: Catalogue[FileEntry], text: str, base: Path) -> tuple[dict[str, Any], str, Path]:
    if text.endswith(".toml"):
        path = base / text
        return read_toml(path), str(path), path.parent
    if re.search(r"[./]", text):
        raise ConfigError(f"{catalogue.kind} {text!r}: expected an id, or a file that ends in .toml")
    entry = catalogue.find(text)
    return entry.table, entry.path, Path(entry.path).parent


def load_registry() -> Registry:
    """Load every plugin that is installed and not blocked; `Registry.problems` names the broken ones."""
    registry = Registry()
    manager = build_manager()
    blocked = os.environ.get(BLOCK_VARIABLE, "").replace(" ", "").split(",")
    for point in sorted(entry_points(group=PROJECT), key=lambda point: (point.name, point.value)):
        if point.name not in blocked:
            _load_plugin(registry, manager, point)
    return registry


def build_manager() -> pluggy.PluginManager:
    """A plugin manager that knows the hooks and holds no plugin."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def _load_plugin(registry: Registry, manager: pluggy.PluginManager, point: EntryPoint) -> None:
    dist = point.dist
    plugin = PluginInfo(point.name, dist.name if dist else "", dist.version if dist else "")
    registry.plugins.append(plugin)
    try:
        with redirect_stdout(sys.stderr):  # what a plugin prints is not our output
            loaded = point.load()
            offers = Offers(plugin, sys.modules[point.module])
            run_hooks(manager, loaded, offers)
    except (Exception, SystemExit) as error:
        plugin.error = describe(error)
        return
    for bot in offers.bots:
        registry.bots.add(bot)
    for catalogue in (registry.editions, registry.maps, registry.tournaments):
        for file in offers.files[catalogue.kind]:
            catalogue.add(file)


def run_hooks(manager: pluggy.PluginManager, plugin: object, offers: Offers) -> None:
    """Let one plugin register its offers. An error in it passes through; the manager forgets the plugin."""
    try:
        manager.register(plugin, str(offers.plugin))
        manager.check_pending()
        if not manager.get_hookcallers(plugin):
            raise PluginError("expected a function marked @arena.hookimpl, found none")
        others = manager.get_plugins() - {plugin}
        manager.subset_hook_caller("register_bots", others)(register=offers.add_bot)
        for kind in offers.files:
            manager.subset_hook_caller(f"register_{kind}s", others)(register=partial(offers.add_files, kind))
    except BaseException:
        if manager.is_registered(plugin):
            manager.unregister(plugin)
        raise


def load_bot(path: Path, name: str) -> BotEntry:
    """The one bot of a .py file, or of a folder with an __init__.py; its id is the kebab-case stem.

    `name` is what errors call it.

    It is a plugin that registers one bot, or holds one `Bot` subclass. Its version is its `__version__`, or
    "0" without one. Raises ConfigError or PluginError.
    """
    try:
        module = load_module(path)
        offers = Offers(PluginInfo(str(path), "", str(getattr(module, "__version__", "0"))), module)
        if hasattr(module, "register_bots"):
            run_hooks(build_manager(), module, offers)
        else:
            for bot in _own_bots(module):
                offers.add_bot(kebab_case(bot.__name__), bot)
        bot_id = kebab_case(path.stem)
        check_id("file name", bot_id)
    except ConfigError as error:
        raise ConfigError(f"bot {name}: {error}") from None
    except (Exception, SystemExit) as error:
        raise PluginError(f"bot {name}: {describe(error)}") from error
    if len(offers.bots) != 1:
        found = ", ".join(bot.id for bot in offers.bots) or "none"
        raise PluginError(f"bot {name}: expected one Bot subclass or one registered bot, found {found}")
    return replace(offers.bots[0], id=bot_id)


def _own_bots(module: ModuleType) -> list[type[Bot]]:
    """The `Bot` subclasses that the module, or the package, itself defines."""
    classes = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Bot)]
    return [bot for bot in dict.fromkeys(classes) if bot.__module__.startswith(module.__name__)]


def load_edition(text: str) -> "Edition":
    """The edition of this id, or in this file when it ends in .toml. Raises ArenaError."""
    return load_registry().edition(text)


def load_position(
    position: Mapping[str, Any] | str | Path,
    dice: "Dice | None" = None,
    edition: "Edition | str | None" = None,
) -> "Game":
    """The game that goes on from a position: a dict, JSON text or a file's path.

    `dice`, where given, rolls every roll with one `random()`. `edition` (an id, a .toml path or an Edition)
    is needed only where the position's is not registered. Raises ArenaError.
    """
    from arena.risk.position import load  # noqa: PLC0415 - pydantic, only where it is needed

    def find_edition(edition_id: str) -> "Edition":
        if edition is None or isinstance(edition, str):
            return load_registry().edition(edition or edition_id)
        return edition

    return load(position, find_edition, dice)
