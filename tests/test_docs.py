"""What the pages say is so: their code runs, and they name what there is."""

import inspect
import json
import pkgutil
import re
import shlex
from pathlib import Path
from types import ModuleType
from typing import Any

import bot_reference
import click
import pytest
import yaml
from commands import call, data_of, stdout_of
from subprocesses import in_another_process
from tournaments import REGISTRY, HereExecutor, write_tournament

import arena
from arena import hookspecs
from arena.cli import COMMANDS, main
from arena.cli.compare import compare_command
from arena.cli.plan import plan_command
from arena.compare import PRESETS, Terms
from arena.config import Limits, Tournament, load_tournament
from arena.plugins import build_manager
from arena.position_tests import POSITIONS, PositionResult, load_position_tests
from arena.run import run
from arena.schedule import pools
from arena.store import open_store
from arena.testing import Check, Report, Times

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
REGRESSION = (ROOT / "docs" / "regression.md").read_text()
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def blocks(language: str) -> list[str]:
    """The README's code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.fixture
def tutorial(tmp_path: Path) -> Path:
    """A folder in which somebody did what "Your first bot" says; the tournament's file."""
    (bot, _), (tournament,) = blocks("python"), blocks("toml")
    (tmp_path / "opportunist.py").write_text(bot)
    (tmp_path / "mine.toml").write_text(tournament)
    return tmp_path / "mine.toml"


# --- the README


def test_first_bot_of_the_readme_is_as_short_as_promised_and_plays_without_a_fault(tutorial: Path) -> None:
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) <= 15
    bot = str(tutorial.with_name("opportunist.py"))
    for seed in range(5):
        result = arena.play("hasbro-us-2003", [bot, "greedy", "turtle"], seed=seed)
        assert result.faults == ()
        assert result.result.rolls > 0


def test_first_bot_of_the_readme_attacks(tutorial: Path) -> None:
    bot = str(tutorial.with_name("opportunist.py"))
    rolls = [arena.play("hasbro-us-2003", [one] * 3, seed=1).result.rolls for one in (bot, arena.Bot)]
    assert rolls[0] > rolls[1] == 0


def test_first_tournament_of_the_readme_is_played(tutorial: Path) -> None:
    resolved = load_tournament(str(tutorial), REGISTRY)
    assert [pool.games for pool in pools(resolved)] == [200]
    progress = run(
        load_tournament(str(tutorial), REGISTRY, blocks=1), tutorial.with_suffix(".db"), HereExecutor()
    )
    assert progress.done == progress.total == 20


def test_python_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    exec(compile(blocks("python")[1], "README.md", "exec"), names)
    assert names["result"].result.rounds > 0
    again = arena.load_position(names["position"])
    assert again.decision == names["game"].decision == "claim"
    assert "(2890, 7776)" in capsys.readouterr().out


@pytest.mark.slow
def test_standings_of_the_readme_are_those_of_the_quick_start(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```\n(quick .*?)^```$", README, re.DOTALL | re.MULTILINE)
    done = call("run", "quick", "--executor", "local", "--db", tmp_path / "arena.db")
    assert done.stdout.startswith(shown)


def test_readme_explains_every_key_of_a_tournament() -> None:
    keys = re.findall(r"^\| `([\w.]+)` \|", README, re.MULTILINE)
    limits = [f"limits.{key}" for key in Limits.model_fields]
    assert sorted(keys) == sorted([*limits, *(key for key in Tournament.model_fields if key != "limits")])


def test_readme_names_every_command_and_a_page_has_a_section_for_each() -> None:
    table = re.findall(r"^\| [a-z ]+ \| (`arena .*) \|$", README, re.MULTILINE)
    assert sorted(re.findall(r"`arena ([\w-]+)`", "".join(table))) == sorted(COMMANDS)
    page = (ROOT / "docs" / "commands.md").read_text()
    assert re.findall(r"^## arena ([\w-]+)$", page, re.MULTILINE) == list(COMMANDS)


def test_links_of_the_pages_lead_to_files() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_readme_leads_to_every_page() -> None:
    assert {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= set(
        re.findall(r"\]\((docs/[^)#]+)", README)
    )


# --- hooks


def test_every_hook_is_documented_with_its_exact_arguments() -> None:
    manager = build_manager()
    hooks = [name for name in vars(hookspecs) if name.startswith("register_")]
    assert set(hooks) == set(vars(manager.hook))
    for name in hooks:
        hook = getattr(hookspecs, name)
        (register,) = inspect.signature(hook).parameters.values()
        taken = list(inspect.signature(register.annotation.__call__).parameters)[1:]
        (call,) = re.findall(r"`register\(([^)]*)\)`", inspect.getdoc(hook) or "")
        assert [argument.partition("=")[0].strip() for argument in call.split(",")] == taken, name
        assert register.name == "register"


def test_every_argument_of_registering_a_bot_is_explained() -> None:
    text = inspect.getdoc(hookspecs.RegisterBot.__call__) or ""
    for name in list(inspect.signature(hookspecs.RegisterBot.__call__).parameters)[1:]:
        assert f"`{name}`" in text


# --- the page about comparisons


def test_github_actions_example_is_a_workflow_whose_jobs_can_run() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", REGRESSION, re.DOTALL | re.MULTILINE)
    workflow = yaml.safe_load(text)
    assert workflow[True] == "pull_request"  # in YAML 1.1 the key `on` is a boolean
    (job,) = workflow["jobs"].values()
    assert job["runs-on"].startswith("ubuntu")
    checkouts = set()
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+(/[a-z]+)?@v\d+", step["uses"])
            checkouts |= {step["with"]["path"]} if "checkout" in step["uses"] else set()
    (command,) = [step["run"] for step in job["steps"] if step.get("run", "").startswith("arena compare")]
    arguments = shlex.split(command.partition("||")[0])[2:]
    parent = click.Context(main, **main.context_settings)
    context = compare_command.make_context("compare", arguments, parent)
    assert {str(context.params[bot]).partition("/")[0] for bot in ("new", "old")} < checkouts


def test_the_page_about_comparisons_knows_the_presets_and_the_options() -> None:
    rows = re.findall(r"^\| `([a-z-]+)`.*? \| (-?\d+), (\d+) \|.*\| ([\d,]+) \|$", REGRESSION, re.MULTILINE)
    told = {name: (float(elo0), float(elo1)) for name, elo0, elo1, _ in rows}
    assert told == PRESETS
    for name, _, _, most in rows:
        assert int(most.replace(",", "")) == 2 * Terms(*PRESETS[name]).blocks
    known = {
        option
        for command in (compare_command, plan_command)
        for item in command.params
        for option in item.opts
    }
    assert set(re.findall(r"--[a-z][a-z0-9-]*", REGRESSION)) <= known


# --- public names


def test_public_names_are_sorted_and_each_has_a_home() -> None:
    assert arena.__all__ == sorted(arena.__all__)
    assert list(arena._HOMES) == arena.__all__
    assert set(dir(arena)) == {*arena.__all__, "__version__"}
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'Bott'"):
        arena.Bott  # noqa: B018


@pytest.mark.parametrize("name", arena.__all__)
def test_every_public_name_resolves_and_is_documented(name: str) -> None:
    value = getattr(arena, name)
    documented = value if isinstance(value, ModuleType) or hasattr(value, "__name__") else type(value)
    assert (documented.__doc__ or "").strip()
    if inspect.isclass(value):
        methods = [item for item in vars(value).items() if inspect.isfunction(item[1])]
        assert [key for key, method in methods if key[0] != "_" and not method.__doc__] == []


def test_star_import_gives_exactly_the_public_names() -> None:
    code = "from arena import *; print(*sorted(name for name in dir() if name[0] != '_'))"
    assert in_another_process(code).split() == sorted(arena.__all__, key=str)


def test_importing_arena_loads_nothing_heavy() -> None:
    code = """if True:
        import sys, arena
        arena.Bot, arena.Game, arena.hookimpl, arena.odds
        heavy = {"ray", "numpy", "scipy", "pydantic", "rich", "click", "sqlite_utils"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert in_another_process(code) == "[]\n"


# --- the reference for bots


def test_reference_for_bots_is_as_the_docstrings_are() -> None:
    assert bot_reference.PAGE.read_text() == bot_reference.page(), "python tests/bot_reference.py mends it"


# --- the architecture page


def test_architecture_names_every_module() -> None:
    named = set(re.findall(r"`([\w/]+)`", ARCHITECTURE))
    for module in pkgutil.iter_modules([str(ROOT / "arena")]):
        assert f"{module.name}/" * module.ispkg or module.name in named, module.name
        inner = pkgutil.iter_modules([str(ROOT / "arena" / module.name)]) if module.ispkg else ()
        assert [part.name for part in inner if part.name not in named] == [], module.name


def test_architecture_names_no_module_that_is_gone() -> None:
    rows = re.findall(r"^\| ((?:`[\w/]+`(?:, )?)+) \|", ARCHITECTURE, re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([\w/]+)`", row)]
    assert len(names) > 10
    for name in names:
        assert (ROOT / "arena" / name).is_dir() or (ROOT / "arena" / f"{name}.py").is_file(), name


# --- the page of output


def fields_of(data: Any, prefix: str = "") -> set[str]:
    """The paths of all values, those of a list's entries with [] behind the list's name."""
    if isinstance(data, dict):
        return {
            path for key, value in data.items() for path in fields_of(value, f"{prefix}.{key}".strip("."))
        }
    if isinstance(data, list) and prefix == "":
        return {path for entry in data for path in fields_of(entry)}
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return {path for entry in data for path in fields_of(entry, f"{prefix}[]")}
    return {prefix}


def fields_named(command: str) -> set[str]:
    """The fields that the page tells of a command."""
    page = (ROOT / "docs" / "output.md").read_text()
    (section,) = re.findall(rf"^## arena {command}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return {field for cell in cells for field in re.findall(r"`([^`]+)`", cell)}


@pytest.mark.parametrize("command", ["standings", "matrix", "status", "games", "faults"])
def test_page_of_output_names_exactly_the_fields_that_are_printed(tmp_path: Path, command: str) -> None:
    (tmp_path / "bad.py").write_text("import arena\n\nclass Bad(arena.Bot):\n    attack = None\n")
    db, file = (
        tmp_path / "arena.db",
        write_tournament(tmp_path, bots=["greedy", "turtle", "bad.py"], blocks=3),
    )
    resolved = load_tournament(str(file), REGISTRY)
    run(resolved, db, HereExecutor())
    with open_store(db, "cup"):
        data = data_of(command, "--db", db)
    printed = {path for path in fields_of(data) if not path.startswith("standings[]")}
    if command == "status":
        printed |= {"run", "standings"}
    assert fields_named(command) == printed


def test_page_of_output_names_exactly_the_fields_of_a_comparison(tmp_path: Path) -> None:
    where = ["--db", tmp_path / "a.db", "--edition", "house-four-shores", "--executor", "local"]
    result = call("compare", "greedy", "turtle", "--max-games", 2, *where, "--json")
    assert fields_named("compare") == fields_of(json.loads(result.stdout))


def test_page_of_output_names_exactly_the_fields_of_a_schedule_a_game_and_a_plan(tmp_path: Path) -> None:
    db, file = tmp_path / "arena.db", write_tournament(tmp_path, blocks=1)
    assert fields_named("run --dry-run") == fields_of(data_of("run", file, "--dry-run"))
    run(load_tournament(str(file), REGISTRY), db, HereExecutor())
    game = data_of("games", "--db", db)[0]
    assert fields_named("show") == fields_of(data_of("show", game["key"], "--db", db))
    where = ["--db", db, "--edition", game["edition"], "--players", game["players"]]
    assert fields_named("plan") == fields_of(data_of("plan", "--elo", 50, *where))


@pytest.mark.parametrize("command", ["bots", "editions", "maps", "tournaments", "plugins"])
def test_page_of_output_says_that_fields_of_what_is_installed_are_the_columns(command: str) -> None:
    (columns, *_) = [line for line in stdout_of(command).splitlines() if line.strip()]
    assert list(data_of(command)[0]) == columns.split()


def test_page_of_output_names_exactly_the_fields_about_a_bot() -> None:
    report = Report("bot", "1", [Check("legal", True, ("5 games",))], times=Times(1, 1.0, 1.0, 1.0))
    assert fields_named("check") == fields_of(report.to_json())
    test = load_position_tests(POSITIONS, REGISTRY)[0]
    assert fields_named("test-positions") == fields_of(PositionResult(test, "no attack", "").to_json())
