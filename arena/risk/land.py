"""Who holds what, as one seat sees it: worked out when first asked for, then kept."""

from typing import Any

from arena.risk.board import Board


class Land:
    """The owners of all territories, and what follows for `seat`.

    All its views share it until a territory changes hands. Loops end with `break` where `any` would be
    shorter: bots ask here all the time.
    """

    __slots__ = ("_components", "_frontier", "_interior", "_own", "_targets", "board", "owners", "seat")

    def __init__(self, board: Board, owners: tuple[int, ...], seat: int) -> None:
        self.board = board
        self.owners = owners
        self.seat = seat
        self._own: tuple[int, ...] | None = None
        self._frontier: tuple[int, ...] | None = None
        self._interior: tuple[int, ...] | None = None
        self._targets: tuple[int, ...] | None = None
        self._components: dict[int, tuple[int, ...]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Land, (self.board, self.owners, self.seat)

    def territories(self, owner: int) -> tuple[int, ...]:
        """The territories of `owner`, ascending."""
        return tuple([t for t, o in enumerate(self.owners) if o == owner])

    def own(self) -> tuple[int, ...]:
        """The seat's territories, ascending."""
        if self._own is None:
            self._own = self.territories(self.seat)
        return self._own

    def enemies(self, territory: int) -> list[int]:
        """Neighbours of `territory` that are not the seat's."""
        owners, seat = self.owners, self.seat
        return [u for u in self.board.neighbours[territory] if owners[u] != seat]

    def frontier(self) -> tuple[int, ...]:
        """The seat's territories that touch somebody else's, ascending."""
        if self._frontier is None:
            owners, seat, neighbours = self.owners, self.seat, self.board.neighbours
            frontier = []
            for t in self.own():
                for u in neighbours[t]:
                    if owners[u] != seat:
                        frontier.append(t)
                        break
            self._frontier = tuple(frontier)
        return self._frontier

    def interior(self) -> tuple[int, ...]:
        """The seat's territories that touch none but its own, ascending."""
        if self._interior is None:
            frontier = self.frontier()
            self._interior = tuple([t for t in self.own() if t not in frontier])
        return self._interior

    def targets(self) -> tuple[int, ...]:
        """The territories of others that touch one of the seat's, ascending."""
        if self._targets is None:
            owners, seat, neighbours = self.owners, self.seat, self.board.neighbours
            targets = []
            for t, owner in enumerate(owners):
                if owner != seat:
                    for u in neighbours[t]:
                        if owners[u] == seat:
                            targets.append(t)
                            break
            self._targets = tuple(targets)
        return self._targets

    def connected(self, territory: int) -> tuple[int, ...]:
        """The territories of one owner that hang together with `territory`, itself included, ascending."""
        if territory not in self._components:
            component = tuple(self.board.connected(list(self.owners), territory))
            for t in component:
                self._components[t] = component
        return self._components[territory]
