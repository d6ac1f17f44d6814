"""Which files are a bot's own source, and how what is in files is read."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from arena.errors import PluginError
from arena.source import describe, hash_source

API_ONLY = "import arena\nfrom arena.bot import Bot\nimport random\n"


@pytest.fixture
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package on the path, with a helper module."""
    folder = tmp_path / "zoo"
    (folder / "bots").mkdir(parents=True)
    for file in ("__init__.py", "bots/__init__.py", "helper.py"):
        (folder / file).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "zoo"]:
        del sys.modules[name]


def hashes_around_a_change(module: str, changed: Path) -> tuple[str, str]:
    """The module's hash before and after a line more in the file."""
    loaded = import_module(module)
    before = hash_source(loaded)
    changed.write_text(changed.read_text() + "# more\n")
    return before, hash_source(loaded)


def test_module_that_needs_nothing_of_its_package_is_hashed_alone(zoo: Path) -> None:
    (zoo / "bots" / "lion.py").write_text(API_ONLY)
    before, after = hashes_around_a_change("zoo.bots.lion", zoo / "helper.py")
    assert before == after


def test_module_is_hashed_with_its_content(zoo: Path) -> None:
    (zoo / "bots" / "lion.py").write_text(API_ONLY)
    before, after = hashes_around_a_change("zoo.bots.lion", zoo / "bots" / "lion.py")
    assert before != after


@pytest.mark.parametrize(
    "line",
    [
        "import zoo.helper",
        "from zoo import helper",
        "from zoo.helper import *",
        "from .. import helper",
        "from ..helper import *",
    ],
)
def test_module_that_imports_from_its_package_is_hashed_with_all_of_it(zoo: Path, line: str) -> None:
    (zoo / "bots" / "lion.py").write_text(f"{API_ONLY}{line}\n")
    before, after = hashes_around_a_change("zoo.bots.lion", zoo / "helper.py")
    assert before != after


def test_package_is_hashed_with_every_file_of_the_top_level_package(zoo: Path) -> None:
    before, after = hashes_around_a_change("zoo.bots", zoo / "helper.py")
    assert before != after


def test_renamed_file_changes_the_hash(zoo: Path) -> None:
    package = import_module("zoo")
    before = hash_source(package)
    (zoo / "helper.py").rename(zoo / "assistant.py")
    assert hash_source(package) != before


def test_plugin_without_its_source_is_refused(zoo: Path) -> None:
    (zoo / "bots" / "lion.py").write_text(API_ONLY)
    module = import_module("zoo.bots.lion")
    (zoo / "bots" / "lion.py").unlink()
    with pytest.raises(PluginError, match=r"lion\.py: expected a plugin with its source: No such file"):
        hash_source(module)


def test_error_is_described_in_one_line_with_its_place() -> None:
    def fail() -> None:
        raise ValueError("first\n\n  second")

    with pytest.raises(ValueError, match="first") as caught:
        fail()
    line = fail.__code__.co_firstlineno + 1
    assert describe(caught.value) == f"ValueError: first second (test_source.py, line {line})"
