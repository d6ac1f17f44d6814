"""What SQLite and the file system refuse, as errors for a person."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import StoreError


@contextmanager
def clear_errors(path: Path, done: str) -> Iterator[None]:
    """Raise what SQLite or the file system refuses as a StoreError; `done` says what could not be."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # our mistake, not the database's
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: expected a database that can be {done}, got: {error}") from error
    except UnicodeEncodeError as error:
        found = ascii(str(error.object)[:40])
        raise StoreError(f"{path}: expected text that UTF-8 can hold, got {found}") from None
    except OSError as error:
        raise StoreError(f"{path}: expected a file that can be {done}, got: {error.strerror}") from error
