"""Planner: tries the marches that look best in sampled games, the others' answers included, and takes one.

What looks best it judges much as the strategist does; each bot is to be complete by itself.
"""

from collections.abc import Sequence
from copy import copy
from math import exp, log
from typing import Annotated, NamedTuple

import arena
from arena.bot import Attack, Bot, Briefing, Fortify, Order, View, default_order

LOSS = 0.85
"""Troops that an attacker loses for each defender, three dice against two."""

LARGE = 100
"""Battles of more troops are judged like one of so many in the same proportion."""

STACKS = 8
"""So many of the largest stacks may march, or move at the turn's end."""

CHOICES = 6
"""So many marches are tried in the forward model: the best at first sight."""

PRIOR = 20
"""What a march promises at first sight counts as so many samples: these differ more than marches do."""

CERTAIN = 6.0
"""The logarithm of the odds to win where no rival is left."""


class March(NamedTuple):
    """One stack's captures in their order, and the log odds to win that are expected after them."""

    value: float
    start: int
    path: tuple[int, ...]


class Planner(Bot):
    """Searches when it reinforces, and when a march is over or goes badly; the rest follows from that."""

    def __init__(
        self,
        nodes: Annotated[
            int, "about so many orders and rolls are tried for a decision; none: first sight"
        ] = 1500,
    ) -> None:
        self.nodes = nodes

    def start(self, briefing: Briefing) -> None:
        """Note each continent's gates, what it pays for the troops it takes, and how it draws claims."""
        board = self.board = briefing.board
        inside = board.continent_of
        self.gates = [
            [t for t in members if any(inside[u] != c for u in board.neighbours[t])]
            for c, members in enumerate(board.members)
        ]
        self.worth = [
            bonus / (len(gates) + 0.6 * len(members))
            for bonus, gates, members in zip(board.continent_bonus, self.gates, board.members, strict=True)
        ]
        self.draw = [
            4 * bonus / len(m) ** 2 for bonus, m in zip(board.continent_bonus, board.members, strict=True)
        ]
        self.plan = March(0.0, -1, ())
        self.double = copy(self)
        """Plays the own seat in samples: at first sight."""
        self.double.nodes = 0

    # --- setup

    def claim(self, view: View) -> int:
        """What adds most to the chances of a continent; the neutral gets what adds least."""
        pick = max if view.placing_for == view.seat else min
        return pick(view.unclaimed, key=lambda t: self.appeal(view, t))

    def appeal(self, view: View, t: int) -> float:
        """What a free territory adds to the own chances of a continent, and takes from the rivals'.

        Small continents draw most: they can be had, and who won says so.
        """
        c = self.board.continent_of[t]
        members = self.board.members[c]
        held = [view.owners[u] for u in members if view.owners[u] >= 0]
        own = held.count(view.seat)
        near = sum([view.owners[u] == view.seat for u in self.board.neighbours[t]])
        spoils = any(held.count(rival) == len(members) - 1 for rival in set(held) - {view.seat})
        return self.draw[c] * (1 + own - 0.7 * (len(held) - own) + spoils) + 0.1 * near

    def place(self, view: View) -> int:
        """On the stack that fights for the best continent."""
        return self.spot(view, view.frontier) if view.placing_for == view.seat else super().place(view)

    def spot(self, view: View, places: Sequence[int]) -> int:
        """The place from which the continent of most promise is fought for, and there the largest stack."""
        owners, troops, inside = view.owners, view.troops, self.board.continent_of
        promise = []
        for c, members in enumerate(self.board.members):
            own = sum([troops[t] + 1 for t in members if owners[t] == view.seat])
            promise.append(self.worth[c] * (own + 2) / (sum([troops[t] + 1 for t in members]) + 2))
        return max(places, key=lambda t: (max([promise[inside[u]] for u in view.enemies(t)]), troops[t]))

    def trade(self, view: View) -> tuple[int, ...] | None:
        """At once; the set that spares the wild cards."""
        n = len(view.owners)
        return view.trade_order(max(view.sets(), key=lambda cards: sum([card < n for card in cards])))

    # --- the turn, in the game and in samples of it

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """All where the best march starts."""
        self.plan = self.best_march(view)
        return ((self.plan.start, view.to_place),)

    def attack(self, view: View) -> Attack | None:
        """The next step of the march while it goes well, else of the best that there is now."""
        start, path = self.plan.start, self.plan.path
        goes_on = path and view.owners[start] == view.seat and view.owners[path[0]] != view.seat
        if not goes_on or self.chance(view, start, path, 0) < 0.5:
            self.plan = self.best_march(view)
        return self.step(view)

    def step(self, view: View) -> Attack | None:
        """The next attack of the march, on to the strength of the defender."""
        start, path = self.plan.start, self.plan.path
        if not path:
            return super().attack(view)
        return Attack(start, path[0], until=min(view.troops[start] - 1, max(1, view.troops[path[0]] - 1)))

    def occupy(self, view: View) -> int:
        """On with the stack while the march goes on; then in proportion to the enemies about."""
        if view.src == self.plan.start and self.plan.path[:1] == (view.dst,):
            self.plan = self.plan._replace(start=view.dst, path=self.plan.path[1:])
            if self.plan.path:
                return view.most
        ahead, behind = view.threat(view.dst), view.threat(view.src)
        if not behind:
            return view.most
        return max(view.least, round(view.most * ahead / (ahead + behind)))

    def fortify(self, view: View) -> Fortify | None:
        """A large stack that guards nothing goes to the gate that needs it most, or up to the front."""
        needs, posts, front = self.needs(view), self.posts(view), view.frontier
        free = [t for t in view.own if view.troops[t] > 1 and t not in posts]
        for src in sorted(free, key=lambda t: -view.troops[t])[:STACKS]:
            targets = view.fortify_targets(src)
            dst = max([t for t in targets if t in needs], key=lambda t: needs[t], default=-1)
            places = [t for t in targets if t in front]
            if dst < 0 and src not in front and places:
                dst = self.spot(view, places)
            if dst >= 0:
                return Fortify(src, dst, view.troops[src] - 1)
        return None

    def needs(self, view: View) -> dict[int, int]:
        """How many troops the gates of own continents lack to match their strongest neighbours."""
        needs = {}
        for t in self.posts(view):
            lack = max([view.troops[u] for u in view.enemies(t)]) - view.troops[t]
            if lack > 0:
                needs[t] = lack
        return needs

    def posts(self, view: View) -> list[int]:
        """Where own continents touch others."""
        return [t for c in view.continents_held(view.seat) for t in self.gates[c] if view.enemies(t)]

    # --- marches

    def best_march(self, view: View) -> March:
        """The march that leaves the best chances when the own turn comes again.

        Rounds with equal shares of the nodes; in each all that are left meet the same samples, and the better
        half stays (sequential halving: Karnin, Koren and Somekh, ICML 2013).
        """
        left = self.marches(view)
        totals = {march: PRIOR * chances(march.value) for march in left}
        rounds = (len(left) - 1).bit_length()
        nodes = 0
        for done in range(1, rounds + 1):
            while nodes < self.nodes * done // rounds:
                sample = view.sample(self.rng)
                for march in left:
                    game = sample.copy()
                    totals[march] += self.try_out(game, march)
                    nodes += game.decisions + game.rolls  # a sample begins with none
            left = sorted(left, key=lambda march: -totals[march])[: (len(left) + 1) // 2]
        return left[0]

    def try_out(self, game: arena.Game, march: March) -> float:
        """The chances after the march, the rest of the own turn and the others' turns, played in `game`."""
        view, double = game.view(), self.double
        seat, double.plan = view.seat, march
        game.apply(((march.start, view.to_place),) if view.decision == "reinforce" else double.step(view))
        was_others_turn = False
        while game.result is None and seat not in game.exits and not (was_others_turn and game.seat == seat):
            view = game.view()
            was_others_turn = view.seat != seat
            game.apply(answer(view) if was_others_turn else getattr(double, view.decision)(view))
        if game.result is None and seat not in game.exits:
            return chances(Outlook(game.view(), self.gates).now)
        return float(game.result is not None and game.result.winner == seat)

    def marches(self, view: View) -> list[March]:
        """The best at first sight, in that order; while attacking, to stay where one is counts as one."""
        extra = view.to_place if view.decision == "reinforce" else 0
        outlook = Outlook(view, self.gates)
        marches = [] if extra else [March(outlook.now, -1, ())]
        for start in sorted(view.frontier, key=lambda t: -view.troops[t])[:STACKS]:
            troops = view.troops[start] + extra
            if extra:
                marches.append(March(outlook.after(start, (), troops), start, ()))
            failed = outlook.after(start, (), 1)
            for path in self.paths(view, start, troops):
                chance = self.chance(view, start, path, extra)
                if chance >= 0.5:
                    rest = troops - LOSS * sum([view.troops[t] for t in path]) - len(path)
                    value = chance * outlook.after(start, path, rest) + (1 - chance) * failed
                    marches.append(March(value, start, path))
        return sorted(marches, reverse=True)[:CHOICES]

    def paths(self, view: View, start: int, troops: int) -> list[tuple[int, ...]]:
        """Where a stack might go: one step, the rest of a continent, all of a rival, or a part of the way."""
        owners, most = view.owners, round(1.2 * troops)
        aims = [[t for t in members if owners[t] != view.seat] for members in self.board.members]
        for rival in set(owners) - {view.seat}:
            aims.append(list(view.territories(rival)))
            aims += [[t] for c in view.continents_held(rival) for t in self.board.members[c]]
        aims += [[t] for t in view.enemies(start)]
        marches = {view.march(start, aim, most) for aim in aims if sum([view.troops[t] for t in aim]) < most}
        return sorted({path[:n] for path in marches for n in range(1, len(path) + 1)})

    def chance(self, view: View, start: int, path: tuple[int, ...], extra: int) -> float:
        """How likely the stack captures the whole path, as if all the defenders stood in one place."""
        attackers = max(0, view.troops[start] + extra - len(path))
        defenders = sum([view.troops[t] for t in path])
        scale = max(1, (attackers + defenders) // LARGE)
        return arena.odds.win_probability(attackers // scale, defenders // scale)


class Outlook:
    """The logarithm of the odds to win, now and after a march: a linear evaluation of what each seat has."""

    def __init__(self, view: View, gates: list[list[int]]) -> None:
        self.view = view
        self.gates = gates
        self.card = view.next_set_value / 3 / (sum(view.troops) / view.players + 1)
        seats = {owner for owner in view.owners if owner >= 0}
        owners, troops = list(view.owners), list(map(float, view.troops))
        self.strengths = {s: self.strength(s, owners, troops, view.hand_sizes[s]) for s in seats}
        self.now = self.log_odds(self.strengths)

    def after(self, start: int, path: tuple[int, ...], rest: float) -> float:
        """The log odds once the stack at `start` has captured the path and ends there with `rest` troops."""
        view, seat = self.view, self.view.seat
        owners, troops = list(view.owners), list(map(float, view.troops))
        for t in (start, *path):
            owners[t] = seat
            troops[t] = 1.0
        troops[path[-1] if path else start] = max(1.0, rest)
        strengths = dict(self.strengths)
        cards = view.hand_sizes[seat] + (bool(path) and not view.captured)
        for rival in {view.owners[t] for t in path}.intersection(strengths):
            if rival in owners:
                strengths[rival] = self.strength(rival, owners, troops, view.hand_sizes[rival])
            else:
                del strengths[rival]
                cards += view.hand_sizes[rival]
        strengths[seat] = self.strength(seat, owners, troops, cards)
        return self.log_odds(strengths)

    def log_odds(self, strengths: dict[int, float]) -> float:
        """Own strength against the sum of the others'; rounded, as machines differ in the last digits."""
        others = [strength for seat, strength in strengths.items() if seat != self.view.seat]
        return round(strengths[self.view.seat] - log(sum(map(exp, others))), 9) if others else CERTAIN

    def strength(self, seat: int, owners: list[int], troops: list[float], cards: int) -> float:
        """A seat's share in the chances to win, as a logarithm; weights fitted to who won, then tried."""
        view = self.view
        force = sum([n for owner, n in zip(owners, troops, strict=True) if owner == seat])
        exposed = sum(
            [
                view.board.continent_bonus[c]
                for c in view.board.continents_held(owners, seat)
                if any(
                    owners[u] != seat and troops[u] > troops[t] + 1
                    for t in self.gates[c]
                    for u in view.board.neighbours[t]
                )
            ]
        )
        wait = (seat - view.seat - 1) % view.players / view.players
        income = view.rules.income(owners, seat)
        return (
            1.1 * log(force)
            + 0.7 * log(max(1, income))
            + 2.2 * self.card * cards
            - 0.05 * exposed
            - 0.7 * wait
        )


def chances(log_odds: float) -> float:
    """The chances to win; rounded, as machines differ in the last digits."""
    return round(1 / (1 + exp(-log_odds)), 9)


def answer(view: View) -> Order:
    """What another player might do: capture where it has the edge, and go on where it has much of it."""
    troops = view.troops
    if view.decision == "reinforce":
        spot = max(view.frontier, key=lambda t: troops[t] - min([troops[u] for u in view.enemies(t)]))
        return ((spot, view.to_place),)
    if view.decision == "attack":
        src, dst = max(view.attacks(), key=lambda pair: troops[pair[0]] - troops[pair[1]], default=(-1, -1))
        enough = 4 * troops[dst] + 1 if view.captured else troops[dst] + 2
        if src >= 0 and (troops[src] >= enough or view.forced):
            return Attack(src, dst, until=min(troops[dst], troops[src] - 1))
        return None
    if view.decision == "occupy":
        return view.most if view.enemies(view.dst) else view.least
    return default_order(view)


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("planner", Planner)
