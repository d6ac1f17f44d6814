"""The command line as a person calls it: in this process, or in a terminal."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from arena.cli import main

ARENA = str(Path(sys.executable).with_name("arena"))


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def stdout_of(*arguments: object) -> str:
    """What a command prints; it must succeed and say nothing else."""
    result = call(*arguments)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result.stdout


def data_of(*arguments: object) -> Any:
    """What a command prints with --json: strict JSON and nothing else."""
    return json.loads(stdout_of(*arguments, "--json"), parse_constant=pytest.fail)


def complaint_of(*arguments: object, exit_code: int = 2) -> str:
    """The one line of a command that fails."""
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (exit_code, ""), result.output
    assert result.stderr.startswith("arena: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith("\n")
    return result.stderr.removeprefix("arena: ").rstrip("\n")


def usage_error_of(*arguments: object) -> str:
    """What a command says below its usage when arguments or options will not do."""
    result = call(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    usage, _, error = result.stderr.partition("\nError: ")
    assert usage.startswith("Usage: ")
    return error.rstrip("\n")


class Seen(NamedTuple):
    """What a command left behind."""

    exit_code: int
    screen: str
    """All that was on the terminal."""
    stdout: str
    """What went elsewhere; empty where that was the terminal, too."""


def in_a_terminal(*arguments: object, typed: str = "", piped: bool = False) -> Seen:
    """A command run in a terminal into which something was typed, or piped to another command."""
    terminal, end = pty.openpty()
    os.write(terminal, typed.encode())
    with subprocess.Popen(
        [ARENA, *map(str, arguments)],
        stdin=end,
        stdout=subprocess.PIPE if piped else end,
        stderr=end,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "150"},
        text=True,
    ) as process:
        os.close(end)
        screen = b""
        with suppress(OSError):  # how a terminal tells that nobody writes to it any more
            while chunk := os.read(terminal, 1 << 12):
                screen += chunk
        os.close(terminal)
        stdout = process.stdout.read() if process.stdout else ""
    return Seen(process.returncode, screen.decode(), stdout)
