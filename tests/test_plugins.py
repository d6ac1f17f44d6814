"""Plugins come in, broken ones are named, and what they offer is found."""

import ast
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from distributions import ONE_BOT, write_plugin
from subprocesses import in_another_process

import arena
from arena.errors import ConfigError, PluginError
from arena.offers import Offers, PluginInfo
from arena.plugins import Registry, load_registry

ROOT = Path(__file__).parents[1]
Install = Callable[..., None]

FILES = """
import arena
from functools import partial
from pathlib import Path

@arena.hookimpl
def register_{kind}s(register):
    register(Path({path!r}))
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution with one plugin module on the path, as an installer would have left it."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)
    modules = []

    def install(module: str, source: str, *, name: str | None = None, version: str = "1.0") -> None:
        write_plugin(site, module, source, name=name, version=version)
        modules.append(module)

    yield install
    for module in modules:
        sys.modules.pop(module, None)


def test_every_bundled_file_is_an_entry_point_and_nothing_else_is() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["arena"]
    bots = {f"arena.bots.{path.stem}" for path in (ROOT / "bots").glob("*.py") if path.stem != "__init__"}
    assert table == {name: name for name in (*bots, "arena.configs")}


def test_bundled_bots_import_only_what_a_stranger_would() -> None:
    for path in (ROOT / "bots").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                assert getattr(node, "level", 0) == 0
                for name in names:
                    assert (
                        name in ("arena", "arena.bot")
                        or str(name).partition(".")[0] in sys.stdlib_module_names
                    ), path


def test_bundled_plugins_load_with_their_provenance() -> None:
    registry = load_registry()
    assert registry.problems == []
    greedy = registry.bots["greedy"]
    assert (greedy.plugin.name, greedy.plugin.distribution) == ("arena.bots.greedy", "risk-arena")
    assert greedy.version == greedy.plugin.version == arena.__version__
    assert greedy.summary
    assert greedy.plugin.registered == ["bot greedy"]
    assert {"uniform", "turtle", "greedy", "continental"} <= set(registry.bots)
    assert {"hasbro-us-2003", "hasbro-b7404", "classic-faq"} <= set(registry.editions)
    assert registry.maps["classic"].plugin is registry.tournaments["quick"].plugin


def test_summary_is_what_a_factory_says_of_itself() -> None:
    class Plain(arena.Bot):
        pass

    class Told(Plain):
        """Says it

        at length.
        """

    def make() -> arena.Bot:
        """Make one."""
        return Told()

    offers = Offers(PluginInfo("here", "", "1"), sys.modules[__name__])
    factories: list[Callable[..., arena.Bot]] = [Plain, Told, make, partial(make)]
    for number, factory in enumerate(factories):
        offers.add_bot(f"bot-{number}", factory)
    offers.add_bot("bot-4", Plain, summary="as I say")
    assert [bot.summary for bot in offers.bots] == ["", "Says it", "Make one.", "", "as I say"]


def test_every_bundled_edition_map_and_tournament_is_valid() -> None:
    registry = load_registry()
    for edition in registry.editions:
        assert registry.edition(edition).rules.edition == edition
    for map_id in registry.maps:
        assert registry.map(map_id).id == map_id
    for tournament in registry.tournaments:
        table, where, base = registry.tournament_file(tournament)
        assert table["name"] == tournament
        assert Path(where).parent == base


def test_loading_plugins_leaves_the_heavy_libraries_alone() -> None:
    code = "import sys; from arena.plugins import load_registry; load_registry(); print(*sys.modules)"
    assert not {"pydantic", "numpy", "ray", "scipy"} & set(in_another_process(code).split())


BROKEN = {
    "ModuleNotFoundError: No module named 'no_such_thing' (broken.py, line 2)": "\nimport no_such_thing",
    "SyntaxError": "def (",
    "SystemExit: 3": "raise SystemExit(3)",
    "ValueError: two lines (broken.py, line 5)": """
import arena
@arena.hookimpl
def register_bots(register):
    raise ValueError('two\\nlines')
""",
    "unknown hook 'register_bot'": "import arena\n@arena.hookimpl\ndef register_bot(register): ...",
    "Argument(s) {'to'} are declared": "import arena\n@arena.hookimpl\ndef register_bots(to): ...",
    "expected a function marked @arena.hookimpl, found none": "def register_bots(register): ...",
    "bot: expected a kebab-case id such as my-bot, got 'My Bot'": ONE_BOT.format(bot="My Bot"),
    "bot calm: expected a factory that makes bots": ONE_BOT.format(bot="calm").replace(", Calm)", ", 7)"),
    "bot calm: expected version to be text, got 2": ONE_BOT.format(bot="calm").replace(
        "Calm)", "Calm, version=2)"
    ),
    "/not-there.toml: No such file or directory": FILES.format(kind="edition", path="/not-there.toml"),
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken_plugin_is_named_in_one_line_and_the_others_go_on(install: Install, message: str) -> None:
    install("broken", BROKEN[message])
    install("sound", ONE_BOT.format(bot="sound"))
    registry = load_registry()
    (problem,) = registry.problems
    assert problem.startswith("plugin broken (broken 1.0): ")
    assert message in problem
    assert "\n" not in problem
    assert {"sound", "greedy"} <= set(registry.bots)
    (broken,) = [plugin for plugin in registry.plugins if plugin.error]
    assert (broken.name, broken.registered) == ("broken", [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id = 'x", "expected TOML: "),
        (b"id = 'x'\nname = =\n", "line 2"),
        (b"id = '\xff'", "expected UTF-8 text"),
        (b"name = 'x'", "id: expected a kebab-case id such as my-bot, got None"),
        (None, "expected a folder of TOML files, found none in it"),
    ],
)
def test_unreadable_edition_breaks_its_plugin(
    install: Install, tmp_path: Path, content: bytes | None, message: str
) -> None:
    folder = tmp_path / "editions"
    folder.mkdir()
    if content is not None:
        (folder / "x.toml").write_bytes(content)
    install("broken", FILES.format(kind="edition", path=str(folder)))
    (problem,) = load_registry().problems
    assert message in problem
    assert str(folder) in problem


def test_plugin_that_fails_late_registers_nothing_and_asking_for_its_bot_says_why(install: Install) -> None:
    install("late", ONE_BOT.format(bot="early-bot") + "    raise RuntimeError('no licence')\n")
    registry = load_registry()
    assert "early-bot" not in registry.bots
    with pytest.raises(ConfigError, match=r"unknown bot 'early-bot'.*plugin late .*RuntimeError: no licence"):
        registry.identify("early-bot")


def test_duplicate_bot_id_names_both_plugins_and_only_that_id_is_lost(install: Install) -> None:
    install("impostor", ONE_BOT.format(bot="greedy"), version="6.6")
    registry = load_registry()
    both = r"plugin arena\.bots\.greedy \(risk-arena .*\) and by plugin impostor \(impostor 6\.6\)"
    with pytest.raises(PluginError, match=rf"bot greedy is registered by {both}"):
        registry.identify("greedy")
    assert len(registry.problems) == 1
    assert "greedy" not in registry.bots
    assert registry.identify("turtle").bot_id == "turtle"


def test_duplicate_edition_names_both_files(install: Install, tmp_path: Path) -> None:
    copy = tmp_path / "copy.toml"
    copy.write_text('id = "classic-faq"\nextends = "hasbro-us-2003"\n')
    install("impostor", FILES.format(kind="edition", path=str(copy)))
    registry = load_registry()
    with pytest.raises(
        PluginError, match=r"edition classic-faq is .*classic-faq\.toml.* and by .*copy\.toml"
    ):
        registry.edition("classic-faq")
    assert registry.edition("hasbro-b7404").id == "hasbro-b7404"


def test_two_plugins_of_one_name_are_both_loaded(install: Install) -> None:
    install("here", ONE_BOT.format(bot="calm-here"), name="same")
    install("there", ONE_BOT.format(bot="calm-there"), name="same")
    assert {"calm-here", "calm-there"} <= set(load_registry().bots)


def test_blocked_plugins_are_not_loaded(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("impostor", ONE_BOT.format(bot="greedy"))
    monkeypatch.setenv("ARENA_BLOCK_PLUGINS", "arena.bots.turtle, impostor")
    registry = load_registry()
    assert registry.problems == []
    assert registry.identify("greedy").version == arena.__version__
    assert "turtle" not in registry.bots


def test_strangers_plugin_is_installed_by_pip_found_and_plays(tmp_path: Path) -> None:
    source = shutil.copytree(ROOT / "tests" / "plugins" / "zealot", tmp_path / "zealot")
    target = str(tmp_path / "site")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--target", target, str(source)], check=True)
    code = """if True:
        import json, arena
        from arena.plugins import load_registry
        registry = load_registry()
        bot = registry.bots["zealot"]
        result = arena.play("house-zeal", ["zealot", "zealot:guard=3", "greedy"], seed=5)
        print(json.dumps([
            registry.problems, bot.plugin.distribution, bot.version, bot.summary, bot.plugin.registered,
            registry.identify("zealot:guard=3").name, len(result.faults), result.result.rounds,
        ]))
    """
    problems, distribution, version, summary, registered, name, faults, rounds = json.loads(
        in_another_process(code, PYTHONPATH=target)
    )
    assert problems == []
    assert (distribution, version) == ("risk-zealot", "2.1")
    assert summary.startswith("Attacks the weakest neighbour")
    assert registered == ["bot zealot", "edition house-zeal"]
    assert (name, faults) == ("zealot:guard=3", 0)
    assert rounds > 0


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


def test_edition_in_a_file_extends_a_registered_one(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'id = "house-mine"\nextends = "classic-faq"\nmap = "four-shores"\n[reinforcement]\nminimum = 4\n'
    )
    edition = registry.edition("mine.toml", tmp_path)
    assert (edition.id, edition.map.id) == ("house-mine", "four-shores")
    assert edition.reinforcement.minimum == 4
    assert edition.fortify.reach == "adjacent"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"mine\.toml: No such file or directory"),
        ('id = "x"\nname = =\n', r"mine\.toml: expected TOML: .*line 2"),
        (
            'extends = "hasbro-us-2033"',
            r"mine\.toml: extends: unknown edition .* did you mean hasbro-us-2003",
        ),
        ('extends = ["classic-faq"]', r"mine\.toml: extends: unknown edition"),
        ('extends = "classic-faq"\nmap = "mars"', r"mine\.toml: map: unknown map 'mars': known are classic"),
        ('extends = "classic-faq"\nid = "x"\ncolour = 1', r"mine\.toml: colour: unknown key"),
    ],
)
def test_wrong_edition_file_is_one_clear_line(
    registry: Registry, tmp_path: Path, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "mine.toml").write_text(content)
    with pytest.raises(ConfigError, match=message) as caught:
        registry.edition("mine.toml", tmp_path)
    assert "\n" not in str(caught.value)


def test_folder_in_place_of_a_file_is_one_clear_line(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").mkdir()
    with pytest.raises(ConfigError, match=r"mine\.toml: Is a directory"):
        registry.tournament_file("mine.toml", tmp_path)


def test_broken_map_of_a_plugin_is_one_clear_line(install: Install, tmp_path: Path) -> None:
    (tmp_path / "flat.toml").write_text('id = "flat"\nname = "Flat"\n')
    install("cartographer", FILES.format(kind="map", path=str(tmp_path / "flat.toml")))
    with pytest.raises(ConfigError, match=r"flat\.toml: continents: this key is missing"):
        load_registry().map("flat")


ISLANDS = """
id = "islands"
name = "Islands"
continents = { sea = 2 }
territories.east = { continent = "sea", symbol = "infantry", borders = ["west"] }
territories.west = { continent = "sea", symbol = "cavalry", borders = ["east"] }
"""


def test_edition_in_a_file_extends_files_and_takes_its_map_from_one(
    registry: Registry, tmp_path: Path
) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "islands.toml").write_text(ISLANDS)
    (tmp_path / "maps" / "house.toml").write_text(
        'id = "house"\nextends = "hasbro-us-2003"\nmap = "islands.toml"\n'
        "setup.starting_troops = { 2 = 9 }\nsetup.neutral_troops = {}\n"
    )
    (tmp_path / "mine.toml").write_text(
        'id = "mine"\nextends = "maps/house.toml"\nfortify = { reach = "none" }\n'
    )
    edition = registry.edition("mine.toml", tmp_path)
    assert (edition.map.id, edition.fortify.reach, edition.setup.starting_troops) == (
        "islands",
        "none",
        {2: 9},
    )
    assert arena.Game(edition.rules, 2, seed=1).board.names == ("east", "west")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('extends = "none.toml"', r"mine\.toml: extends: .*/none\.toml: No such file or directory"),
        (
            'extends = "mine.toml"',
            r"mine\.toml: extends: .*/mine\.toml -> .*/mine\.toml goes round in a circle",
        ),
        ('extends = "hasbro-us-2003"\nmap = "none.toml"', r"mine\.toml: map: .*/none\.toml: No such file"),
        (
            'extends = "hasbro-us-2003"\nmap = "mine.toml"',
            r"mine\.toml: map: .*/mine\.toml: continents: this key",
        ),
        ('extends = "hasbro-us-2003"\nmap = "atlantis"', r"mine\.toml: map: unknown map 'atlantis'"),
    ],
)
def test_wrong_file_that_an_edition_names_is_one_clear_line(
    registry: Registry, tmp_path: Path, line: str, complaint: str
) -> None:
    (tmp_path / "mine.toml").write_text(f'id = "mine"\n{line}\n')
    with pytest.raises(ConfigError, match=complaint):
        registry.edition("mine.toml", tmp_path)


def test_paths_in_a_tournament_start_from_its_folder(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n')
    assert registry.tournament_file("mine.toml", tmp_path) == (
        {"name": "mine"},
        str(tmp_path / "mine.toml"),
        tmp_path,
    )


def test_unknown_tournament_is_one_clear_line(registry: Registry) -> None:
    with pytest.raises(ConfigError, match=r"unknown tournament 'quik': did you mean quick\?"):
        registry.tournament_file("quik")
