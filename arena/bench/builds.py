"""The pure and the compiled build beside each other: the same games, each build in a process of its own.

`python -m arena.bench.builds pure|compiled` prints the games a second of each line-up and the figures of the
core as JSON. "pure" runs the sources of the compiled modules.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.risk.compiled import MODULES

PACKAGE = "arena.risk"


class SourceFinder(MetaPathFinder):
    """Finds the source of a compiled module before its compiled file is found."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        package, _, module = name.rpartition(".")
        if package != PACKAGE or module not in MODULES or path is None:
            return None
        return spec_from_file_location(name, Path(path[0]) / f"{module}.py")


def measure(builds: Sequence[str], games: int, rounds: int) -> dict[str, dict[str, Any]]:
    """The figures of each build, "pure" or "compiled": the best of rounds in which one follows the other."""
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for build in builds:
            command = [sys.executable, "-P", "-m", "arena.bench.builds", build, str(games)]
            found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            best[build] = _better(best.get(build, found), found)
    for figures in best.values():
        core = figures["core"]
        for what in ("order", "order_and_view"):
            core[f"{what}_units"] = core[f"{what}_seconds"] / core["unit_seconds"]
    return best


def _better(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {
        "core": {name: min(seconds, other["core"][name]) for name, seconds in one["core"].items()},
        "lineups": {
            name: max(one["lineups"][name], found, key=lambda play: float(play["games_per_second"]))
            for name, found in other["lineups"].items()
        },
    }


def main(build: str, games: int) -> None:
    """Measure this process' build and print."""
    if build == "pure":
        sys.meta_path.insert(0, SourceFinder())
    from arena.bench import core, play  # noqa: PLC0415 - after the finder is there
    from arena.risk.compiled import describe_build  # noqa: PLC0415

    if describe_build() != build:
        raise SystemExit(f"expected the {build} build, found the {describe_build()} one")
    figures: dict[str, Any] = {"lineups": {}}
    for name in play.LINEUPS:
        resolved = play.tournament(name)
        rules = resolved.editions[0].rules
        seconds, played = play.play(resolved, games)
        replays = [play.replay(rules, game) for game in played]
        parts = play.shares(resolved, seconds, played, replays)
        figures["lineups"][name] = {**play.rates(seconds, played, replays), "shares": parts}
        if name == core.LINEUP:
            figures["core"] = core.measure(rules, replays)
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
