"""A bot by its id or its file: which one it is exactly, and that no other is made of it."""

import pickle
import shutil
import sys
from pathlib import Path

import pytest
from distributions import ONE_BOT
from subprocesses import in_another_process

from arena.config import GameResult, GameSpec, Job
from arena.errors import ArenaError, PluginError
from arena.host import Host
from arena.match import Referee
from arena.plugins import BotIdentity, Registry, load_registry

ROOT = Path(__file__).parents[1]


def write_bot(path: Path, body: str) -> None:
    """A file with one bot class."""
    path.write_text(f"from arena import Bot\nclass Mine(Bot):\n    {body}\n")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


def test_options_are_bound_and_part_of_the_identity(registry: Registry) -> None:
    identity = registry.identify("greedy:margin=5")
    assert identity.name == "greedy:margin=5"
    assert identity != registry.identify("greedy")
    assert vars(registry.factory(identity)())["margin"] == 5
    assert vars(registry.factory(registry.identify("greedy"))())["margin"] != 5


def test_order_of_options_does_not_change_the_identity(registry: Registry, tmp_path: Path) -> None:
    write_bot(tmp_path / "two.py", "def __init__(self, a=1, b=1.5, *, c=None): self.all = a, b, c")
    identity = registry.identify("two.py:c=x,b=2,a=-3", tmp_path)
    assert identity.options == "a=-3,b=2,c=x"
    assert identity == registry.identify("two.py:a=-3,b=2,c=x", tmp_path)
    assert vars(registry.factory(identity)())["all"] == (-3, 2.0, "x")


def test_every_factory_call_makes_a_fresh_bot(registry: Registry) -> None:
    make = registry.factory(registry.identify("turtle"))
    assert make() is not make()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gredy", r"unknown bot 'gredy': did you mean greedy\?"),
        ("xyz", r"unknown bot 'xyz': known are continental, greedy, .*, uniform$"),
        ("", r"unknown bot ''"),
        ("greedy:speed=3", r"bot greedy:speed=3: unknown option 'speed': known are margin"),
        ("turtle:margin=3", r"unknown option 'margin': known are none"),
        ("greedy:margin=much", r"option margin: expected int, got 'much'"),
        ("greedy:margin=2.5", r"option margin: expected int, got '2\.5'"),
        ("greedy:margin", r"expected option=value, each option once, got 'margin'"),
        ("greedy:", r"expected option=value, each option once, got ''"),
        ("greedy:margin=1,margin=2", r"each option once, got 'margin=2'"),
        ("not/there.py", r"^bot not/there\.py: /[^:]*not/there\.py: No such file or directory"),
        ("bots/", r"^bot bots/: /[^:]*bots/__init__\.py: No such file or directory"),
        ("lame.py", r"^bot lame\.py: SyntaxError: .* \(lame\.py, line 1\)$"),
        ("none.py", r"^bot none\.py: expected one Bot subclass or one registered bot, found none$"),
        ("late.py:x=1", r"^bot late\.py:x=1: ZeroDivisionError: division by zero \(late\.py, line 3\)$"),
    ],
)
def test_wrong_bot_is_one_clear_line(registry: Registry, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "lame.py").write_text("class")
    (tmp_path / "none.py").write_text("")
    (tmp_path / "late.py").write_text(
        "import arena\nclass Late(arena.Bot):\n    def __init__(self, x: int): 1 / 0\n"
    )
    with pytest.raises(ArenaError, match=message) as caught:
        registry.identify(text, tmp_path)
    assert "\n" not in str(caught.value)


def test_file_with_one_bot_class_is_a_bot_named_by_its_stem(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "MyBot_v2.py").write_text("import arena\nfrom arena import Bot\nclass Anything(Bot): ...\n")
    identity = registry.identify("MyBot_v2.py", tmp_path)
    assert identity.bot_id == "my-bot-v2"
    assert identity.path == str(tmp_path / "MyBot_v2.py")
    assert type(registry.factory(identity)()).__name__ == "Anything"


def test_file_that_is_a_plugin_is_a_bot_and_keeps_its_hash_when_moved_out(
    registry: Registry, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "bots" / "greedy.py", tmp_path)
    identity = registry.identify("./greedy.py:margin=4", tmp_path)
    assert identity.name == "greedy:margin=4"
    assert identity.source_hash == registry.identify("greedy").source_hash
    assert vars(registry.factory(identity)())["margin"] == 4


def test_version_of_a_file_is_its_own(registry: Registry, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from arena import Bot\n__version__ = '1.4'\nclass A(Bot): ...\n")
    assert registry.identify("a.py", tmp_path).version == "1.4"


def test_folder_is_a_bot_and_every_file_of_it_counts(registry: Registry, tmp_path: Path) -> None:
    folder = tmp_path / "deep_thought"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .mind import DeepThought\n")
    (folder / "mind.py").write_text("from arena import Bot\nclass DeepThought(Bot):\n    answer = 42\n")
    identity = registry.identify("deep_thought", tmp_path)
    assert identity.bot_id == "deep-thought"
    assert vars(type(registry.factory(identity)()))["answer"] == 42
    (folder / "mind.py").write_text("from arena import Bot\nclass DeepThought(Bot):\n    answer = 54\n")
    with pytest.raises(PluginError, match="bot deep-thought: its source has changed"):
        registry.factory(identity)


def test_two_files_with_one_stem_can_meet(registry: Registry, tmp_path: Path) -> None:
    for folder, number in (("old", 1), ("new", 2)):
        (tmp_path / folder).mkdir()
        write_bot(tmp_path / folder / "mine.py", f"number = {number}")
    old, new = (registry.identify(f"{folder}/mine.py", tmp_path) for folder in ("old", "new"))
    assert old.bot_id == new.bot_id == "mine"
    assert old != new
    assert [vars(type(registry.factory(identity)()))["number"] for identity in (old, new)] == [1, 2]


def write_checkouts(folder: Path, imports: str) -> tuple[Path, Path]:
    """Two versions of one bot, told apart by a number in an inner module of an inner package."""
    checkouts = folder / "new" / "mybot", folder / "old" / "mybot"
    for number, checkout in enumerate(checkouts):
        (checkout / "deep").mkdir(parents=True)
        (checkout / "deep" / "__init__.py").write_text("")
        (checkout / "deep" / "thought.py").write_text(f"NUMBER = {number}\n")
        (checkout / "helper.py").write_text("from mybot.deep import thought\n")
        (checkout / "random.py").write_text("1 / 0\n")
        (checkout / "__init__.py").write_text(
            "from arena import Bot\n"
            "from random import Random\n"
            "class Mine(Bot):\n"
            "    def attack(self, view):\n"
            f"        {imports}\n"
            "        raise ValueError(f'number {NUMBER}')\n"
        )
    return checkouts


@pytest.mark.parametrize(
    "imports",
    [
        "from .deep.thought import NUMBER",
        "from .helper import thought; NUMBER = thought.NUMBER",
        "from mybot.deep.thought import NUMBER",
        "import mybot.deep.thought; NUMBER = mybot.deep.thought.NUMBER",
        "import mybot.helper as helper; NUMBER = helper.thought.NUMBER",
        "from mybot import helper; NUMBER = helper.thought.NUMBER",
        "from deep.thought import NUMBER",
        "import deep.thought; NUMBER = deep.thought.NUMBER",
        "import helper; NUMBER = helper.thought.NUMBER",
    ],
)
def test_two_checkouts_of_a_bot_never_run_each_others_code(
    registry: Registry, tmp_path: Path, imports: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However they import their inner modules, and though a third one is installed; here and in a host."""
    installed = tmp_path / "installed" / "mybot"
    shutil.copytree(write_checkouts(tmp_path, imports)[0], installed)
    (installed / "deep" / "thought.py").write_text("NUMBER = 7\n")
    monkeypatch.syspath_prepend(installed.parent)
    monkeypatch.setenv("PYTHONPATH", str(installed.parent))
    bots = tuple(registry.identify(f"{version}/mybot", tmp_path) for version in ("new", "old"))
    edition = registry.edition("house-four-shores")
    job = Job({edition.fingerprint: edition.model_dump_json()}, bots)
    spec = GameSpec("key", edition.fingerprint, block=0, rotation=0, seed=5, lineup=(0, 1))
    with Host(job) as host:
        hosted = host.play(spec)
    assert isinstance(hosted, GameResult)
    for result in (hosted, Referee.for_job(job).play(spec)):
        details = {(fault.seat, fault.detail.partition("\n")[0]) for fault in result.faults}
        assert details == {(0, "ValueError: number 0"), (1, "ValueError: number 1")}
    assert "mybot" not in sys.modules


def test_edited_inner_module_is_loaded_anew(registry: Registry, tmp_path: Path) -> None:
    """Of the same size in the same second: cached bytecode would pass for fresh."""
    folder, numbers = tmp_path / "mine", []
    folder.mkdir()
    (folder / "__init__.py").write_text("from .mind import Mine\n")
    for number in range(3):
        write_bot(folder / "mind.py", f"number = {number}")
        numbers.append(vars(type(registry.factory(registry.identify("mine", tmp_path))()))["number"])
    assert numbers == [0, 1, 2]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1", r"expected one Bot subclass or one registered bot, found none"),
        (
            "from arena import Bot\nclass A(Bot): ...\nclass B(Bot): ...",
            r"expected one Bot subclass or one registered bot, found a, b",
        ),
        (ONE_BOT.format(bot="a") + "    register('b', Calm)\n", r"registered bot, found a, b"),
        (
            ONE_BOT.format(bot="a").replace("@arena.hookimpl", ""),
            r"expected a function marked @arena\.hookimpl",
        ),
        ("\n\n1 / 0", r"bad\.py: ZeroDivisionError: division by zero \(bad\.py, line 3\)"),
        ("def (", r"bad\.py: SyntaxError"),
        ("from .other import x", r"bad\.py: ImportError: attempted relative import"),
        (
            "from arena import Bot\nclass A(Bot):\n    def __init__(self): raise KeyError('board')",
            r"bot bad\.py: KeyError: 'board' \(bad\.py, line 3\)",
        ),
        (
            ONE_BOT.format(bot="a").replace("Calm)", "lambda: 7)"),
            r"bot bad\.py: expected a Bot, got 7",
        ),
    ],
)
def test_file_that_is_no_bot_is_one_clear_line(
    registry: Registry, tmp_path: Path, source: str, message: str
) -> None:
    (tmp_path / "bad.py").write_text(source)
    with pytest.raises(ArenaError, match=message) as caught:
        registry.identify("bad.py", tmp_path)
    assert "\n" not in str(caught.value)


def test_identity_makes_the_same_bot_in_another_process_and_only_that(
    registry: Registry, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    write_bot(file, "def __init__(self, level=1): self.level = level")
    identity = registry.identify("mine.py:level=7", tmp_path)
    code = """if True:
        import pickle, sys
        from arena.errors import PluginError
        from arena.plugins import load_registry
        identity = pickle.loads(bytes.fromhex(sys.argv[1]))
        try:
            print(load_registry().factory(identity)().level)
        except PluginError as error:
            print(error)
    """
    assert in_another_process(code, pickle.dumps(identity).hex()) == "7\n"
    file.write_text(file.read_text() + "\n")
    assert "bot mine:level=7: its source has changed" in in_another_process(
        code, pickle.dumps(identity).hex()
    )


def test_edited_file_is_a_new_identity_at_once(registry: Registry, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    numbers = []
    for number in range(3):  # same size, same second: cached bytecode would pass for fresh
        write_bot(file, f"number = {number}")
        numbers.append(vars(type(registry.factory(registry.identify("mine.py", tmp_path))()))["number"])
    assert numbers == [0, 1, 2]


def test_identities_differ_by_everything_but_the_path() -> None:
    identity = BotIdentity("a", "1", "", "00", "/here/a.py")
    assert identity == BotIdentity("a", "1", "", "00", "/there/a.py")
    assert len({identity, BotIdentity("a", "2", "", "00"), BotIdentity("a", "1", "b=1", "00")}) == 3
