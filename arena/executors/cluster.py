"""The connection to a Ray cluster, started for us or joined, without a word of Ray's on the terminal."""

import logging
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO, cast

from arena.errors import ConfigError, RunStopped

_has_token = "RAY_AUTH_TOKEN" in os.environ or "RAY_AUTH_TOKEN_PATH" in os.environ
if "ray" not in sys.modules and (_has_token or (Path.home() / ".ray/auth_token").exists()):
    os.environ.setdefault("RAY_AUTH_MODE", "token")  # read at import, and not on by itself for an address

_excepthook = sys.excepthook
import ray  # noqa: E402

sys.excepthook = _excepthook  # Ray's would tell our errors to the cluster

__all__ = ["connected", "first_line", "ray"]

OBJECT_STORE_BYTES = 100 << 20
"""Shared memory of a cluster of ours; results are small enough to travel past it."""

SETTINGS = {"worker_niceness": 0, "task_events_report_interval_ms": 0}
"""Of a cluster of ours: full speed, and no log of tasks, with which its server would grow without end."""

CONNECT_SECONDS = 10.0
"""How long a cluster to be joined may take to answer."""

MOST_FOLDER_CHARACTERS = 107 - len("/session_2000-01-01_00-00-00_000000_4194304/sockets/plasma_store")
"""Linux allows 107 characters for the path of a socket."""


@contextmanager
def connected(workers: int, address: str | None) -> Iterator[None]:
    """Be connected to the cluster at `address` (host:port), or to one of `workers` cores that ends with us.

    Raises ConfigError for an address where there is no cluster, RunStopped where none can be started.
    """
    if ray.is_initialized():
        raise ConfigError("executor ray: expected a process without Ray, but it is on a cluster already")
    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(cast(TextIO, _WithoutRay(sys.stdout))))
        if address is None:
            folder = stack.enter_context(_socket_folder())
            stack.callback(ray.shutdown)
            _start(workers, folder)
        else:
            stack.callback(ray.shutdown)
            _join(address)
        yield


def first_line(error: BaseException) -> str:
    """An error of Ray's, short: its type and the first line of its text."""
    return f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"


def _start(workers: int, folder: str) -> None:
    if "RAY_AUTH_TOKEN_PATH" not in os.environ:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else Ray leaves one in ~/.ray
    try:
        _init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=folder,
            _system_config=SETTINGS,
        )
    except Exception as error:
        raise RunStopped(f"Ray could not be started: {first_line(error)}") from error


def _join(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()  # Ray itself waits for minutes
        _init(address=address)
    except Exception as error:
        raise ConfigError(
            f"address: found no Ray cluster to join at {address}: {first_line(error)}"
        ) from error


def _init(**options: Any) -> None:
    """ray.init in silence, with our handler of SIGTERM put back in place of Ray's."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)


@contextmanager
def _socket_folder() -> Iterator[str]:
    """A temporary folder for what Ray leaves behind."""
    folder = tempfile.mkdtemp(prefix="arena-")
    try:
        if len(folder) > MOST_FOLDER_CHARACTERS:
            raise ConfigError(
                f"TMPDIR: expected a folder with a short path, for Ray's sockets, got {tempfile.gettempdir()}"
            )
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _WithoutRay:
    """A stream that leaves out what the thread prints that Ray has for news of the cluster."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the text, unless it is Ray's."""
        is_ray = threading.current_thread().name == "ray_listen_error_messages"
        return len(text) if is_ray else self._stream.write(text)
