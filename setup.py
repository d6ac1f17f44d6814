"""Builds the core with mypyc where a C compiler is found: the same files, some times faster.

ARENA_COMPILE=0 leaves it out, ARENA_COMPILE=require makes a failure an error. It is all or nothing, and only
for wheels: an editable install runs the source as it stands. Nothing that an earlier build left in build/ is
shipped again.
"""

import os
import shutil
import sys
from pathlib import Path
from runpy import run_path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).parent
CORE = run_path(str(HERE / "arena" / "risk" / "compiled.py"))  # by file: arena is not installed yet
MODE = os.environ.get("ARENA_COMPILE", "")
IS_COMPILING = MODE != "0" and not {"bdist_wheel", "build_ext"}.isdisjoint(sys.argv)


def give_up(error: BaseException) -> None:
    """Go on without the compiled core, unless it is required."""
    if MODE == "require":
        raise error
    print(f"risk-arena: the core is not compiled: {error}", file=sys.stderr)


def extensions() -> list[Any]:
    """One extension a module of the core, or none where mypyc does not take them."""
    options = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports", "--strict"]
    try:
        from mypyc.build import mypycify  # noqa: PLC0415 - needed by the build alone

        return mypycify([*options, *[f"arena/risk/{module}.py" for module in CORE["MODULES"]]])
    except (Exception, SystemExit) as error:
        give_up(error)
        return []


class BuildAll(build_ext):
    """Compiles every extension, or ships none of them."""

    def run(self) -> None:
        """Build, and leave the stamp by which stale compiled files are known."""
        try:
            super().run()
        except Exception as error:
            give_up(error)
            self.extensions.clear()
            for path in Path(self.build_lib).rglob("*.so"):
                path.unlink()
            return
        folder = HERE if self.inplace else Path(self.build_lib)
        stamp = folder / "arena" / "risk" / CORE["STAMP"]
        stamp.write_text(CORE["hash_sources"](HERE / "arena" / "risk"), encoding="utf-8")


shutil.rmtree(HERE / "build", ignore_errors=True)
setup(ext_modules=extensions() if IS_COMPILING else [], cmdclass={"build_ext": BuildAll})
