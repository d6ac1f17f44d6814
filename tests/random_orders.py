"""Random orders for a game: mostly such as drive it on to conquests, some merely legal, some nonsense."""

from random import Random
from typing import Any

from reference import Reference

from arena.risk.orders import Attack, Fortify


def likely_order(game: Reference, rng: Random) -> Any:
    """An order that is meant to be legal, random in every part, with a liking for attacks."""
    return globals()[f"_{game.decision}"](game, rng)


def doubtful_order(game: Reference, rng: Random) -> Any:
    """An order that may be illegal: None, of random parts, a likely one spoilt, or nonsense."""
    return rng.choice([_nothing, _random_parts, _spoilt, _nonsense])(game, rng)


def _nothing(game: Reference, rng: Random) -> None:
    return None


def _nonsense(game: Reference, rng: Random) -> Any:
    number = rng.randint(-3, len(game.cards) + 3)
    return rng.choice(
        [
            number,
            True,
            str(number),
            number + 0.5,
            (),
            (number,),
            (number, number, number),
            ((number, number),),
            ((number,), number),
            ("alaska", "alberta", "wild-1"),
            (None, None, None),
            Attack(number, number),
            Attack(False, True, True, True),
            Attack(0, 1, 2.5, "x"),  # type: ignore[arg-type]
            Attack("alaska", None),  # type: ignore[arg-type]
            Fortify(number, number, number),
            Fortify(0, 1, None),  # type: ignore[arg-type]
            [0, 1, 2],
            {0: 1},
        ]
    )


def _random_parts(game: Reference, rng: Random) -> Any:
    def territory() -> int:
        return rng.randint(-1, len(game.names))

    def card() -> int:
        return rng.randint(-1, len(game.cards))

    troops = rng.randint(-1, 4)
    match game.decision:
        case "trade":
            cards = [card() for _ in range(rng.randint(2, 5))]
            return tuple(cards)
        case "reinforce":
            return tuple((territory(), rng.randint(0, game.to_place)) for _ in range(rng.randint(0, 3)))
        case "attack":
            return Attack(territory(), territory(), rng.choice([None, troops]), rng.choice([None, troops]))
        case "fortify":
            return Fortify(territory(), territory(), troops)
        case "claim" | "place":
            return territory()
        case _:
            return troops


def _spoilt(game: Reference, rng: Random) -> Any:
    """A likely order with one number changed, or with an element more or less."""
    order = likely_order(game, rng)
    if order is None:
        return None
    if isinstance(order, int):
        return order + rng.choice([-1, 1, 2, 7])
    parts: list[Any] = list(order)
    at = rng.randrange(len(parts)) if parts else 0
    if isinstance(order, Attack | Fortify):
        parts[at] = rng.randint(-1, 7) if parts[at] is None else parts[at] + rng.choice([-2, -1, 1, 2])
        return type(order)(*parts)
    if not parts or rng.random() < 0.3:
        return (*parts, *parts[:1])
    if rng.random() < 0.3:
        return tuple(parts[1:])
    if isinstance(parts[at], int):
        parts[at] = rng.randint(-1, len(game.cards))
    else:
        parts[at] = (parts[at][0], parts[at][1] + rng.choice([-1, 1]))
    return tuple(parts)


def _claim(game: Reference, rng: Random) -> int:
    return game.names.index(rng.choice([name for name in game.names if game.owner[name] is None]))


def _place(game: Reference, rng: Random) -> int:
    return game.names.index(rng.choice([name for name in game.names if game.owner[name] == game.taker]))


def _trade(game: Reference, rng: Random) -> tuple[int, ...] | None:
    assert game.seat is not None
    if rng.random() < 0.2 and game.accepts(None):
        return None
    three = list(rng.choice(game.sets_in(game.hands[game.seat])))
    rng.shuffle(three)
    order = tuple(game.cards.index(card) for card in three)
    own = [game.names.index(card) for card in three if game.owner.get(card) == game.seat]
    if own and (not game.accepts(order) or rng.random() < 0.3):
        return (*order, rng.choice(own))
    return order


def _reinforce(game: Reference, rng: Random) -> tuple[tuple[int, int], ...]:
    """Mostly everything on the strongest territory that can attack, else spread over a few."""
    own = [name for name in game.names if game.owner[name] == game.seat]
    front = [
        name for name in own if any(game.owner[other] != game.seat for other in game.borders[name])
    ] or own
    if rng.random() < 0.7:
        places = [max(front, key=lambda name: game.troops[name])]
    else:
        places = rng.sample(front, min(len(front), game.to_place, 3))
    order = [(game.names.index(name), 1) for name in places[1:]]
    return (*order, (game.names.index(places[0]), game.to_place - len(order)))


def _attack(game: Reference, rng: Random) -> Attack | None:
    """Mostly from the strongest against its weakest neighbour, to the end; the later the seat, the lazier."""
    assert game.seat is not None
    pairs = game.attacks()
    if not pairs or (rng.random() < 0.02 + 0.1 * game.seat and game.accepts(None)):
        return None
    rng.shuffle(pairs)
    src, dst = max(pairs, key=lambda pair: game.troops[pair[0]] - game.troops[pair[1]])
    if game.troops[src] <= game.troops[dst] + 1 and rng.random() < 0.7 and game.accepts(None):
        return None
    if rng.random() < 0.1:
        src, dst = pairs[0]
    dice = rng.choice([None, None, None, None, None, 1, 2, 3])
    until = rng.choice([None, 0, 1, 1, 1, 1, 1, 1, 3, game.troops[dst]])
    order = Attack(game.names.index(src), game.names.index(dst), dice, until)
    return order if game.accepts(order) else Attack(*order[:2])


def _defend(game: Reference, rng: Random) -> int:
    return rng.randint(1, min(3, game.troops[game.dst]))


def _occupy(game: Reference, rng: Random) -> int:
    assert game.dice is not None
    most = game.troops[game.src] - 1
    return rng.choice([game.dice, most, most, most, rng.randint(game.dice, most)])


def _fortify(game: Reference, rng: Random) -> Fortify | None:
    movable = [name for name in game.names if game.owner[name] == game.seat and game.troops[name] > 1]
    if not movable or rng.random() < 0.3:
        return None
    src = rng.choice(movable)
    targets = sorted(game.reached_from(src))
    if not targets:
        return None
    dst = rng.choice(targets)
    troops = rng.choice([1, game.troops[src] - 1])
    return Fortify(game.names.index(src), game.names.index(dst), troops)
