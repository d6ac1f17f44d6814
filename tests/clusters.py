"""A Ray cluster of several nodes on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager

from ray.cluster_utils import Cluster


@contextmanager
def cluster_of_nodes() -> Iterator[Cluster]:
    """A head without cores, so that games are played on nodes that are added."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        yield cluster
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]
