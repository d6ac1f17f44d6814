"""Planner: tries its best marches in sampled games, the others' answers included, and takes the best one."""

from collections.abc import Sequence
from math import exp, log
from typing import Annotated, NamedTuple

import arena
from arena.bot import Attack, Bot, Briefing, Fortify, Order, View, default_order

LOSS = 0.85
"""Troops that an attacker loses for each defender, three dice against two."""

LARGE = 100
"""Battles of more troops are judged like one of so many in the same proportion."""

STACKS = 4
"""So many of the largest stacks may march."""

CHOICES = 12
"""So many marches are tried in the forward model: the best at first sight."""


class March(NamedTuple):
    """One stack's captures in their order, and the chances to win that are expected after them."""

    chances: float
    start: int
    path: tuple[int, ...]


class Planner(Bot):
    """Searches when it reinforces and when a march is over; the rest of its turn follows from that."""

    def __init__(
        self, nodes: Annotated[int, "about so many orders and rolls are tried for one decision"] = 4000
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

    # --- the turn; `march` is the plan, in the game or in a sample

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """As the best march needs it."""
        self.plan = self.search(view)
        return self.reinforcement(view, self.plan)

    def attack(self, view: View) -> Attack | None:
        """The next step of the march; when it is over, of the best that there is now."""
        if not self.can_step(view, self.plan):
            self.plan = self.search(view)
        return self.step(view, self.plan) or super().attack(view)

    def occupy(self, view: View) -> int:
        """As the march goes on."""
        self.plan = self.advance(view, self.plan)
        return self.move_in(view, self.plan)

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

    def reinforcement(self, view: View, march: March) -> tuple[tuple[int, int], ...]:
        """Up to half for the gates of own continents that need it, the rest where the march starts."""
        order = self.guards(view)
        rest = view.to_place - sum(order.values())
        start = march.start if march.start in view.own else self.spot(view, view.frontier)
        order[start] = order.get(start, 0) + rest
        return tuple(order.items())

    def guards(self, view: View) -> dict[int, int]:
        """Up to half of what is to be placed, to match the strongest neighbours of own continents' gates."""
        order: dict[int, int] = {}
        spare = view.to_place // 2
        for t, lack in sorted(self.needs(view).items(), key=lambda need: need[1]):
            if spare:
                order[t] = min(lack, spare)
                spare -= order[t]
        return order

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

    def can_step(self, view: View, march: March) -> bool:
        """Whether the march has a next step and its stack is the stronger."""
        start, path = march.start, march.path
        if not path or view.owners[start] != view.seat or view.owners[path[0]] == view.seat:
            return False
        return view.troops[start] > max(1, view.troops[path[0]])

    def step(self, view: View, march: March) -> Attack | None:
        """The next attack of the march, on to the strength of the defender."""
        if not self.can_step(view, march):
            return None
        troops, defenders = view.troops[march.start], view.troops[march.path[0]]
        return Attack(march.start, march.path[0], until=min(troops - 1, max(1, defenders - 1)))

    def advance(self, view: View, march: March) -> March:
        """The march after the capture of `view.dst`."""
        if view.src == march.start and march.path[:1] == (view.dst,):
            return march._replace(start=view.dst, path=march.path[1:])
        return march

    def move_in(self, view: View, march: March) -> int:
        """On with the stack while the march goes on; then in proportion to the enemies about."""
        if march.path and march.start == view.dst:
            return view.most
        ahead, behind = view.threat(view.dst), view.threat(view.src)
        if not behind:
            return view.most
        return max(view.least, round(view.most * ahead / (ahead + behind)))

    # --- the search

    def search(self, view: View) -> March:
        """The march that leaves the best chances when the own turn comes again.

        Rounds with equal shares of the nodes; in each all that are left meet the same samples, and the better
        half stays (sequential halving: Karnin, Koren and Somekh, ICML 2013).
        """
        left = self.choices(view)
        totals = dict.fromkeys(left, 0.0)
        rounds = (len(left) - 1).bit_length()
        nodes = 0
        for done in range(1, rounds + 1):
            while nodes < self.nodes * done // rounds:
                game = view.sample(self.rng)
                for march in left:
                    chances, used = self.try_out(game.copy(), march)
                    totals[march] += chances
                    nodes += used
            left = sorted(left, key=lambda march: -totals[march])[: (len(left) + 1) // 2]
        return left[0]

    def try_out(self, game: arena.Game, march: March) -> tuple[float, int]:
        """The chances after the march and the others' turns, and the orders and rolls that it took."""
        seat, before = game.seat, game.decisions + game.rolls
        assert seat is not None
        was_others_turn = False
        while game.result is None and not (was_others_turn and game.seat == seat):
            view = game.view()
            was_others_turn = view.seat != seat
            order: Order
            if was_others_turn:
                order = answer(view)
            elif view.decision == "reinforce":
                order = self.reinforcement(view, march)
            elif view.decision == "attack":
                order = self.step(view, march) or super().attack(view)
            elif view.decision == "occupy":
                march = self.advance(view, march)
                order = self.move_in(view, march)
            else:
                order = getattr(self, view.decision)(view)
            game.apply(order)
        used = game.decisions + game.rolls - before
        if game.result is not None:
            return float(game.result.winner == seat), used
        return Outlook(game.view(), self.gates).chances if seat in game.owners else 0.0, used

    def choices(self, view: View) -> list[March]:
        """The marches that are best at first sight; while attacking, to stay where one is counts as one."""
        extra = view.to_place - sum(self.guards(view).values()) if view.decision == "reinforce" else 0
        outlook = Outlook(view, self.gates)
        marches = [] if extra else [March(outlook.chances, -1, ())]
        for start in sorted(view.frontier, key=lambda t: -view.troops[t])[:STACKS]:
            troops = view.troops[start] + extra
            if extra:
                marches.append(March(outlook.after(start, (), troops), start, ()))
            failed = outlook.after(start, (), 1)
            for path in self.paths(view, start, troops):
                attackers, defenders = troops - len(path), sum([view.troops[t] for t in path])
                scale = max(1, (attackers + defenders) // LARGE)
                chance = arena.odds.win_probability(max(0, attackers) // scale, defenders // scale)
                if chance >= 0.5:
                    done = outlook.after(start, path, attackers - LOSS * defenders)
                    marches.append(March(chance * done + (1 - chance) * failed, start, path))
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


class Outlook:
    """The chances to win, now and after a march, from a linear evaluation of what each seat has."""

    def __init__(self, view: View, gates: list[list[int]]) -> None:
        self.view = view
        self.gates = gates
        self.card = view.next_set_value / 3 / (sum(view.troops) / view.players + 1)
        seats = {owner for owner in view.owners if owner >= 0}
        owners, troops = list(view.owners), list(map(float, view.troops))
        self.strengths = {s: self.strength(s, owners, troops, view.hand_sizes[s]) for s in seats}
        self.chances = self.share(self.strengths)

    def after(self, start: int, path: tuple[int, ...], rest: float) -> float:
        """The chances once the stack at `start` has captured the path and ends there with `rest` troops."""
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
        return self.share(strengths)

    def share(self, strengths: dict[int, float]) -> float:
        """The own share in the sum of all; rounded, as the last digits are not the same on every machine."""
        own = strengths[self.view.seat]
        return round(1 / sum([exp(strength - own) for strength in strengths.values()]), 9)

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
            + 1.2 * self.card * cards
            - 0.05 * exposed
            - 0.7 * wait
        )


def answer(view: View) -> Order:
    """What another player might do: attack with all it has wherever it has the edge."""
    troops = view.troops
    if view.decision == "reinforce":
        spot = max(view.frontier, key=lambda t: troops[t] - min([troops[u] for u in view.enemies(t)]))
        return ((spot, view.to_place),)
    if view.decision == "attack":
        src, dst = max(view.attacks(), key=lambda pair: troops[pair[0]] - troops[pair[1]], default=(-1, -1))
        if src >= 0 and (troops[src] >= troops[dst] + 2 or view.forced):
            return Attack(src, dst, until=min(troops[dst], troops[src] - 1))
        return None
    if view.decision == "occupy":
        return view.most if view.enemies(view.dst) else view.least
    return default_order(view)


@arena.hookimpl
def register_bots(register: arena.RegisterBot) -> None:
    """Offer the bot."""
    register("planner", Planner)
