"""The reading half of the results database: what was played, counted and listed, ready for ratings."""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlite_utils import Database

from arena.columns import COLUMNS, POOL, wrong_values
from arena.config import (
    Fault,
    GameResult,
    GameSpec,
    Job,
    ResolvedTournament,
    Tournament,
    entrants,
    fingerprint,
)
from arena.database import clear_errors
from arena.errors import StoreError, hint
from arena.plugins import BotIdentity, labels
from arena.risk.edition import Edition
from arena.risk.result import Result
from arena.rows import (
    BotTotal,
    Ending,
    FaultRow,
    GameRow,
    Outcomes,
    PlayedPool,
    Seating,
    StoredGame,
    TournamentRow,
    TurnTotal,
)
from arena.validation import describe_error

M = TypeVar("M", bound=BaseModel)

_Place: TypeAlias = tuple[str | None, str, str, int]
"""Tournament, edition fingerprint, edition id, table size."""

_Lengths = defaultdict[_Place, Counter[int]]
"""By pool: number of rounds to number of games."""

_IN_POOL = """edition = :edition and players = :players
    and tournament in (
        select id from tournaments
        where (:tournament is null or name = :tournament) and (:since is null or created >= :since)
    )"""

# A seating is "turn bot,turn bot,…": group_concat promises no order.
_OUTCOMES = f"""
    select
        (select group_concat(turn || ' ' || bot) from seats where game = key),
        (winner_seat - starter + players) % players,
        seed
    from games where {_IN_POOL} order by tournament, key"""

# What the views bot_totals and turn_totals show, three times as fast.
_TOTALS = f"""
    select {{column}}, count(*), sum(winner_seat is seat), sum(winner_seat is null), sum(forfeit),
        sum(strikes)
    from games join seats on game = key where {_IN_POOL} group by {{column}} order by {{column}}"""

_ENDINGS = """
    select block, rotation, winner_seat,
        (select json_group_array(seat) from seats where game = key and forfeit)
    from games where tournament = ? and edition = ? and players = ? order by block, rotation"""

_BOTS = """
    select id, bot_id, version, options, source_hash, path
    from bots where id in (select value from json_each(?))"""

_LENGTHS = """
    with lengths as (
        select tournament, edition, players, status, rounds, count(*) as games
        from games group by edition, players, tournament, status, rounds
    )
    select t.name, edition, e.edition_id, players, status, rounds, games
    from lengths
    join tournaments t on t.id = tournament
    join editions e on e.fingerprint = edition
    where (:tournament is null or t.name = :tournament) and (:since is null or t.created >= :since)
    order by tournament, e.edition_id, edition, players"""

_VOIDS = """
    select t.name, edition, e.edition_id, players, count
    from voids
    join tournaments t on t.id = tournament
    join editions e on e.fingerprint = edition
    where :since is null or t.created >= :since"""

_GAMES = """
    select key, t.name, edition, e.edition_id, players, block, rotation, seed, starter, status,
        winner_seat, s.bot, rounds, rolls, g.decisions, digest, g.seconds, worker
    from games g
    join tournaments t on t.id = g.tournament
    join editions e on e.fingerprint = edition
    left join seats s on s.game = key and s.seat = winner_seat
    where :tournament is null or t.name = :tournament
    order by g.tournament, e.edition_id, edition, players, block, rotation"""

_SEATINGS = """
    select key, edition, players, block, rotation, seed,
        (select json_group_object(seat, bot) from seats where game = key)
    from games where tournament = ? order by edition, players, block, rotation"""

_GAME = """
    select g.*, t.name as tournament_name, e.edition_id, e.rules, t.config
    from games g
    join tournaments t on t.id = g.tournament
    join editions e on e.fingerprint = edition
    where key = ?"""

_FAULTS = """
    select f.game, t.name, b.id, b.name, b.version, seat, kind, round, decision, detail, forfeit, output
    from faults f
    join games g on g.key = f.game
    join tournaments t on t.id = g.tournament
    join bots b on b.id = bot
    where (:game is null or f.game = :game) and (:tournament is null or t.name = :tournament)
    order by f.id"""

_MISSING_SEATS = """
    select 'game ' || key || ': expected ' || players || ' seats, got ' || found
    from (
        select key, players,
            (select count(*) from seats where game = key and seat < players and turn < players) as found
        from games where :game is null or key = :game
    ) where found <> players"""

_CONTRADICTIONS = """
    select 'game ' || key || ': expected a winner that finished first, got seat ' || winner_seat
    from games where winner_seat is not null
    and not exists (select 1 from seats where game = key and seat = winner_seat and finish = 1)
    union all
    select 'game ' || key || ': seat ' || seat || ': expected its turn counted from the starter, got ' || turn
    from games join seats on game = key where turn <> (seat - starter + players) % players
    union all
    select 'game ' || game || ': seat ' || seat || ': expected ' || found || ' faults of which '
        || lost || ' forfeits, got ' || strikes || ' strikes and ' || forfeit || ' forfeits'
    from (
        select s.game, s.seat, strikes, s.forfeit, count(f.id) as found, ifnull(sum(f.forfeit), 0) as lost,
            ifnull(sum(kind in ('exception', 'illegal')), 0) as struck
        from seats s left join faults f on f.game = s.game and f.seat = s.seat
        group by s.game, s.seat
    ) where strikes <> struck or forfeit <> lost
    union all
    select 'game ' || key || ': seat ' || f.seat || ': expected a fault within ' || rounds || ' rounds and '
        || decisions || ' decisions, got round ' || round || ', decision ' || decision
    from games join faults f on f.game = key
    where round not between 0 and rounds or decision not between 0 and decisions"""


class History:
    """An open results database, for reading. Every method raises StoreError where it cannot be read."""

    def __init__(self, db: Database, path: Path) -> None:
        self.db = db
        self.path = path
        self._sound: set[tuple[str, str]] = set()
        """Tables and columns of which every value has been looked at."""

    def played(self, keys: Iterable[str]) -> set[str]:
        """Those of the keys whose games are stored."""
        sql = "select key from games where key in (select value from json_each(?))"
        return {key for (key,) in self._rows(sql, [json.dumps(list(keys))])}

    def count(self, tournament: int, edition: str, players: int, blocks: int) -> int:
        """Number of stored games of a pool of a tournament (its row), in blocks below `blocks`."""
        self._check("games", columns=("key", "tournament", "edition", "players", "block"))
        sql = "select count(*) from games where tournament = ? and edition = ? and players = ? and block < ?"
        place = [tournament, edition, players, min(blocks, sys.maxsize)]  # a larger one is no SQLite number
        return int(self._rows(sql, place)[0][0])

    def endings(self, tournament: int, edition: str, players: int) -> Iterator[Ending]:
        """The games of a pool of a tournament (its row), in the order of its schedule."""
        self._check("seats", "games")
        with clear_errors(self.path, "read"):
            for block, rotation, winner, forfeits in self.db.execute(
                _ENDINGS, [tournament, edition, players]
            ):
                yield Ending(block, rotation, winner, tuple(json.loads(forfeits)))

    def mean_seconds(self, edition: str, players: int) -> float | None:
        """How long a game of this edition (its fingerprint) and table size took; None where there is none."""
        self._check("games", columns=("key", "edition", "players", "seconds"))
        sql = "select avg(seconds) from games where edition = ? and players = ?"
        mean: float | None = self._rows(sql, [edition, players])[0][0]
        return mean

    def count_games(self) -> int:
        """Number of stored games."""
        return int(self._rows("select count(*) from games")[0][0])

    def tournaments(self, name: str | None = None) -> list[TournamentRow]:
        """The tournament of that name, or all, in the order in which they were first run.

        Raises StoreError for a tournament that is not there.
        """
        self._check("editions", "bots")
        self._check_tournament(name)
        games = "(select count(*) from games where tournament = tournaments.id)"
        sql = f"""
            select id, name, fingerprint, created, {games} from tournaments
            where :name is null or name = :name order by id"""
        return [TournamentRow(*row) for row in self._rows(sql, {"name": name})]

    def resolved(self, tournament: TournamentRow) -> ResolvedTournament:
        """The tournament as it was last run: enough for its schedule. Raises StoreError."""
        ((config,),) = self._rows("select config from tournaments where id = ?", [tournament.id])
        where = f"tournaments.config where id = {tournament.id}"
        declared, covered = self._parse(Tournament, config, where), self.covered(tournament.id)
        bots = tuple(BotIdentity(*bot) for bot in covered["bots"])
        if len(bots) != len(entrants(declared)):
            raise StoreError(
                f"{self.path}: {where}: expected {len(bots)} bots, got {len(entrants(declared))}"
            )
        editions = tuple(map(self._edition, covered["editions"].values()))
        resolved = ResolvedTournament(declared, editions, bots)
        for key in ("format", "players", "seed", "challengers"):
            if resolved.covered[key] != covered[key]:
                raise StoreError(
                    f"{self.path}: {where}: expected {key} {covered[key]}, got {resolved.covered[key]}"
                )
        return resolved

    def covered(self, tournament: int) -> dict[str, Any]:
        """What the fingerprint of a tournament (its row) is of. Raises StoreError for anything else."""
        ((text, expected),) = self._rows(
            "select covered, fingerprint from tournaments where id = ?", [tournament]
        )
        where = f"tournaments.covered where id = {tournament}"
        self._parse(_Covered, text, where)
        covered: dict[str, Any] = json.loads(text)
        if (found := fingerprint(covered)) != expected:
            raise StoreError(
                f"{self.path}: {where}: expected what has the fingerprint {expected}, got {found}"
            )
        return covered

    def _edition(self, fingerprint: str) -> Edition:
        rows = self._rows("select rules from editions where fingerprint = ?", [fingerprint])
        if not rows:
            raise StoreError(f"{self.path}: editions: expected a row of fingerprint {fingerprint}, got none")
        return self._parse(Edition, rows[0][0], f"editions.rules where fingerprint = {fingerprint!r}")

    def _parse(self, model: type[M], text: str, where: str) -> M:
        """The JSON of a column. Raises StoreError in one line."""
        try:
            return model.model_validate_json(text)
        except ValidationError as error:
            lines = describe_error(error, f"{self.path}: {where}", model)
            raise StoreError(lines.partition("\n")[0]) from None

    def pools(
        self,
        tournament: str | None = None,
        *,
        merge: bool = False,
        edition: str | None = None,
        players: int | None = None,
        since: str | None = None,
    ) -> list[PlayedPool]:
        """The pools of a tournament, or of all: one by one, or with `merge` equal pools as one.

        Only those of an edition (its id), of a table size, and of tournaments first run at `since` (ISO 8601)
        or later. Raises StoreError for a tournament, edition or table size that is not there, and for a day
        after which none with games was run.
        """
        self._check("editions", "bots", "voids", "seats", "games", columns=POOL)
        self._check_tournament(tournament)
        rounds, unfinished = _Lengths(Counter), _Lengths(Counter)
        voids: Counter[_Place] = Counter()
        for name, *place, status, length, games in self._rows(
            _LENGTHS, {"tournament": tournament, "since": since}
        ):
            pool: _Place = (None if merge else name, *place)
            rounds[pool][length] += games
            if status == "unfinished":
                unfinished[pool][length] += games
        for name, *place, count in self._rows(_VOIDS, {"since": since}):
            voids[None if merge else name, *place] += count
        pools = [
            PlayedPool(
                *pool,
                games=lengths.total(),
                unfinished=unfinished[pool].total(),
                voids=voids[pool],
                rounds=dict(sorted(lengths.items())),
                unfinished_rounds=dict(sorted(unfinished[pool].items())),
                since=since,
            )
            for pool, lengths in rounds.items()
        ]
        if since is not None and not pools:
            raise StoreError(
                f"{self.path}: since: expected games of tournaments first run on {since} or later, got none"
            )
        self._check_choice("edition", edition, [pool.edition_id for pool in pools])
        self._check_choice("players", players, [pool.players for pool in pools])
        return [
            pool for pool in pools if edition in (None, pool.edition_id) and players in (None, pool.players)
        ]

    def _check_choice(self, what: str, value: object, known: Iterable[object]) -> None:
        if value is not None and value not in known:
            found = hint(str(value), map(str, dict.fromkeys(known)))
            raise StoreError(
                f"{self.path}: {what}: expected one that was played here, got {value!r}: {found}"
            )

    def outcomes(self, pool: PlayedPool) -> Outcomes:
        """Who sat where and who won, for every game of a pool; the same order whoever played them when."""
        rows = self._rows(_OUTCOMES, _where(pool))
        seatings = {text: _parse_seating(text) for text in {text for text, _, _ in rows}}
        label = labels(self._bots({bot for seating in seatings.values() for bot in seating}))
        lineups = {text: tuple(label[bot] for bot in seating) for text, seating in seatings.items()}
        return Outcomes(
            [lineups[text] for text, _, _ in rows],
            [winner for _, winner, _ in rows],
            [seed for _, _, seed in rows],
        )

    def bot_totals(self, pool: PlayedPool) -> list[BotTotal]:
        """The counts of each bot of a pool, ordered by label."""
        counts = {bot: numbers for bot, *numbers in self._totals("bot", pool)}
        bots = self._bots(counts)
        totals = [BotTotal(label, bots[bot], *counts[bot]) for bot, label in labels(bots).items()]
        return sorted(totals, key=lambda total: total.label)

    def turn_totals(self, pool: PlayedPool) -> list[TurnTotal]:
        """The counts of each turn position of a pool, the starter's first."""
        return [TurnTotal(*row) for *row, _ in self._totals("turn", pool)]

    def games(self, tournament: str | None = None) -> Iterator[GameRow]:
        """The games of a tournament, or of all, each tournament's in the order of its schedule.

        Raises StoreError for a tournament that is not there.
        """
        self._check("editions", "seats", "games")
        self._check_tournament(tournament)
        label = self._labels()
        with clear_errors(self.path, "read"):
            for row in self.db.execute(_GAMES, {"tournament": tournament}):
                winner = None if row[10] is None else label[row[1], row[11]]
                yield GameRow(*[*row[:11], winner, *row[12:]])

    def seatings(self, tournament: TournamentRow) -> Iterator[Seating]:
        """The games of a tournament, block by block."""
        bots = self._bots()
        with clear_errors(self.path, "read"):
            for row in self.db.execute(_SEATINGS, [tournament.id]):
                seats = {int(seat): bots[bot] for seat, bot in json.loads(row[6]).items()}
                yield Seating(*[*row[:6], tuple(seats[seat] for seat in sorted(seats))])

    def faults(
        self, game: str | None = None, tournament: str | None = None, bot: str | None = None
    ) -> list[FaultRow]:
        """The faults of the game with this key, of a tournament, of a bot (its label, or id with options).

        All of them without; in the order in which they were stored. Raises StoreError for a tournament or bot
        that is not there.
        """
        self._check("faults", "games", columns=POOL)
        self._check_tournament(tournament)
        labels = self._labels()
        names = {name for (name,) in self._rows("select name from bots")} | {*labels.values()}
        if bot is not None and bot not in names:
            what = f"expected a bot that has played here, got {bot!r}: {hint(bot, sorted(names))}"
            raise StoreError(f"{self.path}: {what}")
        faults = []
        for key, played_in, row, name, version, fault in self._faults(game, tournament):
            label = labels[played_in, row]
            if bot in (None, label, name):
                faults.append(FaultRow(key, played_in, label, version, fault))
        return faults

    def _faults(self, game: str | None, tournament: str | None = None) -> Iterator[tuple[Any, ...]]:
        """Game, tournament, the bot's row, name and version, and the fault."""
        for row in self._rows(_FAULTS, {"game": game, "tournament": tournament}):
            *bot, seat, kind, round_, decision, detail, forfeit, output = row
            yield *bot, Fault(seat, kind, round_, decision, detail, bool(forfeit), output)

    def find(self, prefix: str) -> str:
        """The key of the one game that begins with `prefix`; StoreError where none or several do."""
        sql = "select key from games where key >= ? and key < ? order by key limit 2"
        keys = [key for (key,) in self._rows(sql, [prefix, prefix + "\U0010ffff"])]
        if len(keys) != 1:
            found = f"several ({keys[0]}, {keys[1]}, …)" if keys else "none"
            raise StoreError(f"{self.path}: expected one game whose key begins with {prefix!r}, got {found}")
        return str(keys[0])

    def game(self, key: str) -> StoredGame:
        """The game with this key; StoreError where there is none."""
        self._check("editions", "bots", "tournaments")
        self._check("faults", "seats", "games", game=key)
        rows = self._dicts(_GAME, [key])
        if not rows:
            raise StoreError(f"{self.path}: expected the key of a game, got {key!r}")
        game, seats = rows[0], self._dicts("select * from seats where game = ? order by seat", [key])
        bots = self._bots(seat["bot"] for seat in seats)
        lineup = tuple(list(bots).index(seat["bot"]) for seat in seats)
        faults = tuple(fault for *_, fault in self._faults(key))
        crashes = tuple(fault for fault in faults if not fault.is_strike)
        played = GameResult(
            GameSpec(key, game["edition"], game["block"], game["rotation"], game["seed"], lineup, crashes),
            _result(game, seats),
            faults,
            tuple(seat["seconds"] for seat in seats),
            game["seconds"],
            game["worker"],
            game["record"],
        )
        declared = self._parse(
            Tournament, game["config"], f"tournaments.config where id = {game['tournament']}"
        )
        rules, seconds = {game["edition"]: game["rules"]}, declared.limits.decision_seconds
        job = Job(rules, tuple(bots.values()), decision_seconds=seconds)
        name, label = game["tournament_name"], self._labels()
        return StoredGame(name, game["edition_id"], job, played, tuple(label[name, s["bot"]] for s in seats))

    def problems(self) -> list[str]:
        """What is wrong inside the database, a line each; empty when all is well."""
        try:
            damage = [text for (text,) in self._rows("pragma integrity_check") if text != "ok"]
        except StoreError as error:
            return [str(error)]
        wrong = [line for table in COLUMNS for line in self._wrong_values(table)]
        if damage or wrong:
            return damage + wrong
        missing = self._rows(_MISSING_SEATS, {"game": None})
        return [text for (text,) in [*missing, *self._rows(_CONTRADICTIONS)]]

    def _check(self, *tables: str, columns: Sequence[str] = (), game: str | None = None) -> None:
        """Look at every value of these tables, once: of games only at `columns`, and at those of a game.

        Raises StoreError for the first that its column does not hold, and where a game lacks seats.
        """
        for table in ("tournaments", *tables):
            wanted = columns if columns and table == "games" else COLUMNS[table]
            new = [name for name in wanted if (table, name) not in self._sound]
            for line in self._wrong_values(table, new, game) if new else ():
                raise StoreError(f"{self.path}: {line}")
            if table == "games" and "players" in new:
                for (line,) in self._rows(_MISSING_SEATS, {"game": game}):
                    raise StoreError(f"{self.path}: {line}")
            if game is None:
                self._sound |= {(table, name) for name in new}

    def _wrong_values(
        self, table: str, columns: Sequence[str] = (), game: str | None = None
    ) -> Iterator[str]:
        with clear_errors(self.path, "read"):
            yield from wrong_values(self.db, table, columns, game)

    def _totals(self, column: str, pool: PlayedPool) -> list[Any]:
        return self._rows(_TOTALS.format(column=column), _where(pool))

    def _labels(self) -> dict[tuple[str, int], str]:
        """By tournament and bot (its row): the label among the bots of that tournament."""
        self._check("bots")
        known = {identity: row for row, identity in self._bots().items()}
        found = _Labels(self.path)
        for tournament, name in self._rows("select id, name from tournaments order by id"):
            bots = {}
            for bot in self.covered(tournament)["bots"]:
                if (identity := BotIdentity(*bot)) not in known:
                    what = f"a row of {identity.name} {identity.version} of source {identity.source_hash}"
                    raise StoreError(
                        f"{self.path}: bots: expected {what}, which tournament {name} has, got none"
                    )
                bots[known[identity]] = identity
            found.update({(name, row): label for row, label in labels(bots).items()})
        return found

    def _bots(self, rows: Iterable[int] | None = None) -> dict[int, BotIdentity]:
        """The bots of these rows, or all."""
        if rows is None:
            rows = [row for (row,) in self._rows("select id from bots")]
        return {row: BotIdentity(*rest) for row, *rest in self._rows(_BOTS, [json.dumps(list(rows))])}

    def _check_tournament(self, name: str | None) -> None:
        names = [known for (known,) in self._rows("select name from tournaments order by id")]
        if name is not None and name not in names:
            raise StoreError(
                f"{self.path}: expected a tournament that was run here, got {name!r}: {hint(name, names)}"
            )

    def _rows(self, sql: str, params: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        with clear_errors(self.path, "read"):
            return self.db.execute(sql, params).fetchall()

    def _dicts(self, sql: str, params: Sequence[Any]) -> list[dict[str, Any]]:
        with clear_errors(self.path, "read"):
            return list(self.db.query(sql, params))


class _Labels(dict[tuple[str, int], str]):
    """By tournament and bot (its row): the label. Raises StoreError for a bot that does not play there."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def __missing__(self, key: tuple[str, int]) -> str:
        tournament, bot = key
        raise StoreError(
            f"{self.path}: bots where id = {bot}: expected one of tournament {tournament}, got another"
        )


class _Covered(BaseModel):
    """What of a tournament's `covered` has a shape of its own."""

    model_config = ConfigDict(strict=True)

    editions: dict[str, str]
    bots: list[tuple[str, str, str, str]]


def _where(pool: PlayedPool) -> dict[str, Any]:
    place = {"edition": pool.edition, "players": pool.players, "tournament": pool.tournament}
    return place | {"since": pool.since}


def _result(game: Mapping[str, Any], seats: Sequence[Mapping[str, Any]]) -> Result:
    fields: dict[str, Any] = {
        name: tuple(seat[name] for seat in seats)
        for name in ("finish", "eliminated_round", "territories", "troops")
    }
    fields |= {name: game[name] for name in ("starter", "rounds", "rolls", "decisions", "digest")}
    return Result(winner=game["winner_seat"], **fields)


def _parse_seating(text: str) -> list[int]:
    """The bots in turn order."""
    return [int(pair[2:]) for pair in sorted(text.split(","))]  # turn positions have one digit
