"""Python code run in a process of its own."""

import os
import subprocess
import sys


def in_another_process(code: str, *arguments: str, **environment: str) -> str:
    """What the code prints."""
    command, env = [sys.executable, "-c", code, *arguments], os.environ | environment
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
