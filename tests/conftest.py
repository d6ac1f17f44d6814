"""Fixtures of several test modules."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playing import MARK, left_behind

import arena
from arena.risk.edition import Edition


@pytest.fixture(scope="session")
def hasbro() -> Edition:
    """The edition of most tests."""
    return arena.load_edition("hasbro-us-2003")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test may have a results database made."""
    return tmp_path / "arena.db"


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """The mark of every process that the test starts; none may be left."""
    mark = f"{os.getpid()} {request.node.name}"
    monkeypatch.setenv(MARK, mark)
    yield mark
    assert left_behind(mark) == []
