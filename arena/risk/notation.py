"""Orders as a person reads and writes them: `attack kamchatka from alaska with 2 dice until 1`."""

import re
from typing import Any

from arena.errors import ConfigError
from arena.risk.board import Board
from arena.risk.orders import Attack, Fortify

LEAVES = "leaves"
"""Stands in place of an order where a seat goes passive."""

_NUMBER = re.compile(r"(claim|place|occupy|defend|no) (\S+)")
_TRADE = re.compile(r"trade (\S+) (\S+) ([^\s,]+)(?:, bonus on (\S+))?")
_REINFORCE = re.compile(r"reinforce (\S+ \d+(?:, \S+ \d+)*)")
_ATTACK = re.compile(r"attack (\S+) from (\S+)(?: with (\d+) dice)?(?: until (\d+))?")
_FORTIFY = re.compile(r"fortify (\S+) from (\S+) with (\d+)")


def format_order(board: Board, decision: str | None, order: Any) -> str:
    """The text of a legal order to this decision."""
    names = board.names
    if order is None:
        return f"no {decision}"
    if decision in {"claim", "place"}:
        return f"{decision} {names[order]}"
    if decision == "trade":
        bonus = f", bonus on {names[order[3]]}" if len(order) == 4 else ""
        return f"trade {' '.join([board.card_name(card) for card in order[:3]])}{bonus}"
    if decision == "reinforce":
        return f"reinforce {', '.join([f'{names[t]} {troops}' for t, troops in order])}"
    if decision == "attack":
        dice = "" if order.dice is None else f" with {order.dice} dice"
        until = "" if order.until is None else f" until {order.until}"
        return f"attack {names[order.dst]} from {names[order.src]}{dice}{until}"
    if decision == "fortify":
        return f"fortify {names[order.dst]} from {names[order.src]} with {order.troops}"
    return f"{decision} {order}"


def parse_order(board: Board, text: str) -> tuple[str, Any]:
    """The decision and the order that `format_order` wrote. Raises ConfigError for any other text."""
    try:
        return _parse(board, text)
    except (KeyError, ValueError):
        raise ConfigError(f"expected an order, got {text!r}") from None


def _parse(board: Board, text: str) -> tuple[str, Any]:
    index = board.index
    if match := _NUMBER.fullmatch(text):
        decision, value = match.groups()
        if decision == "no":
            return value, None
        return decision, index[value] if decision in {"claim", "place"} else int(value)
    if match := _ATTACK.fullmatch(text):
        dst, src, dice, until = match.groups()
        return "attack", Attack(index[src], index[dst], _number(dice), _number(until))
    if match := _REINFORCE.fullmatch(text):
        pairs = [item.split(" ") for item in match[1].split(", ")]
        return "reinforce", tuple([(index[name], int(troops)) for name, troops in pairs])
    if match := _TRADE.fullmatch(text):
        *cards, bonus = match.groups()
        order = tuple([board.card(card) for card in cards])
        return "trade", order if bonus is None else (*order, index[bonus])
    if match := _FORTIFY.fullmatch(text):
        return "fortify", Fortify(index[match[2]], index[match[1]], int(match[3]))
    raise ValueError(text)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
