"""A state written out as a position: JSON that a person can read and `arena.risk.position` loads again."""

import json
from typing import Any

from arena.risk.board import NEUTRAL, UNCLAIMED
from arena.risk.state import State, stream_names


def dump(state: State) -> dict[str, Any]:
    """The position of a state as a JSON-ready dict."""
    names, card = state.board.names, state.board.card_name
    return {
        "edition": state.rules.edition,
        "fingerprint": state.rules.fingerprint,
        "players": state.players,
        "seat": state.seat,
        "decision": state.decision,
        "round": state.round,
        "starter": state.starter,
        "territories": {
            name: [_owner_name(owner), troops]
            for name, owner, troops in zip(names, state.owners, state.troops, strict=True)
        },
        "hands": [[card(c) for c in hand] for hand in state.hands],
        "draw_pile": [card(c) for c in reversed(state.draw_pile)],
        "discards": [card(c) for c in state.discards],
        "held_over": [card(c) for c in state.held_over],
        "sets_traded": state.sets_traded,
        "captured": state.captured,
        "eliminated": [s for s in state.exits if state.eliminated_round[s] is not None],
        "passive": [s for s in state.exits if state.passive[s]],
        "to_place": list(state.placing) if state.in_setup() else state.to_place,
        "pending": _pending(state),
        "seed": state.seed,
        "streams": {
            name: [stream.key, stream.draws]
            for name, stream in zip(stream_names(state.players), state.streams, strict=True)
        },
        "placing_for": _owner_name(state.placing_for) if state.in_setup() else None,
        "trades": state.trades,
        "bonuses": state.bonuses,
        "attacked": state.attacked,
        "moves": state.moves,
        "asks_defend": list(state.asks_defend),
        "exits": list(state.exits),
        "eliminated_round": list(state.eliminated_round),
        "rolls": state.rolls,
        "decisions": state.decisions,
        "chain": state.chain.hex(),
        "orders": json.loads(json.dumps(state.history[state.turn_start :])),
    }


def _pending(state: State) -> dict[str, Any] | None:
    if state.decision not in {"occupy", "defend"}:
        return None
    names = state.board.names
    battle = {"src": names[state.src], "dst": names[state.dst], "dice": state.dice, "until": state.until}
    return battle | {"eliminated": state.inherited} if state.decision == "occupy" else battle


def _owner_name(owner: int) -> int | str | None:
    if owner == NEUTRAL:
        return "neutral"
    return None if owner == UNCLAIMED else owner
