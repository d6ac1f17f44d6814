"""What is installed: `arena bots`, `editions`, `maps`, `tournaments`, `plugins`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

import click

from arena.cli.options import json_option
from arena.cli.output import print_json, print_table, tell_problems, warn
from arena.errors import ArenaError

if TYPE_CHECKING:
    from arena.offers import BotEntry
    from arena.plugins import Registry

T = TypeVar("T")
Rows = Sequence[tuple[object, ...]]


@click.command("bots")
@click.argument("bot", required=False)
@json_option
def bots_command(bot: str | None, as_json: bool) -> None:
    """List the bots that plugins offer, or tell about one BOT.

    With their options and defaults. A BOT is an id, with options where wanted
    (greedy:margin=3, which are checked), a .py file or a folder.
    """
    from arena.options import option_defaults, split_options

    registry = _load_plugins()
    if bot is not None:
        name, written = split_options(bot)
        if written is not None:
            registry.identify(bot)  # wrong options show
        _print_bot(name, registry.entry(name), as_json)
        return
    rows = [
        (
            entry.id,
            entry.version,
            [
                f"{name}={'…' if default is None else default}"
                for name, default in option_defaults(entry.factory).items()
            ],
            entry.plugin.name,
            entry.summary,
        )
        for entry in registry.bots.values()
    ]
    _print(("bot", "version", "options", "plugin", "summary"), rows, as_json)


def _print_bot(text: str, entry: "BotEntry", as_json: bool) -> None:
    from arena.asking import misspelt
    from arena.options import list_options

    for line in misspelt(entry.factory) if isinstance(entry.factory, type) else ():
        warn(f"bot {text}: {line}")
    options = [asdict(option) for option in list_options(entry.factory)]
    about = {
        "bot": entry.id,
        "version": entry.version,
        "plugin": str(entry.plugin),
        "source": entry.module.__file__,
        "summary": entry.summary,
    }
    if as_json:
        print_json({**about, "options": options})
        return
    for name, value in about.items():
        click.echo(f"{name:<10}{value}")
    if options:
        columns = ["name", "type", "default", "help"]
        print_table(
            f"options, as in {entry.id}:{options[0]['name']}=…", columns, [list(o.values()) for o in options]
        )


@click.command("editions")
@click.argument("edition", required=False)
@json_option
def editions_command(edition: str | None, as_json: bool) -> None:
    """List the editions, or tell about one EDITION.

    An edition is a declared set of rules, named by its id or a .toml file. Each of its switches is told
    with the edition that it comes from.
    """
    registry = _load_plugins()
    if edition is not None:
        _print_edition(registry, edition, as_json)
        return
    rows = [
        (
            each.id,
            sorted(each.setup.starting_troops),
            each.map.id,
            each.fingerprint,
            registry.editions[each.id].plugin.name,
            each.summary or each.name,
        )
        for each in _sound(registry.editions, registry.edition)
    ]
    _print(("edition", "players", "map", "fingerprint", "plugin", "summary"), rows, as_json)


def _print_edition(registry: "Registry", text: str, as_json: bool) -> None:
    edition, origins = registry.edition(text), _origins(registry, text)
    entry = registry.editions.get(edition.id)
    about = {
        "edition": edition.id,
        "name": edition.name,
        "map": edition.map.id,
        "fingerprint": edition.fingerprint,
        "plugin": str(entry.plugin) if entry else None,
        "source": registry.edition_table(text)[1],
        "summary": edition.summary,
    }
    sections = edition.model_dump(mode="json", exclude={"id", "name", "summary", "map"})
    switches = [
        {"switch": f"{section}.{name}", "value": value, "from": origins.get(f"{section}.{name}")}
        for section, values in sections.items()
        for name, value in values.items()
    ]
    if as_json:
        print_json({**about, "switches": switches})
        return
    for key, value in about.items():
        click.echo(f"{key:<13}{value or '–'}")
    rows = [(switch["switch"], _value(switch["value"]), switch["from"]) for switch in switches]
    print_table(None, ["switch", "value", "from"], rows)


def _origins(registry: "Registry", text: str) -> dict[str, str]:
    """Each switch that the edition or one that it extends declares, to the id of the first that does."""
    table, _ = registry.edition_table(text)
    found = _origins(registry, table["extends"]) if "extends" in table else {}
    sections = {key: value for key, value in table.items() if isinstance(value, dict) and key != "map"}
    return found | {f"{key}.{name}": table["id"] for key, section in sections.items() for name in section}


def _value(value: object) -> str:
    """A switch's value, as its file might have it but for quotes."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_value(part)}" for key, part in value.items() if part is not None)
    return f"[{', '.join(map(_value, value))}]" if isinstance(value, list) else str(value).lower()


@click.command("maps")
@json_option
def maps_command(as_json: bool) -> None:
    """List the maps."""
    registry = _load_plugins()
    rows = []
    for found in _sound(registry.maps, registry.map):
        board = found.board()
        borders = sum(map(len, board.neighbours)) // 2
        plugin = registry.maps[found.id].plugin.name
        rows.append((found.id, len(board.names), borders, len(board.continents), plugin))
    _print(("map", "territories", "borders", "continents", "plugin"), rows, as_json)


@click.command("tournaments")
@json_option
def tournaments_command(as_json: bool) -> None:
    """List the tournaments that plugins offer."""
    rows = [(entry.id, entry.plugin.name) for entry in _load_plugins().tournaments.values()]
    _print(("tournament", "plugin"), rows, as_json)


@click.command("plugins")
@json_option
def plugins_command(as_json: bool) -> None:
    """List the plugins, with what is wrong with any."""
    rows = [
        (
            plugin.name,
            plugin.distribution,
            plugin.version,
            plugin.registered if as_json else list(_counted(plugin.registered)),
            plugin.error,
        )
        for plugin in _load_plugins().plugins
    ]
    _print(("plugin", "distribution", "version", "registered", "problem"), rows, as_json)


def _counted(registered: Iterable[str]) -> Iterator[str]:
    """What a plugin registered, only the number where that is several of one kind."""
    for kind, group in groupby(registered, lambda what: what.partition(" ")[0]):
        names = list(group)
        yield names[0] if len(names) == 1 else f"{len(names)} {kind}s"


def _load_plugins() -> "Registry":
    from arena.plugins import load_registry

    registry = load_registry()
    tell_problems(registry)
    return registry


def _sound(ids: Iterable[str], load: Callable[[str], T]) -> Iterator[T]:
    """What can be loaded; the rest is told, a line each."""
    for entry_id in ids:
        try:
            yield load(entry_id)
        except ArenaError as error:
            warn(str(error))


def _print(columns: Sequence[str], rows: Rows, as_json: bool) -> None:
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    cells = [[", ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row] for row in rows]
    print_table(None, columns, cells)
