"""Nodes of a cluster: what is installed there is compared, and bots given as files come along."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from clusters import cluster_of_nodes
from playing import BOTS, job_of, spec_of
from tournaments import games_in, tournament

from arena.config import GameResult
from arena.errors import ConfigError
from arena.executors import make_executor
from arena.executors.parcel import pack, unpack
from arena.host import Host
from arena.match import Referee
from arena.run import run

ROOT = Path(__file__).parents[1]


def installed_copy(folder: Path, changed: str) -> Path:
    """A folder that holds arena as it is, but for a comment in one file."""
    for source, target in (("arena", "arena"), ("bots", "arena/bots"), ("configs", "arena/configs")):
        shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / changed).open("a") as file:
        file.write("# changed\n")
    return folder


def arena_run(file: Path, address: str) -> "subprocess.CompletedProcess[str]":
    script = "import sys; from arena.cli import main; main()"
    arguments = ["run", str(file), "--address", address, "--db", str(file.with_suffix(".db"))]
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("arena/risk/game.py", "expected Python {python}, arena "),
        ("arena/bots/greedy.py", "bot greedy: its source has changed"),
    ],
)
def test_node_with_something_else_installed_is_an_error_that_names_it(
    changed: str, words: str, tmp_path: Path, mark: str
) -> None:
    other = installed_copy(tmp_path / "other", changed)
    file = tmp_path / "cup.toml"
    tournament(tmp_path)
    with cluster_of_nodes() as cluster:
        cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(other)})
        done = arena_run(file, cluster.address)
    assert done.returncode == 2, done
    expected = words.format(python=sys.version.split()[0])
    assert done.stderr.splitlines()[-1].startswith(f"arena: node {os.uname().nodename}: {expected}"), done
    assert "Traceback" not in done.stderr
    assert games_in(file.with_suffix(".db")) == set()


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="hiding a folder from a node needs a mount namespace")
def test_bots_given_as_files_travel_to_a_node_that_has_them_not(tmp_path: Path, mark: str) -> None:
    bots = tmp_path / "bots"
    shutil.copytree(BOTS, bots)
    (bots / "pair").mkdir()
    (bots / "pair" / "__init__.py").write_text("from .inner import Raises\n")
    shutil.copy(BOTS / "raises.py", bots / "pair" / "inner.py")
    resolved = tournament(tmp_path, bots=["greedy", "bots/set_walker.py", "bots/pair"], blocks=2)
    start = f"mount -t tmpfs none {bots} && exec ray start --block --num-cpus=1 --disable-usage-stats"
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    with cluster_of_nodes() as cluster:
        node = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", f"{start} --address={cluster.address}"],
            env=os.environ | path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        done = arena_run(tmp_path / "cup.toml", cluster.address)
        node.terminate()
        node.wait()
    assert done.returncode == 0, done
    run(resolved, tmp_path / "here.db", make_executor("local", workers=1))
    assert games_in(tmp_path / "cup.db") == games_in(tmp_path / "here.db") != set()


def test_bots_are_unpacked_where_their_files_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    job = job_of("greedy", "raises.py")
    assert unpack(job, pack(job)).bots[1].path == str(BOTS / "raises.py")  # they are here
    away = replace(job, bots=(job.bots[0], replace(job.bots[1], path="/nowhere/raises.py")))
    parcel = {"/nowhere/raises.py": pack(job)[str(BOTS / "raises.py")]}
    for _ in range(2):
        there = unpack(away, parcel)
        assert there == job
        assert Path(there.bots[1].path).is_relative_to(tmp_path)
    with Host(there) as host:
        result = host.play(spec_of(job, 0, 0, 1))
    assert isinstance(result, GameResult)
    assert result.digest == Referee.for_job(job).play(spec_of(job, 0, 0, 1)).digest


def test_other_installation_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^expected Python 2.7, found Python 3\S+, arena \S+ \(\w+\)$"):
        Referee.for_job(replace(job_of("greedy"), installation="Python 2.7"))
