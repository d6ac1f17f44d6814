"""What the rules allow: why an order may not be given in a state.

Every form is checked by hand, down to the exact type: a bot may answer anything, and a compiled and a pure
build must judge alike.
"""

from typing import Any, TypeGuard

from arena.errors import shown
from arena.risk import cards
from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.orders import Attack, Fortify
from arena.risk.state import State


def refusal(state: State, order: object) -> str | None:
    """Why `order` may not be given now, or None when it may."""
    decision = state.decision
    if decision == "attack":
        return _check_attack(state, order)
    # Occupy and defend: as `State.least_and_most`, whose call would take a twentieth of an order's time.
    if decision == "occupy":
        return _check_number("troops", order, state.dice, state.troops[state.src] - 1)
    if decision == "defend":
        return _check_number("dice", order, 1, min(state.rules.defence_dice, state.troops[state.dst]))
    if decision == "claim":
        return _check_claim(state, order)
    if decision == "place":
        return _check_place(state, order)
    if decision == "trade":
        return _check_trade(state, order)
    if decision == "reinforce":
        return _check_reinforce(state, order)
    if decision == "fortify":
        return _check_fortify(state, order)
    return "the game is over"


def _is_territory(value: object, state: State) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < len(state.owners)


def _no_territory(state: State, value: object) -> str:
    return f"expected a territory 0–{len(state.owners) - 1}, got {shown(value)}"


def _check_claim(state: State, order: object) -> str | None:
    if not _is_territory(order, state):
        return _no_territory(state, order)
    if state.owners[order] != UNCLAIMED:
        return f"{state.board.names[order]} is already claimed"
    return None


def _check_place(state: State, order: object) -> str | None:
    if not _is_territory(order, state):
        return _no_territory(state, order)
    if state.owners[order] != state.placing_for:
        whose = "the neutral's" if state.placing_for == NEUTRAL else "one's own"
        return f"{state.board.names[order]} is not {whose}"
    return None


def _check_trade(state: State, order: object) -> str | None:
    if order is None:
        return "expected a set, got None: a trade is forced" if state.must_trade() else None
    if type(order) is not tuple or not 3 <= len(order) <= 4:
        return f"expected three cards, a bonus territory where there is a choice, or None, got {shown(order)}"
    hand = state.hands[state.turn_seat()]
    for card in order[:3]:
        if type(card) is not int or card not in hand:
            return f"expected cards in hand, got {shown(card)}"
    a, b, c = order[:3]
    if len({a, b, c}) < 3:
        return "expected three different cards"
    if not cards.is_set(state.rules, a, b, c):
        return f"{', '.join([state.board.card_name(card) for card in (a, b, c)])} are no set"
    return _check_bonus(state, order)


def _check_bonus(state: State, order: tuple[Any, ...]) -> str | None:
    named = state.own_named(order)
    if len(order) == 4:
        if type(order[3]) is not int or order[3] not in named:
            return f"expected a bonus territory that is own and named by the set, got {shown(order[3])}"
    elif len(named) > 1 and state.bonus_due() and state.rules.own_bonus_limit != "per-card":
        return "expected a bonus territory after the cards: the set names several own territories"
    return None


def _check_reinforce(state: State, order: object) -> str | None:
    if type(order) is not tuple:
        return f"expected ((territory, troops), …), got {shown(order)}"
    seat = state.seat
    seen: set[int] = set()
    total = 0
    for item in order:
        if type(item) is not tuple or len(item) != 2:
            return f"expected ((territory, troops), …), got {shown(item)} in it"
        t, n = item
        if not _is_territory(t, state):
            return _no_territory(state, t)
        if state.owners[t] != seat:
            return f"{state.board.names[t]} is not one's own"
        if t in seen:
            return f"{state.board.names[t]} stands twice"
        if type(n) is not int or n < 1:
            return f"expected at least 1 troop on {state.board.names[t]}, got {shown(n)}"
        seen.add(t)
        total += n
    if total != state.to_place:
        return f"expected {state.to_place} troops in all, got {shown(total)}"
    return None


def _check_attack(state: State, order: object) -> str | None:
    if order is None:
        return "expected an attack, got None: an attack is forced" if state.must_attack() else None
    if type(order) is not Attack:
        return f"expected Attack or None, got {shown(order)}"
    fields: Any = order  # not yet what its annotations say, nor of that length
    if len(fields) != 4:
        return f"expected src, dst, dice and until, got {len(fields)} fields"
    src, dst, dice, until = fields.src, fields.dst, fields.dice, fields.until
    owners, seat, board = state.owners, state.seat, state.board
    n = len(owners)
    if type(src) is not int or src < 0 or src >= n:
        return _no_territory(state, src)
    if type(dst) is not int or dst < 0 or dst >= n:
        return _no_territory(state, dst)
    if owners[src] != seat:
        return f"{board.names[src]} is not one's own"
    if owners[dst] == seat:
        return f"{board.names[dst]} is one's own"
    if dst not in board.neighbours[src]:
        return f"{board.names[src]} does not touch {board.names[dst]}"
    troops = state.troops[src]
    if troops < 2:
        return f"expected at least 2 troops on {board.names[src]}, found {troops}"
    if dice is not None:
        most = min(state.rules.attack_dice, troops - 1)
        if type(dice) is not int or not 1 <= dice <= most:
            return f"expected 1–{most} dice, got {shown(dice)}"
    if until is not None and (type(until) is not int or until < 0 or until >= troops):
        where = board.names[src]
        return f"expected until in 0–{troops - 1}, below the {troops} troops on {where}, got {shown(until)}"
    return None


def _check_number(what: str, order: object, least: int, most: int) -> str | None:
    if type(order) is not int or order < least or order > most:
        return f"expected {least}–{most} {what}, got {shown(order)}"
    return None


def _check_fortify(state: State, order: object) -> str | None:
    if order is None:
        return None
    if type(order) is not Fortify:
        return f"expected Fortify or None, got {shown(order)}"
    fields: Any = order
    if len(fields) != 3:
        return f"expected src, dst and troops, got {len(fields)} fields"
    src, dst, troops = fields
    names = state.board.names
    for t in (src, dst):
        if not _is_territory(t, state):
            return _no_territory(state, t)
        if state.owners[t] != state.seat:
            return f"{names[t]} is not one's own"
    if src == dst:
        return f"expected two territories, got {names[src]} twice"
    most = state.troops[src] - 1
    if type(troops) is not int or not 1 <= troops <= most:
        return (
            f"expected 1–{most} troops, got {shown(troops)}"
            if most
            else f"{names[src]} has no troop to spare"
        )
    reach = state.rules.fortify_reach
    if reach == "adjacent" and dst not in state.board.neighbours[src]:
        return f"{names[src]} does not touch {names[dst]}"
    if reach == "connected" and not state.board.is_connected(state.owners, src, dst):
        return f"no chain of own territories leads from {names[src]} to {names[dst]}"
    return None
