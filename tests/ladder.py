"""Plays the tournaments `reference` and `ideas` and writes results/reference.md: `make reference`.

What is played stays in results/reference.db, so that the command goes on where it stopped.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path

from arena.config import GameSpec, ResolvedTournament, load_tournament
from arena.executors import make_executor
from arena.history import History
from arena.plugins import load_registry
from arena.run import run
from arena.schedule import Pool, pools, specs
from arena.standings import Standings, standings
from arena.stats import rate
from arena.store import open_history

RESULTS = Path(__file__).parents[1] / "results"
PAGE = RESULTS / "reference.md"
BASE = "strategist"

AGAIN = 3
"""So many blocks of each pool are played again by the tests; among them are games of every bot."""


def resolve(name: str) -> ResolvedTournament:
    """The bundled tournament of this name."""
    return load_tournament(name, load_registry())


def by_pool(resolved: ResolvedTournament) -> Iterator[tuple[Pool, list[GameSpec]]]:
    """Each pool with its games in the order of the schedule."""
    for pool in pools(resolved):
        yield pool, [spec for spec in specs(resolved) if spec.players == pool.players]


def digest(games: Iterable[str]) -> str:
    """One digest of the digests of many games."""
    return blake2b("".join(games).encode(), digest_size=16).hexdigest()


def ladder(pool: Standings) -> list[str]:
    """A pool's bots, best first."""
    rows = [
        f"{pool.pool.players} players, {pool.pool.games} games, {pool.pool.unfinished} unfinished:",
        "",
        "| # | bot | Elo | 95 % | LOS | games | wins | win rate |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for rank, total in enumerate(pool.bots, 1):
        low, high = ["?" if end is None else f"{end:.0f}" for end in pool.ratings.intervals[total.label]]
        elo = f"< {high}" if total.label in pool.ratings.bounds else f"{pool.ratings.elo[total.label]:.0f}"
        next_bot = pool.bots[rank].label if rank < len(pool.bots) else None
        los = pool.ratings.los(total.label, next_bot) if next_bot else None
        rows.append(
            f"| {rank} | {total.label} | {elo} | {low}–{high} | {'' if los is None else f'{los:.1%}'} |"
            f" {total.games} | {total.wins} | {total.wins / total.games:.1%} |"
        )
    return [*rows, ""]


def digests(history: History, resolved: ResolvedTournament) -> list[str]:
    """Of each pool the digest of its first blocks, which the tests play again, and of all its games."""
    games = {game.key: game.digest for game in history.games(resolved.tournament.name)}
    rows = [
        f"| players | blocks | games | digest of the first {AGAIN} blocks | digest of all |",
        "|---|---|---|---|---|",
    ]
    for pool, played in by_pool(resolved):
        first = digest(games[spec.key] for spec in played if spec.block < AGAIN)
        whole = digest(games[spec.key] for spec in played)
        rows.append(f"| {pool.players} | {pool.blocks} | {len(played)} | `{first}` | `{whole}` |")
    return [*rows, ""]


def ideas(history: History) -> list[str]:
    """What each option of the strategist changes, in Elo."""
    rows = ["| strategist | Elo against the default | 95 % |", "|---|---|---|"]
    for pool in history.pools("ideas"):
        ratings = rate(*history.outcomes(pool), anchor=(BASE, 0.0))
        for label in ratings.ranking:
            error = ratings.error[label]
            if label.startswith(f"{BASE}:"):
                rows.append(f"| {label} | {ratings.elo[label]:+.0f} | ± {error:.0f} |")
    return [*rows, ""]


TEXT = """\
# Reference ladder

The bundled bots against each other, written by `make reference`. Rules: hasbro-us-2003; every line-up is
played on one seed in all its rotations. The mean of the measured bots is 1500; `<` stands before the rating
of a bot that won nothing, and `?` for an end of an interval that the games do not tell. LOS is how likely a
bot is better than the next. Tables of different sizes are pools of their own.

{ladders}
## Is it still so?

The digest of a pool is over the digests of its games in the order of the schedule. `tests/test_ladder.py`
plays the first {again} blocks of each pool again and compares.

{digests}
## Public ideas

Options of the strategist, each changed by itself in a gauntlet of {games} games at tables of four, against
turtle, greedy, continental and oddsmaker (tournament `ideas`).

- `draft=false` claims territories as any bot does by default. How much a good draft is worth: R. Gibson,
  N. Desai, R. Zhao, "An Automated Technique for Drafting Territories in the Board Game Risk", AIIDE 2010.
- `odds=0` attacks at any odds, `odds=0.7` only at good ones. To attack above 50 % only is part of the best
  heuristic in F. Hahn, "Evaluating Heuristics in the Game Risk", Maastricht 2010.
- `hinder=1` counts the strongest rival's chances twice, after the search that turns on the leader in
  I. Zuckerman, A. Felner, S. Kraus, "Mixing Search Strategies for Multi-Player Games", IJCAI 2009.
- `hunt=0` sees nothing in the cards of an eliminated rival. To kill for them is what the agents Vulture and
  Killbot of https://github.com/sillysoft/LuxSDK are known for.

{ideas}"""


def page(history: History) -> str:
    """The page of results."""
    ladders = [line for pool in standings(history, "reference") for line in ladder(pool)]
    return TEXT.format(
        ladders="\n".join(ladders),
        again=AGAIN,
        digests="\n".join(digests(history, resolve("reference"))),
        games=sum([pool.games for pool in history.pools("ideas")]),
        ideas="\n".join(ideas(history)),
    )


def main() -> None:
    """Play what is missing and write the page."""
    database = RESULTS / "reference.db"
    for name in ("reference", "ideas"):
        run(resolve(name), database, make_executor("local"))
    with open_history(database) as history:
        PAGE.write_text(page(history), encoding="utf-8")


if __name__ == "__main__":
    main()
