"""This process: its name in results, and the fixed hash seed that every process that plays needs."""

import os
import platform
import sys

from arena.errors import ConfigError


def worker_name() -> str:
    """This process, as `GameResult.worker` names it: `host name:process id`."""
    return f"{platform.node()}:{os.getpid()}"


def is_hash_seed_fixed() -> bool:
    """Whether PYTHONHASHSEED is 0 here, so that strings hash alike everywhere.

    Otherwise a bot that walks over a set of strings plays another game in every process.
    """
    return not sys.flags.hash_randomization


def ensure_hash_seed() -> None:
    """Start this process anew with PYTHONHASHSEED=0 unless it has it; then the call does not return.

    Raises ConfigError where Python was told to ignore its environment.
    """
    if is_hash_seed_fixed():
        return
    if os.environ.get("PYTHONHASHSEED") == "0":
        raise ConfigError("PYTHONHASHSEED: expected Python to heed it, but it was started with -E or -I")
    os.environ["PYTHONHASHSEED"] = "0"
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
