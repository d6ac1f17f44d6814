"""Bots that are given as files, on their way to the nodes of a cluster."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from arena.config import Job
from arena.plugins import BotIdentity

Parcel: TypeAlias = dict[str, dict[str, bytes]]
"""A bot's path on the driver's machine to its files: name below it ("" where it is itself one), content."""


def pack(job: Job) -> Parcel:
    """The files of the job's bots; of a bot that is a folder all that is in it, its data too."""
    return {bot.path: _read(Path(bot.path)) for bot in job.bots if bot.path}


def unpack(job: Job, parcel: Parcel) -> Job:
    """The job with its bots at paths of this machine."""
    return replace(job, bots=tuple(_place(bot, parcel[bot.path]) if bot.path else bot for bot in job.bots))


def _place(bot: BotIdentity, files: dict[str, bytes]) -> BotIdentity:
    """The bot where its files are: at its own path if they lie there too, else in the temporary folder."""
    path = Path(bot.path)
    if _is_there(path, files):
        return bot
    digest = blake2b(digest_size=16)
    for name, content in sorted(files.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    home = Path(tempfile.gettempdir()) / f"arena-bots-{os.getuid()}" / digest.hexdigest()
    if not _is_there(home / path.name, files):
        _write(home, path.name, files)
    return replace(bot, path=str(home / path.name))


def _read(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    found = (file for file in sorted(path.rglob("*")) if file.is_file() and "__pycache__" not in file.parts)
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in found}


def _is_there(path: Path, files: Mapping[str, bytes]) -> bool:
    try:
        return all((path / name).read_bytes() == content for name, content in files.items())
    except OSError:
        return False


def _write(home: Path, stem: str, files: Mapping[str, bytes]) -> None:
    """Write the files below `home`, which appears whole: another process may be about the same."""
    home.parent.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent, ignore_cleanup_errors=True) as draft:
        for name, content in files.items():
            file = Path(draft) / "bots" / stem / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        with suppress(OSError):
            (Path(draft) / "bots").rename(home)
