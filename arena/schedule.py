"""The schedule of a tournament: pools, blocks, line-ups, seeds and keys, all pure functions of it.

In a block one line-up goes once round the seats, on one seed: the start roll is the same in all of it, and
each bot sits once in each seat and once in each turn position. Which line-ups and seeds there are depends on
the tournament's seed and the table size alone: editions are played on the same ones, and more blocks leave
the earlier ones as they were.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from math import comb

from arena.config import GameSpec, ResolvedTournament
from arena.risk.edition import Edition
from arena.risk.stream import Stream, derive_seed


@dataclass(frozen=True, slots=True)
class Pool:
    """All games of one edition and table size."""

    edition: Edition
    players: int
    blocks: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.blocks * self.players


def pools(resolved: ResolvedTournament) -> list[Pool]:
    """The tournament's pools, each with its number of blocks rounded up to a whole number of repetitions."""
    wanted = resolved.tournament.blocks
    sizes = resolved.tournament.table_sizes
    repetitions = {players: Design(resolved, players).repetition for players in sizes}
    return [
        Pool(edition, players, -(-wanted // repetitions[players]) * repetitions[players])
        for edition in resolved.editions
        for players in sizes
    ]


def specs(resolved: ResolvedTournament) -> Iterator[GameSpec]:
    """Every game of the tournament, in order: pool by pool, block by block, rotation by rotation."""
    for pool in pools(resolved):
        design = Design(resolved, pool.players)
        edition = pool.edition.fingerprint
        for block in range(pool.blocks):
            lineup = design.lineup(block)
            seed = derive_seed(resolved.tournament.seed, "block", pool.players, block)
            for rotation in range(pool.players):
                yield GameSpec(
                    key=game_key(resolved.fingerprint, edition, pool.players, block, rotation),
                    edition=edition,
                    block=block,
                    rotation=rotation,
                    seed=seed,
                    lineup=lineup[rotation:] + lineup[:rotation],
                )


def game_key(tournament: str, edition: str, players: int, block: int, rotation: int) -> str:
    """The game's key: hex digest of the tournament's and the edition's fingerprints and its place."""
    text = f"{tournament}/{edition}/{players}/{block}/{rotation}"
    return blake2b(text.encode(), digest_size=10).hexdigest()


class Design:
    """Which bots meet: the line-up of each block for one table size.

    After each repetition of `repetition` blocks every bot (in a gauntlet: every challenger, and every other
    bot) has sat in as many of them as the next.
    """

    def __init__(self, resolved: ResolvedTournament, players: int) -> None:
        self.format = resolved.tournament.format
        self.seed = resolved.tournament.seed
        self.players = players
        self.challengers = resolved.challengers
        self.field = [bot for bot in range(len(resolved.bots)) if bot not in self.challengers]
        n = len(self.field)
        if self.format == "gauntlet":
            self.repetition = n * len(self.challengers)
        elif self.format == "round-robin" and n >= players:
            self.repetition = comb(n, players)
        else:
            self.repetition = n

    def lineup(self, block: int) -> tuple[int, ...]:
        """Bots by seat, as indices into the tournament's bots, for rotation 0 of a block."""
        repetition, i = divmod(block, self.repetition)
        if self.format == "gauntlet":
            i, challenger = divmod(i, len(self.challengers))
            return (self.challengers[challenger], *self._cyclic(repetition, i, self.players - 1))
        if self.format == "round-robin" and len(self.field) >= self.players:
            lineup = [self.field[j] for j in combination(len(self.field), self.players, i)]
            self._shuffle(lineup, repetition, i)
            return tuple(lineup)
        return self._cyclic(repetition, i, self.players)

    def _cyclic(self, repetition: int, i: int, size: int) -> tuple[int, ...]:
        """The i-th of n line-ups made by moving one round the shuffled field."""
        field = self.field.copy()
        self._shuffle(field, repetition)
        return tuple(field[(i + j) % len(field)] for j in range(size))

    def _shuffle(self, bots: list[int], *place: int) -> None:
        Stream(derive_seed(self.seed, "lineup", self.format, self.players, *place)).shuffle(bots)


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
