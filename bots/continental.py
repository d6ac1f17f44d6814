"""Continental: fights for what continents pay: to complete them, to hold them and to break others'."""

import arena
from arena.bot import Attack, Bot, Briefing, View


class Continental(Bot):
    """Gathers where the most promising continent can be won, and attacks what pays."""

    def start(self, briefing: Briefing) -> None:
        """Weigh each continent by what it pays for the territories to guard and to conquer."""
        board = self.board = briefing.board
        self.worth: list[float] = []
        for c, members in enumerate(board.members):
            gates = [t for t in members if any(board.continent_of[u] != c for u in board.neighbours[t])]
            self.worth.append((board.continent_bonus[c] + 1) / (len(gates) + 1) / len(members) ** 0.5)

    def claim(self, view: View) -> int:
        """Where the continent is worth most and own territories are near; the neutral gets the rest."""
        board, own = self.board, set(view.own)

        def value(t: int) -> float:
            continent = board.continent_of[t]
            held = len(own.intersection(board.members[continent]))
            return self.worth[continent] * (1 + held) + 0.1 * len(own.intersection(board.neighbours[t]))

        pick = max if view.placing_for == view.seat else min
        return pick(view.unclaimed, key=value)

    def place(self, view: View) -> int:
        """Where the next troops do most."""
        return self.spot(view) if view.placing_for == view.seat else super().place(view)

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """Everything where the next troops do most."""
        return ((self.spot(view), view.to_place),)

    def goal(self, view: View) -> int:
        """The continent to win next, by its worth and the own share of the troops there; -1 for none."""
        best, goal = 0.0, -1
        for c, members in enumerate(self.board.members):
            mine = [view.troops[t] for t in members if view.owners[t] == view.seat]
            value = self.worth[c] * (sum(mine) + 1) / sum([view.troops[t] for t in members])
            if value > best and len(mine) < len(members):
                best, goal = value, c
        return goal

    def spot(self, view: View) -> int:
        """The territory that is strongest against the goal; away from it, the most threatened one."""
        goal, continent_of, troops = self.goal(view), self.board.continent_of, view.troops

        def promise(t: int) -> tuple[bool, int]:
            prey = [troops[u] for u in view.enemies(t) if continent_of[u] == goal]
            return (True, troops[t] - min(prey)) if prey else (False, view.threat(t) - troops[t])

        return max(view.frontier, key=promise)

    def gains(self, view: View) -> list[float]:
        """By territory: what its capture is worth, in troops."""
        owners, goal = view.owners, self.goal(view)
        gains = [0.0] * len(owners)
        for c, members in enumerate(self.board.members):
            foreign = [t for t in members if owners[t] != view.seat]
            decides = len(foreign) == 1 or len({owners[t] for t in members}) == 1
            for t in foreign:
                gains[t] += 2 * decides * self.board.continent_bonus[c] + 1.5 * (c == goal)
        for seat, cards in enumerate(view.hand_sizes):
            last = view.territories(seat) if seat != view.seat else ()
            for t in last if len(last) <= 3 else ():
                gains[t] += 4 * cards / len(last)
        return gains

    def attack(self, view: View) -> Attack | None:
        """What gains most for the troops it will cost, wherever it is the stronger."""
        troops, gains = view.troops, self.gains(view)
        best, choice = 0.0, None
        for src, dst in view.attacks():
            edge = troops[src] - troops[dst]
            value = edge - 2 + gains[dst]
            if edge >= 2 and value > best:
                best, choice = value, (src, dst)
        if choice is None:
            return super().attack(view)
        return Attack(*choice, until=troops[choice[1]])

    def occupy(self, view: View) -> int:
        """On with everything while there is somebody ahead."""
        return view.most if view.enemies(view.dst) else view.least


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("continental", Continental)
