"""`arena new bot`: a project that installs, passes its own test and offends no checker."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import call, complaint_of
from subprocesses import in_another_process

from arena.errors import ArenaError
from arena.plugins import load_registry
from arena.scaffold import new_bot

ROOT = Path(__file__).parents[1]
REGISTRY = load_registry()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a new project, made by the command."""
    monkeypatch.chdir(tmp_path)
    result = call("new", "bot", "iron-fist-2")
    assert (result.exit_code, result.stderr.partition(":")[0]) == (0, "next")
    assert result.stdout.split() == [
        f"iron-fist-2/{name}"
        for name in ("README.md", "iron_fist_2.py", "league.toml", "pyproject.toml", "test_iron_fist_2.py")
    ]
    return tmp_path / "iron-fist-2"


def test_no_name_of_the_template_is_left(project: Path) -> None:
    for file in project.iterdir():
        assert not {"my-bot", "my_bot", "MyBot"} & set(file.read_text().replace("`", " ").split()), file
    assert "class IronFist2(Bot):" in (project / "iron_fist_2.py").read_text()


def test_files_are_clean(project: Path) -> None:
    pytest.importorskip("mypy")
    bare = ("--no-site-packages", "--disable-error-code", "untyped-decorator")  # without pluggy's types
    for command in (
        ["ruff", "check", "--isolated", "--no-cache", "--extend-select", "E,I,N,RUF,UP,W"],
        ["ruff", "format", "--isolated", "--no-cache", "--check"],
        ["mypy", "--strict", "--cache-dir", os.devnull, "--follow-imports", "silent", *bare],
    ):
        run(project, *command, ".", MYPYPATH=str(ROOT))


def test_project_is_installed_and_its_bot_found(project: Path, tmp_path: Path) -> None:
    site = install(project, tmp_path)
    code = """if True:
        import arena, json
        from arena.plugins import load_registry
        registry = load_registry()
        bot = registry.bots["iron-fist-2"]
        result = arena.play("hasbro-us-2003", ["iron-fist-2", "iron-fist-2:margin=4", "greedy"], seed=1)
        print(json.dumps([registry.problems, bot.version, bot.plugin.registered, len(result.faults)]))
    """
    found = json.loads(in_another_process(code, PYTHONPATH=site))
    assert found == [[], "0.1", ["bot iron-fist-2"], 0]


def run(folder: Path, *command: str, **environment: str) -> str:
    """What a Python program prints in the folder; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def install(project: Path, folder: Path) -> str:
    """A folder in which pip has installed the project, and nothing else."""
    site = str(folder / "site")
    how = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--target", site)
    run(folder, "pip", "install", *how, str(project))
    return site


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("My Bot", "bot: expected a kebab-case id such as my-bot, got 'My Bot'"),
        ("../up", "bot: expected a kebab-case id such as my-bot, got '../up'"),
        ("greedy", "bot greedy: expected a new id, got that of plugin arena.bots.greedy"),
        ("random", "bot random: expected the name of no module, got that of random"),
        ("2-fast", "bot 2-fast: expected a name that begins with a letter, got '2'"),
        ("class", "bot class: expected a name for a module and a class, got a word of Python's own"),
        ("true", "bot true: expected a name for a module and a class, got a word of Python's own"),
        ("setup", "bot setup: expected the name of no module, got that of setup"),
        ("risk-arena", "bot risk-arena: expected the name of no package, got that of installed risk-arena"),
        ("attack", "bot attack: expected a name for a new class, got Attack, which its file has"),
        ("there", "{folder}/there: expected a new folder, got one that is there"),
    ],
)
def test_name_that_will_not_do_is_refused_and_nothing_is_written(
    name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(ArenaError) as caught:
        new_bot(name, REGISTRY, tmp_path)
    assert str(caught.value).startswith(message.format(folder=tmp_path))
    assert [file.name for file in tmp_path.rglob("*")] == ["there"]


def test_command_refuses_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert complaint_of("new", "bot", "greedy").startswith("bot greedy: expected a new id, ")
