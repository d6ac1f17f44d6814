"""Plugins on disk, as an installer would have left them."""

from pathlib import Path

ONE_BOT = """
import arena
from arena.bot import Bot

class Calm(Bot):
    '''Never attacks.'''

@arena.hookimpl
def register_bots(register):
    register("{bot}", Calm)
"""
"""The source of a plugin with one bot, of any id."""


def write_plugin(
    site: Path, module: str, source: str, *, name: str | None = None, version: str = "1.0"
) -> None:
    """A distribution with one plugin module, of this name or the module's, in a folder of sys.path."""
    (site / f"{module}.py").write_text(source)
    info = site / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: {version}\n")
    (info / "entry_points.txt").write_text(f"[arena]\n{name or module} = {module}\n")
