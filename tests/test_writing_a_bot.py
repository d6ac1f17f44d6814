"""The page for authors of bots: its files play, its commands run."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tournaments import query, write_tournament

import arena
from arena.plugins import load_registry
from arena.position_tests import load_position_tests, run_position_tests

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "writing-a-bot.md").read_text()
BIN = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    """The page's blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def commands(first: str) -> list[str]:
    """The lines of the page's block of commands that begins so."""
    (block,) = [block for block in blocks("sh") if block.startswith(first)]
    return block.splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with every file of the page in it."""
    for block in blocks("python"):
        if name := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / name[1]).write_text(block[name.end() :])
    (tmp_path / "positions").mkdir()
    (tmp_path / "positions" / "one.json").write_text(*blocks("json"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str, folder: Path, *codes: int, typed: str = "", **environment: str) -> str:
    """What a command of the page prints, in the environment of the tests."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | environment | {"PATH": path},
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode in (codes or (0,)), f"{command}\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize("bot", ["careful.py", "careful.py:confidence=0.9", "dreamer.py"])
def test_bots_of_the_page_attack_and_play_without_a_fault(folder: Path, bot: str) -> None:
    result = arena.play("house-four-shores", [bot, "turtle", bot], seed=2)
    assert result.faults == ()
    rolls = arena.play("house-four-shores", [arena.Bot, "turtle", arena.Bot], seed=2).result.rolls
    assert result.result.rolls > rolls


def test_files_of_the_page_are_typed(folder: Path) -> None:
    pytest.importorskip("mypy")
    names = " ".join(sorted(file.name for file in folder.glob("*.py")))
    assert names == "careful.py dreamer.py test_careful.py"
    how = f"--strict --no-site-packages --follow-imports silent --cache-dir {os.devnull}"
    run(f"python -m mypy {how} {names}", folder, MYPYPATH=str(ROOT))
    run("python -m ruff check --isolated --no-cache .", folder)


def test_position_of_the_page_is_a_test_that_its_bot_passes(folder: Path, mark: str) -> None:
    registry = load_registry()
    (outcome,) = run_position_tests(
        registry.identify("careful.py"), load_position_tests(folder / "positions", registry)
    )
    assert outcome.problem == ""
    assert outcome.order.startswith("attack eastern-australia from ")


def test_python_of_the_page_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [block for block in blocks("python") if not block.startswith("# ")]
    exec(compile(block, "writing-a-bot.md", "exec"), {})
    assert capsys.readouterr().out.endswith(" ()\n")


@pytest.mark.slow
def test_commands_for_a_file_run(folder: Path) -> None:
    check, positions = commands("arena check careful.py")
    assert "careful 1: passed" in run(check, folder)
    assert "10 of 12 passed" in run(positions, folder, 1)
    run("python -m pytest -q -p no:cacheprovider", folder)


@pytest.mark.slow
def test_commands_for_debugging_run(folder: Path) -> None:
    write_tournament(folder, name="one", edition="hasbro-us-2003", bots=["careful.py"], copies=True, blocks=1)
    run("arena run one.toml --executor local", folder)
    ((key, decisions),) = query(folder / "results" / "arena.db", "select key, decisions from games limit 1")
    part, again, stop = [line.replace("GAME", key) for line in commands("arena replay GAME")]
    stop = stop.replace("230", str(decisions // 2))
    assert len(run(part, folder).splitlines()) == min(61, max(0, decisions + 1 - 200))
    assert "now:" not in run(again, folder)
    assert "(Pdb)" in run(stop, folder, 130, typed="q\n")


@pytest.mark.slow
def test_newcomers_commands_lead_to_a_rated_bot(tmp_path: Path) -> None:
    new, enter, install, *rest = commands("arena new bot")
    run(new, tmp_path)
    project = tmp_path / enter.removeprefix("cd ")
    assert install == "pip install -e . pytest"
    site = str(tmp_path / "site")  # without the network, and without touching the environment of the tests
    run(f"python -m pip install -q --no-deps --no-build-isolation --target {site} .", project)
    seen: list[tuple[str, Callable[[str], bool]]] = [
        ("arena bots", lambda text: "options, as in my-bot:margin" in text),
        ("arena test-positions", lambda text: " of 12 passed" in text),
        ("pytest", lambda text: "1 passed" in text),
        (
            "arena run",
            lambda text: re.search(r"^ [1-5] +my-bot +0\.1 +\d+ +± ", text, re.MULTILINE) is not None,
        ),
    ]
    assert len(rest) == len(seen)
    for command, (words, is_right) in zip(rest, seen, strict=True):
        assert command.startswith(words)
        codes = (0, 1) if "positions" in command else (0,)
        text = run(command, project, *codes, PYTHONPATH=site)
        assert is_right(text), text
