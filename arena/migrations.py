"""The tables of the results database: numbered steps, each released once and never edited after that."""

import glob
from pathlib import Path
from textwrap import dedent

from sqlite_utils import Database, Migrations

from arena.errors import StoreError

migrations = Migrations("arena")

LATEST = "m003_output"
"""The name of the last step below; names sort in the order of the steps."""


@migrations()
def m001_tables(db: Database) -> None:
    """Everything that a run writes down."""
    db.executescript(
        dedent("""\
        create table tournaments (
            id integer primary key,
            name text not null unique,
            config text not null, -- JSON: the whole tournament, as it was last run
            covered text not null, -- JSON: what the fingerprint is a hash of
            fingerprint text not null unique,
            created text not null
        );
        create table bots (
            id integer primary key,
            name text not null, -- bot_id:options
            bot_id text not null,
            version text not null,
            options text not null,
            source_hash text not null,
            isolation text not null default 'in-process',
            path text not null default '', -- of a bot given as a file: where it was last
            created text not null,
            unique (bot_id, version, options, source_hash, isolation)
        );
        create table editions (
            fingerprint text primary key not null,
            edition_id text not null,
            rules text not null -- JSON: the edition with its map
        );
        create table games (
            key text primary key not null,
            tournament integer not null references tournaments (id),
            edition text not null references editions (fingerprint),
            players integer not null,
            block integer not null,
            rotation integer not null,
            seed integer not null,
            starter integer not null,
            status text not null check (status in ('finished', 'unfinished')),
            winner_seat integer check ((winner_seat is null) = (status = 'unfinished')),
            rounds integer not null,
            rolls integer not null,
            decisions integer not null,
            digest text not null,
            seconds real not null,
            worker text not null,
            record blob
        );
        create table seats (
            game text not null references games (key),
            seat integer not null,
            turn integer not null,
            bot integer not null references bots (id),
            finish integer,
            eliminated_round integer,
            territories integer not null,
            troops integer not null,
            strikes integer not null,
            forfeit integer not null check (forfeit in (0, 1)),
            seconds real not null,
            primary key (game, seat)
        ) without rowid;
        create table faults (
            id integer primary key,
            game text not null references games (key),
            seat integer not null,
            bot integer not null references bots (id),
            kind text not null,
            round integer not null,
            decision integer not null,
            forfeit integer not null check (forfeit in (0, 1)),
            detail text not null
        );
        create table voids (
            game text primary key not null, -- no row of games until it was played again with success
            tournament integer not null references tournaments (id),
            edition text not null references editions (fingerprint),
            players integer not null,
            reason text not null, -- of the last time
            count integer not null
        );
        -- all of a game that ratings need: they never read through the records
        create index games_pool on games
            (edition, players, tournament, key, starter, winner_seat, status, seed, rounds);
        create index faults_game on faults (game);
    """)
    )


@migrations()
def m002_totals(db: Database) -> None:
    """Raw counts to look at; a bot with several seats in a game counts once for each."""
    bot_name = "(select name from bots where id = bot) as bot_name, "
    for view, column, name in (("bot_totals", "bot", bot_name), ("turn_totals", "turn", "")):
        db.executescript(
            dedent(f"""\
            create view {view} as
            select
                (select name from tournaments where id = tournament) as tournament_name,
                (select edition_id from editions where fingerprint = edition) as edition_id,
                {name}*
            from (
                select
                    g.tournament, g.edition, g.players, s.{column},
                    count(*) as games,
                    sum(g.winner_seat is s.seat) as wins,
                    sum(g.status = 'unfinished') as unfinished,
                    sum(s.forfeit) as forfeits
                from games g join seats s on s.game = g.key
                group by g.edition, g.players, g.tournament, s.{column}
            );
        """)
        )


@migrations()
def m003_output(db: Database) -> None:
    """What a bot had printed."""
    db.executescript("alter table faults add column output text not null default '';")


def check_schema(db: Database, path: Path, *, migrate: bool) -> None:
    """Raise StoreError unless `db` is a results database that this version can use.

    With `migrate` an older one or an empty file will do.
    """
    applied = [migration.name for migration in migrations.applied(db)]
    tables = [name for name in db.table_names() if name != migrations.migrations_table]
    if not applied and (tables or not migrate):
        found = f"one with the tables {', '.join(tables)}" if tables else "an empty one"
        raise StoreError(f"{path}: expected a results database of arena, got {found}")
    if newer := [name for name in applied if name > LATEST]:
        raise StoreError(
            f"{path}: expected tables up to {LATEST}, got {newer[-1]}, made by a newer version of arena"
        )
    if LATEST not in applied and not migrate:
        raise StoreError(
            f"{path}: expected tables up to {LATEST}, got {applied[-1]}, made by an older version of arena;"
            " the next `arena run` on it brings them up to date"
        )


def migrate_schema(db: Database, path: Path) -> None:
    """Bring the tables up to date. A copy of a database that has any is put beside it first."""
    applied = migrations.applied(db)
    if applied and migrations.pending(db):
        _back_up(db, path.with_name(f"{path.name}.{applied[-1].name}"))
    migrations.apply(db)


def _back_up(db: Database, place: Path) -> None:
    """Copy the database there, or beside an earlier copy; never over one, and never a part only."""
    others = sum(1 for _ in place.parent.glob(f"{glob.escape(place.name)}*"))
    place = place.with_name(f"{place.name}.{others}") if others else place
    try:
        with Database(place, execute_plugins=False) as copy:
            db.conn.backup(copy.conn)
    except BaseException:
        place.unlink(missing_ok=True)
        raise
