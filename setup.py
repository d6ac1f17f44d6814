"""What pyproject.toml cannot say: nothing that an earlier build left in build/ is shipped again."""

import shutil
from pathlib import Path

from setuptools import setup

shutil.rmtree(Path(__file__).parent / "build", ignore_errors=True)
setup()
