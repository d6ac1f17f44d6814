"""What the author of a bot reads: `Bot`, `Briefing` and what each decision expects."""

from dataclasses import dataclass
from random import Random

from arena.risk.board import Board
from arena.risk.orders import Attack, Fortify, Order
from arena.risk.rules import Rules
from arena.risk.view import View

__all__ = ["Attack", "Bot", "Briefing", "Fortify", "Order", "View", "default_order"]


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a bot is told when it sits down."""

    seat: int
    """The bot's place at the table, from 0."""
    players: int
    """Number of seats."""
    rules: Rules
    """Every switch of the edition."""
    rng: Random
    """The bot's own source of chance: the same numbers for the same seed and seat, whatever others draw."""

    @property
    def board(self) -> Board:
        """The map: names, neighbours, continents."""
        return self.rules.board


class Bot:
    """A player: one method a decision, each with a sensible default, so that a bot may write only `attack`.

    A fresh bot is made for every game. Territories, cards and seats are ints; `view.board` has their names.
    An illegal answer or an exception is a strike: the default takes its place; a third strike ends the game
    for the bot.
    """

    briefing: Briefing
    """Set before `start`."""

    @property
    def rng(self) -> Random:
        """The only source of chance that a bot should use: seeded by the game."""
        return self.briefing.rng

    def start(self, briefing: Briefing) -> None:
        """The game begins; nothing to do by default."""

    def claim(self, view: View) -> int:
        """An unclaimed territory to take (in two-player games also for the neutral: `view.placing_for`).

        By default: the free territory in the most nearly own continent, for a neutral the first.
        """
        if view.placing_for != view.seat:
            return view.unclaimed[0]
        continent_of = view.board.continent_of
        own = [continent_of[t] for t in view.own]
        return max(view.unclaimed, key=lambda t: own.count(continent_of[t]))

    def place(self, view: View) -> int:
        """A territory of `view.placing_for` to put one starting troop on.

        By default: where the threat outweighs the troops most, for a neutral where the fewest troops stand.
        """
        mine = view.territories(view.placing_for)
        if view.placing_for != view.seat:
            return min(mine, key=lambda t: view.troops[t])
        return max(mine, key=lambda t: view.threat(t) - view.troops[t])

    def trade(self, view: View) -> tuple[int, ...] | None:
        """Three cards that are a set (`view.sets()`, `view.trade_order`), or None unless `view.forced`."""
        return view.trade_order(view.sets()[0])

    def reinforce(self, view: View) -> tuple[tuple[int, int], ...]:
        """((territory, troops), …) that adds up to `view.to_place`.

        By default: everything where the threat outweighs the troops most.
        """
        place = max(view.frontier or view.own, key=lambda t: view.threat(t) - view.troops[t])
        return ((place, view.to_place),)

    def attack(self, view: View) -> Attack | None:
        """`Attack(src, dst, dice, until)`, or None to attack no more.

        By default: none; where an attack is forced, the one with the most troops over the defender's.
        """
        if not view.forced:
            return None
        src, dst = max(view.attacks(), key=lambda pair: view.troops[pair[0]] - view.troops[pair[1]])
        return Attack(src, dst)

    def occupy(self, view: View) -> int:
        """Troops to move from `view.src` into the captured `view.dst`: `view.least` … `view.most`.

        By default: all but one where the origin is safe now, else as few as allowed.
        """
        safe = not [t for t in view.enemies(view.src) if t != view.dst]
        return view.most if safe else view.least

    def fortify(self, view: View) -> Fortify | None:
        """`Fortify(src, dst, troops)`, or None to end the turn.

        By default: the largest stack behind the lines goes to the most threatened border that it reaches.
        """
        src = max(view.interior, key=lambda t: view.troops[t], default=-1)
        if src < 0 or view.troops[src] == 1:
            return None
        borders = [t for t in view.fortify_targets(src) if t in view.frontier]
        weakest = max(borders, key=lambda t: view.threat(t) - view.troops[t], default=-1)
        return Fortify(src, weakest, view.troops[src] - 1) if borders else None

    def defend(self, view: View) -> int:
        """Dice to roll for `view.dst`: 1 … `view.most`. Asked only of bots that write this method."""
        return view.most


def default_order(view: View) -> Order:
    """The order that stands in for a bot's faulty one: a function of the view alone, always legal."""
    order: Order = getattr(Bot(), view.decision)(view)
    return order
