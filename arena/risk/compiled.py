"""Which modules of the core are compiled, and whether those that run are made from the source beside them."""

from hashlib import blake2b
from pathlib import Path

MODULES = (
    "board",
    "cards",
    "dice",
    "dump",
    "game",
    "land",
    "legal",
    "orders",
    "result",
    "rules",
    "sample",
    "state",
    "stream",
    "view",
)
"""What mypyc compiles in a wheel; but for one another they import only `arena.errors` and stdlib modules."""

STAMP = "compiled.txt"
"""File beside the compiled ones that holds the hash of their sources."""


def hash_sources(folder: Path) -> str:
    """Hex digest of the sources of MODULES in a folder."""
    digest = blake2b(digest_size=10)
    for module in MODULES:
        digest.update((folder / f"{module}.py").read_bytes())
    return digest.hexdigest()


def describe_build() -> str:
    """ "compiled", "pure", or "stale" where compiled files run that were made from other sources."""
    from arena.risk import game  # noqa: PLC0415 - `setup.py` reads this file before there is an arena

    folder = Path(game.__file__).parent
    if game.__file__.endswith(".py"):
        return "pure"
    stamp = folder / STAMP
    known = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
    return "compiled" if known == hash_sources(folder) else "stale"
