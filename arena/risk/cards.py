"""Cards: which three make a set, and what it is worth.

Card i < n is territory i's, with its symbol; the cards n, n+1, … are wild.
"""

from itertools import combinations

from arena.risk.rules import Rules


def is_set(rules: Rules, a: int, b: int, c: int) -> bool:
    """Whether three different cards are a set: three alike, one of each, or with a wild."""
    symbols = rules.board.symbols
    n = len(symbols)
    natural = [symbols[card] for card in (a, b, c) if card < n]
    if len(natural) == 3:
        return len(set(natural)) != 2
    if rules.any_two_with_wild:
        return True
    return len(natural) == 2 and natural[0] == natural[1]


def sets_in(rules: Rules, hand: list[int] | tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Every set that the hand holds, in the order of the hand."""
    return [cards for cards in combinations(hand, 3) if is_set(rules, *cards)]


def holds_set(rules: Rules, hand: list[int]) -> bool:
    """Whether the hand holds any set."""
    if len(hand) < 3:
        return False
    symbols = rules.board.symbols
    n = len(symbols)
    counts = [0, 0, 0]
    for card in hand:
        if card < n:
            counts[symbols[card]] += 1
    most = max(counts)
    if most >= 3 or min(counts) > 0:
        return True
    return sum(counts) < len(hand) and (rules.any_two_with_wild or most == 2)


def escalating_value(rules: Rules, traded: int) -> int:
    """Troops for the next set after `traded` sets in this game."""
    first = rules.set_values
    if traded < len(first):
        return first[traded]
    return first[-1] + rules.set_step * (traded - len(first) + 1)


def next_value(rules: Rules, traded: int) -> int:
    """What the next set is worth; where values go by symbol, the most that a set can be worth."""
    return max(rules.symbol_values) if rules.symbol_values else escalating_value(rules, traded)


def set_value(rules: Rules, cards: tuple[int, int, int], traded: int) -> int:
    """Troops for this set after `traded` sets in this game; a wild counts as whatever pays most."""
    if not rules.symbol_values:
        return escalating_value(rules, traded)
    symbols = rules.board.symbols
    natural = {symbols[card] for card in cards if card < len(symbols)}
    wilds = sum(card >= len(symbols) for card in cards)
    values = [rules.symbol_values[s] for s in range(3) if natural <= {s}]
    if len(natural) + wilds >= 3:
        values.append(rules.symbol_values[3])
    return max(values)
