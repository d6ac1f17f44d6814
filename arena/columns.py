"""What each column of the results database holds: SQLite itself takes anything, and so do other programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, get_args

from sqlite_utils import Database

from arena.config import FaultKind
from arena.errors import shown
from arena.rows import LATER


class Column(NamedTuple):
    """What a column holds, in words and as a condition, in which {} is its name."""

    expected: str
    condition: str


TEXT: Final = Column("text", "typeof({}) = 'text'")
JSON: Final = Column("JSON", "typeof({}) = 'text' and json_valid({})")
BLOB: Final = Column("a blob or null", "typeof({}) in ('blob', 'null')")
FLAG: Final = Column("0 or 1", "{} in (0, 1)")
SECONDS: Final = Column("a number of seconds", "typeof({}) in ('real', 'integer') and {} between 0 and 1e12")


def _whole(least: int, most: int) -> Column:
    condition = f"typeof({{}}) = 'integer' and {{}} between {least} and {most}"
    return Column(f"a whole number from {least} to {most}", condition)


def _one_of(*words: str) -> Column:
    return Column(" or ".join(words), f"{{}} in {words!r}")


def _null_or(column: Column) -> Column:
    return Column(f"{column.expected}, or null", f"{{}} is null or {column.condition}")


def _row_of(table: str, key: str) -> Column:
    return Column(
        f"the {key} of a row of {table}", f"typeof({{}}) <> 'null' and {{}} in (select {key} from {table})"
    )


ROW: Final = Column("a whole number", "typeof({}) = 'integer'")
NUMBER: Final = Column("a whole number from 0", "typeof({}) = 'integer' and {} >= 0")
COUNT: Final = _whole(0, LATER)
SEAT: Final = _whole(0, 5)
TABLE_SIZE: Final = _whole(2, 6)

COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "tournaments": {
        "id": ROW,
        "name": TEXT,
        "config": JSON,
        "covered": JSON,
        "fingerprint": TEXT,
        "created": TEXT,
    },
    "bots": {
        "id": ROW,
        "name": TEXT,
        "bot_id": TEXT,
        "version": TEXT,
        "options": TEXT,
        "source_hash": TEXT,
        "isolation": TEXT,
        "path": TEXT,
        "created": TEXT,
    },
    "editions": {"fingerprint": TEXT, "edition_id": TEXT, "rules": JSON},
    "seats": {
        "game": _row_of("games", "key"),
        "seat": SEAT,
        "turn": SEAT,
        "bot": _row_of("bots", "id"),
        "finish": _null_or(_whole(1, 6)),
        "eliminated_round": _null_or(COUNT),
        "territories": COUNT,
        "troops": NUMBER,
        "strikes": COUNT,
        "forfeit": FLAG,
        "seconds": SECONDS,
    },
    "games": {
        "key": TEXT,
        "tournament": _row_of("tournaments", "id"),
        "edition": _row_of("editions", "fingerprint"),
        "players": TABLE_SIZE,
        "block": NUMBER,
        "rotation": COUNT,
        "seed": NUMBER,
        "starter": Column("a seat of the game", "typeof({}) = 'integer' and {} between 0 and players - 1"),
        "status": _one_of("finished", "unfinished"),
        "winner_seat": Column(
            "a seat of the game, or null where it is unfinished",
            "case when status = 'unfinished' then {} is null"
            " else typeof({}) = 'integer' and {} between 0 and players - 1 end",
        ),
        "rounds": COUNT,
        "rolls": NUMBER,
        "decisions": NUMBER,
        "digest": TEXT,
        "seconds": SECONDS,
        "worker": TEXT,
        "record": BLOB,
    },
    "faults": {
        "id": ROW,
        "game": _row_of("games", "key"),
        "seat": SEAT,
        "bot": _row_of("bots", "id"),
        "kind": _one_of(*get_args(FaultKind)),
        "round": COUNT,
        "decision": NUMBER,
        "forfeit": FLAG,
        "detail": TEXT,
        "output": TEXT,
    },
    "voids": {
        "game": TEXT,
        "tournament": _row_of("tournaments", "id"),
        "edition": _row_of("editions", "fingerprint"),
        "players": TABLE_SIZE,
        "reason": TEXT,
        "count": _whole(1, LATER),
    },
}
"""By table and column."""

_KEYS = {"seats": ("game", "seat"), "editions": ("fingerprint",), "games": ("key",), "voids": ("game",)}

POOL: Final = (
    *("key", "tournament", "edition", "players", "seed"),
    *("starter", "status", "winner_seat", "rounds"),
)
"""Columns of games that an index has: the records are not read through for them."""


def wrong_values(
    db: Database, table: str, columns: Sequence[str] = (), game: str | None = None
) -> Iterator[str]:
    """A line for each value that its column does not hold: of a table, of these columns of it, of a game.

    Raises what SQLite does.
    """
    keys = _KEYS.get(table, ("id",))
    held = {name: column for name, column in COLUMNS[table].items() if not columns or name in columns}
    wrong = [f"(({column.condition.replace('{}', name)}) is not true)" for name, column in held.items()]
    told = [text for name in (*keys, *held) for text in (f"typeof({name})", f"cast({name} as blob)")]
    where = "true" if game is None else f"{'key' if table == 'games' else 'game'} = :game"
    sql = f"select {', '.join(told + wrong)} from {table} where ({' or '.join(wrong)}) and {where}"
    for row in db.execute(sql, {"game": game}):
        values = [_shown(*row[i : i + 2]) for i in range(0, len(told), 2)]
        place = " and ".join(f"{key} = {value}" for key, value in zip(keys, values, strict=False))
        found = zip(held.items(), values[len(keys) :], row[len(told) :], strict=True)
        for (name, column), value, is_wrong in found:
            if is_wrong:
                yield f"{table}.{name} where {place}: expected {column.expected}, got {value}"


def _shown(kind: str, value: bytes | None) -> str:
    """A value of SQLite's, given as its type and its bytes: text may be no UTF-8."""
    if value is None:
        return "null"
    if kind == "blob":
        return f"a blob of {len(value)} bytes"
    text = value.decode(errors="backslashreplace")
    return shown(text) if kind == "text" else text
