"""What is installed: `arena bots`, `editions`, `maps`, `plugins`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from arena.cli.output import json_option, print_json, print_table, tell_problems

if TYPE_CHECKING:
    from arena.plugins import Registry


@click.command("bots")
@json_option
def bots_command(as_json: bool) -> None:
    """List the bots that plugins offer."""
    rows = [
        {"bot": bot.id, "version": bot.version, "plugin": bot.plugin.name, "summary": bot.summary}
        for bot in _load_plugins().bots.values()
    ]
    _print(rows, ["bot", "version", "plugin", "summary"], as_json)


@click.command("editions")
@json_option
def editions_command(as_json: bool) -> None:
    """List the editions: declared sets of rules."""
    registry = _load_plugins()
    rows = []
    for edition_id, source in registry.editions.items():
        edition = registry.edition(edition_id)
        rows.append(
            {
                "edition": edition.id,
                "players": sorted(edition.setup.starting_troops),
                "map": edition.map.id,
                "fingerprint": edition.fingerprint,
                "plugin": source.plugin.name,
                "summary": edition.summary or edition.name,
            }
        )
    _print(rows, ["edition", "players", "map", "fingerprint", "plugin", "summary"], as_json)


@click.command("maps")
@json_option
def maps_command(as_json: bool) -> None:
    """List the maps."""
    registry = _load_plugins()
    rows = []
    for map_id, source in registry.maps.items():
        board = registry.map(map_id).board()
        rows.append(
            {
                "map": map_id,
                "territories": len(board.names),
                "borders": sum(map(len, board.neighbours)) // 2,
                "continents": len(board.continents),
                "plugin": source.plugin.name,
            }
        )
    _print(rows, ["map", "territories", "borders", "continents", "plugin"], as_json)


@click.command("plugins")
@json_option
def plugins_command(as_json: bool) -> None:
    """List the plugins, what each registered, and what is wrong with any."""
    rows = [
        {
            "plugin": plugin.name,
            "distribution": plugin.distribution,
            "version": plugin.version,
            "registered": plugin.registered,
            "problem": plugin.error,
        }
        for plugin in _load_plugins().plugins
    ]
    _print(rows, ["plugin", "distribution", "version", "registered", "problem"], as_json)


def _load_plugins() -> "Registry":
    from arena.plugins import load_registry

    registry = load_registry()
    tell_problems(registry)
    return registry


def _print(rows: Sequence[Mapping[str, object]], columns: list[str], as_json: bool) -> None:
    if as_json:
        print_json(rows)
        return
    cells = [
        [", ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row.values()]
        for row in rows
    ]
    print_table(None, columns, cells)
