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
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import Any, TextIO, cast

from arena.errors import ConfigError, RunStopped
from arena.match import describe

_has_token = (
    "RAY_AUTH_TOKEN" in os.environ
    or "RAY_AUTH_TOKEN_PATH" in os.environ
    or os.path.exists(os.path.expanduser("~/.ray/auth_token"))  # unlike Path.home() fit for who has no home
)
if "ray" not in sys.modules and _has_token:
    os.environ.setdefault("RAY_AUTH_MODE", "token")  # read at import, and not on by itself for an address

_excepthook = sys.excepthook
import ray  # noqa: E402
from ray.job_config import JobConfig  # noqa: E402

sys.excepthook = _excepthook  # Ray's would tell our errors to the cluster

__all__ = ["connected", "ray"]

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
        folder = stack.enter_context(_socket_folder()) if address is None else None
        thread = stack.enter_context(_ray_thread())
        stack.callback(lambda: thread.submit(ray.shutdown).result())
        if folder is None:
            _join(thread, str(address))
        else:
            _start(thread, workers, folder)
        yield


def _start(thread: Executor, workers: int, folder: str) -> None:
    if "RAY_AUTH_TOKEN_PATH" not in os.environ:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else Ray leaves one in ~/.ray
    try:
        _init(
            thread,
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=folder,
            _system_config=SETTINGS,
        )
    except Exception as error:
        raise RunStopped(f"Ray could not be started: {describe(error)}") from error


def _join(thread: Executor, address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()  # Ray itself waits for minutes
        _init(thread, address=address)
    except Exception as error:
        raise ConfigError(f"address: found no Ray cluster to join at {address}: {describe(error)}") from error


def _init(thread: Executor, **options: Any) -> None:
    job = _JobConfig()
    thread.submit(
        lambda: ray.init(log_to_driver=False, logging_level=logging.ERROR, job_config=job, **options)
    ).result()


def _ray_thread() -> ThreadPoolExecutor:
    """The thread in which Ray starts and ends, whole even where a signal raises in the main thread meanwhile.

    Outside of the main thread Ray leaves our handlers of signals alone. Its processes end with the thread
    that starts them, and inherit its mask: a terminal that interrupts or hangs up means only us.
    """
    return ThreadPoolExecutor(1, "ray", signal.pthread_sigmask, (signal.SIG_BLOCK, _OF_TERMINALS))


_OF_TERMINALS = {signal.SIGINT, signal.SIGHUP}


class _JobConfig(JobConfig):
    """Keeps the folders of the driver's script and of its user off the workers' path.

    A file there named like a module of ours or of Python's would be imported in its place.
    """

    def _runtime_env_has_working_dir(self) -> bool:
        return True  # which is where Ray leaves them out


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
    """A stream that leaves out what Ray's threads print: news of the cluster, the last of it when it ends."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the text, unless it is Ray's."""
        is_ray = threading.current_thread().name.startswith("ray_")
        return len(text) if is_ray else self._stream.write(text)
