"""A ready plugin project for a new bot, made from the one in `arena/new-bot`."""

import keyword
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from arena.errors import ConfigError
from arena.offers import check_id
from arena.plugins import Registry

TEMPLATE = files("arena") / "new-bot"

RESERVED = ("conftest", "setup")
"""Modules that pytest and setuptools take for theirs."""


def new_bot(name: str, registry: Registry, base: Path) -> list[Path]:
    """Write a project into the folder `name` below `base`; its files.

    Raises ArenaError for a name that is no id or is that of a bot, a module or a package, and for a folder
    that exists.
    """
    check_id("bot", name)
    module, class_name = name.replace("-", "_"), name.title().replace("-", "")
    texts = {file.name: file.read_text(encoding="utf-8") for file in TEMPLATE.iterdir() if file.is_file()}
    if name in registry.bots:
        raise ConfigError(f"bot {name}: expected a new id, got that of {registry.bots[name].origin}")
    if not module.isidentifier():
        raise ConfigError(f"bot {name}: expected a name that begins with a letter, got {name[0]!r}")
    if keyword.iskeyword(module) or keyword.iskeyword(class_name):
        raise ConfigError(f"bot {name}: expected a name for a module and a class, got a word of Python's own")
    if find_spec(module) is not None or module in RESERVED:
        raise ConfigError(f"bot {name}: expected the name of no module, got that of {module}")
    with suppress(PackageNotFoundError):
        package = distribution(name).name
        raise ConfigError(f"bot {name}: expected the name of no package, got that of installed {package}")
    if re.search(rf"\b{class_name}\b", texts["my_bot.py"].replace("MyBot", "")):
        raise ConfigError(
            f"bot {name}: expected a name for a new class, got {class_name}, which its file has"
        )
    names = {"my-bot": name, "my_bot": module, "MyBot": class_name}
    folder = base / name
    try:
        folder.mkdir()
        for file, text in texts.items():
            (folder / _renamed(file, names)).write_text(_renamed(text, names), encoding="utf-8")
    except FileExistsError:
        raise ConfigError(f"{folder}: expected a new folder, got one that is there") from None
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}") from None
    return sorted(folder.iterdir())


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with every name of the template's bot replaced."""
    return re.sub("|".join(names), lambda match: names[match[0]], text)
