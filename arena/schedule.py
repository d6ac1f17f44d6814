"""The schedule of a tournament: pools, blocks, line-ups, seeds and keys, all pure functions of it.

In a block one line-up goes once round the seats, on one seed: the start roll is the same in all of it, and
each bot sits once in each seat and once in each turn position. In a mirrored tournament a block is a table
and the same with the first two bots swapped. Which line-ups and seeds there are depends on the tournament's
seed and the table size alone: editions are played on the same ones, and more blocks leave the earlier ones as
they were.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, product
from math import comb

from arena.config import GameSpec, ResolvedTournament
from arena.cyclic import base_blocks
from arena.risk.edition import Edition
from arena.risk.stream import Stream, derive_seed


@dataclass(frozen=True, slots=True)
class Pool:
    """All games of one edition and table size."""

    edition: Edition
    players: int
    design: "Design | MirroredDesign"
    wanted: int
    """Number of blocks that were asked for."""

    @property
    def blocks(self) -> int:
        """Number of blocks: those wanted, rounded up to a whole number of the design's repetitions."""
        return -(-self.wanted // self.design.repetition) * self.design.repetition

    @property
    def games(self) -> int:
        """Number of games."""
        return self.blocks * self.design.block_games


def pools(resolved: ResolvedTournament) -> list[Pool]:
    """The tournament's pools; those of one table size share their design."""
    tournament = resolved.tournament
    kind = MirroredDesign if tournament.format == "mirrored" else Design
    designs = {players: kind(resolved, players) for players in tournament.table_sizes}
    return [
        Pool(edition, players, design, tournament.blocks)
        for edition in resolved.editions
        for players, design in designs.items()
    ]


def specs(resolved: ResolvedTournament) -> Iterator[GameSpec]:
    """Every game of the tournament, in order: pool by pool, block by block, rotation by rotation."""
    for pool in pools(resolved):
        for block in range(pool.blocks):
            yield from block_specs(resolved, pool, block)


def block_specs(resolved: ResolvedTournament, pool: Pool, block: int) -> Iterator[GameSpec]:
    """The games of a block, rotation by rotation."""
    edition = pool.edition.fingerprint
    seed = derive_seed(resolved.tournament.seed, "block", pool.players, block)
    for rotation, lineup in enumerate(pool.design.lineups(block)):
        yield GameSpec(
            key=game_key(resolved.fingerprint, edition, pool.players, block, rotation),
            edition=edition,
            block=block,
            rotation=rotation,
            seed=seed,
            lineup=lineup,
        )


def game_key(tournament: str, edition: str, players: int, block: int, rotation: int) -> str:
    """The game's key: hex digest of the tournament's and the edition's fingerprints and its place."""
    text = f"{tournament}/{edition}/{players}/{block}/{rotation}"
    return blake2b(text.encode(), digest_size=10).hexdigest()


@dataclass(frozen=True, slots=True)
class Balance:
    """How evenly a design treats some of the bots in each repetition: (least, most) games."""

    bots: str
    """Which bots."""
    seat: tuple[int, int]
    """Games of one of them in one seat."""
    others: str
    """Which bots they meet."""
    pair: tuple[int, int] | None
    """Games of one of them with one of the others; None where there is none."""


class Design:
    """Which bots meet: the line-up of each block for one table size.

    After each repetition of `repetition` blocks every bot (in a gauntlet: every challenger, and every other
    bot) has sat in as many of them as the next.
    """

    def __init__(self, resolved: ResolvedTournament, players: int) -> None:
        self.format = resolved.tournament.format
        self.seed = resolved.tournament.seed
        self.players = self.block_games = players
        self.challengers = resolved.challengers
        self.field = [bot for bot in range(len(resolved.bots)) if bot not in self.challengers]
        n = len(self.field)
        self.base: tuple[tuple[int, ...], ...] = ()
        self.all_lineups = self.format == "round-robin" and n >= players
        if self.all_lineups:
            self.repetition = comb(n, players)
        else:
            self.base = base_blocks(n, players - bool(self.challengers))
            self.repetition = len(self.base) * n * max(1, len(self.challengers))
        self._shuffled = (-1, self.field)  # a repetition and its field

    def lineups(self, block: int) -> list[tuple[int, ...]]:
        """The line-up of each game of a block: once round the seats."""
        lineup = self.lineup(block)
        return [lineup[rotation:] + lineup[:rotation] for rotation in range(self.players)]

    def lineup(self, block: int) -> tuple[int, ...]:
        """Bots by seat, as indices into the tournament's bots, for rotation 0 of a block."""
        repetition, i = divmod(block, self.repetition)
        if self.all_lineups:
            lineup = [self.field[j] for j in combination(len(self.field), self.players, i)]
            self._shuffle(lineup, repetition, i)
            return tuple(lineup)
        if self.challengers:
            i, challenger = divmod(i, len(self.challengers))
            return (self.challengers[challenger], *self._cyclic(repetition, i))
        return self._cyclic(repetition, i)

    def balance(self) -> list[Balance]:
        """What holds in each repetition with all its rotations, for each group of bots."""
        lineups = [self.lineup(block) for block in range(self.repetition)]
        games = Counter(bot for lineup in lineups for bot in lineup)
        met = Counter(pair for lineup in lineups for pair in combinations(sorted(set(lineup)), 2))

        def span(counts: Iterable[int]) -> tuple[int, int]:
            found = sorted(counts)
            return found[0], found[-1]

        def group(name: str, bots: list[int], others: str, pairs: list[tuple[int, int]]) -> Balance:
            pair = span(self.players * met[pair] for pair in pairs) if pairs else None
            return Balance(name, span(games[bot] for bot in bots), others, pair)

        among = list(combinations(self.field, 2))
        if not self.challengers:
            return [group("the bots", self.field, "the others", among)]
        challengers = list(self.challengers)
        across = [(min(pair), max(pair)) for pair in product(challengers, self.field)]
        return [
            group("the challengers", challengers, "the other bots", across),
            group("the other bots", self.field, "their like", among),
        ]

    def _cyclic(self, repetition: int, i: int) -> tuple[int, ...]:
        """The i-th line-up of the cyclic design, whose numbers mean other bots in each repetition."""
        if self._shuffled[0] != repetition:
            self._shuffled = (repetition, self.field.copy())
            self._shuffle(self._shuffled[1], repetition)
        bots = self._shuffled[1]
        base, shift = divmod(i, len(bots))
        return tuple(bots[(number + shift) % len(bots)] for number in self.base[base])

    def _shuffle(self, bots: list[int], *place: int) -> None:
        Stream(derive_seed(self.seed, "lineup", self.format, self.players, *place)).shuffle(bots)


class MirroredDesign:
    """Tables on which the first two bots can be compared: what one has in a block's first game, the other has
    in its second.

    They fill the table, one with half of the seats or one more; or where there are other bots one of the two
    sits against those. Seats are drawn anew for every block.
    """

    repetition = 1
    block_games = 2

    def __init__(self, resolved: ResolvedTournament, players: int) -> None:
        self.seed = resolved.tournament.seed
        self.players = players
        self.others = list(range(2, len(resolved.bots)))

    def lineups(self, block: int) -> list[tuple[int, ...]]:
        """Bots by seat, as indices into the tournament's bots, of the two games of a block."""
        draw = Stream(derive_seed(self.seed, "lineup", "mirrored", self.players, block))
        if self.others:
            others = self.others.copy()
            draw.shuffle(others)
            first = [0, *(others[i % len(others)] for i in range(self.players - 1))]
        else:
            first = [i % 2 for i in range(self.players)]
        draw.shuffle(first)
        swap = {0: 1, 1: 0}
        return [tuple(first), tuple(swap.get(bot, bot) for bot in first)]

    def balance(self) -> list[Balance]:
        """Nothing holds for all bots alike; the first two are compared within each block."""
        return []


def combination(n: int, k: int, rank: int) -> list[int]:
    """The k-subset of 0 … n-1 with this rank in lexicographic order, ascending.

    Unranked by the combinatorial number system, so that no list of all subsets is ever needed.
    """
    chosen: list[int] = []
    for item in range(n):
        if len(chosen) == k:
            break
        with_item = comb(n - item - 1, k - len(chosen) - 1)
        if rank < with_item:
            chosen.append(item)
        else:
            rank -= with_item
    return chosen
