"""Bots' modules that stand in files, and the hash of a bot's own source."""

import ast
import builtins
import importlib
import os
import platform
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pluggy

import arena
from arena.errors import ArenaError, ConfigError, PluginError

BOT_API = ("arena", "arena.bot")
"""What a bot may import of arena without being a part of it."""

PRIVATE = "_arena_"
"""How the names of modules begin that were given as files."""

SHARED = sys.stdlib_module_names | {"arena"}
"""Modules that a bot's own files of these names do not replace."""


class _PrivateLoader(SourceFileLoader):
    """Loads a module under a private name, and so whatever it imports of its own folder.

    The source is compiled anew: cached bytecode counts as fresh by whole seconds and size, so that it could
    be older than the hash.
    """

    def path_stats(self, path: object) -> NoReturn:
        raise OSError

    def exec_module(self, module: ModuleType) -> None:
        """Run it with an import statement of its own."""
        root = sys.modules[self.name.partition(".")[0]]
        if hasattr(root, "__path__"):
            vars(module)["__builtins__"] = vars(builtins) | {"__import__": partial(_import, root)}
        super().exec_module(module)


def _import(
    root: ModuleType,
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002 - the names of the built-in function
    locals: Mapping[str, object] | None = None,  # noqa: A002
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """`__import__` in the modules of the folder `root`: its name, and the modules in it, mean that folder.

    Without this `import mybot.mind` would find an installed `mybot`, or that of another checkout. The
    standard library and arena are never shadowed.
    """
    first, folder = name.partition(".")[0], Path(root.__path__[0])
    is_inner = (folder / f"{first}.py").is_file() or (folder / first / "__init__.py").is_file()
    if level or first in SHARED or not (is_inner or first == folder.name):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    private = root.__name__ if first == folder.name else f"{root.__name__}.{first}"
    module = builtins.__import__(private + name.removeprefix(first), globals, locals, fromlist or ())
    return module if fromlist else sys.modules[private]


class _PrivateFinder(MetaPathFinder):
    """Finds the inner modules of a folder that was loaded under a private name."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        spec = PathFinder.find_spec(name, path) if name.startswith(PRIVATE) else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _PrivateLoader(name, spec.loader.path)
        return spec


sys.meta_path.insert(0, _PrivateFinder())


def load_module(path: Path) -> ModuleType:
    """Import a .py file, or a folder with an __init__.py, under a private name: once for each content.

    Raises ConfigError when it cannot be read; whatever it raises itself passes through.
    """
    is_folder = path.is_dir()
    file = path / "__init__.py" if is_folder else path
    try:
        content = hash_files(file.parent, {file, *path.rglob("*.py")} if is_folder else {file})
    except OSError as error:
        raise ConfigError(f"{error.filename}: {error.strerror}") from None
    name = PRIVATE + blake2b(f"{path}\0{content}".encode(), digest_size=10).hexdigest()
    if name in sys.modules:
        return sys.modules[name]
    folders = [str(path)] if is_folder else None
    loader = _PrivateLoader(name, str(file))
    spec = spec_from_file_location(name, file, loader=loader, submodule_search_locations=folders)
    assert spec is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def hash_source(module: ModuleType) -> str:
    """Hex digest of a plugin's own source: its file, or once that is a package or imports from its own
    package, every .py of the top-level package. Raises PluginError where there is no source.
    """
    file = Path(module.__file__ or "")
    if file.suffix != ".py":  # compiled: the source lies beside
        file = file.with_name(file.name.partition(".")[0] + ".py")
    try:
        if file.name != "__init__.py" and not _imports_own_package(file, module.__name__):
            return hash_files(file.parent, {file})
        names = accumulate(module.__name__.split("."), "{}.{}".format)
        root = next(Path(init).parent for name in names if (init := sys.modules[name].__file__))
        return hash_files(root, set(root.rglob("*.py")))
    except OSError as error:
        raise PluginError(f"{error.filename}: expected a plugin with its source: {error.strerror}") from None


def hash_files(root: Path, files: set[Path]) -> str:
    """Hex digest of files by their paths below `root` and their bytes."""
    digest = blake2b(digest_size=10)
    for file in sorted(files):
        source = file.read_bytes()
        digest.update(f"{file.relative_to(root).as_posix()}\0{len(source)}\0".encode() + source)
    return digest.hexdigest()


@cache
def installation() -> str:
    """What must be alike wherever games of one run are played: Python, and arena with the hash of its source.

    Bundled plugins are left out: like all bots they are compared one by one.
    """
    root = Path(str(arena.__file__)).parent
    plugins = {root / "bots", root / "configs"}
    files = {file for file in root.rglob("*.py") if plugins.isdisjoint(file.parents)}
    return f"Python {platform.python_version()}, arena {arena.__version__} ({hash_files(root, files)})"


def _imports_own_package(file: Path, module: str) -> bool:
    package = module.partition(".")[0]
    return any(
        name.startswith(".") or (name.partition(".")[0] == package and name not in BOT_API)
        for name in _imports(ast.parse(file.read_bytes()))
    )


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def describe(error: BaseException) -> str:
    """One line for what a plugin's code raised: what, and in which file and line of it."""
    text = " ".join(str(error).split())
    if isinstance(error, ArenaError):
        return text
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_outside(frame.filename)]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}"


def _is_outside(file: str) -> bool:
    """Whether it is neither ours nor of what loads plugins for us."""
    inside = [f"{Path(str(module.__file__)).parent}{os.sep}" for module in (arena, importlib, pluggy)]
    return not file.startswith(("<", *inside))
