"""Exact LLR and normalized Elo: the figures of other people's test suites, and what must hold of any."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from arena import stats
from arena.errors import StatsError
from arena.stats import llr, nelo

FASTCHESS = "Disservin/fastchess app/tests/sprt_test.cpp"
FASTCHESS_ELO = "Disservin/fastchess app/tests/elo_test.cpp"
CUTECHESS = "cutechess/cutechess projects/lib/tests/sprt/tst_sprt.cpp"
OPENBENCH = "SnowballSH/OpenBench OpenBench/tests/test_stats.py"

Model = Literal["logistic", "normalized"]

LLR: list[tuple[str, Model, list[int], float, float, float, float]] = [
    # source, model, counts from loss to win, elo0, elo1, LLR, digits that the source gives
    (FASTCHESS, "normalized", [36027, 68692, 36433], 0, 2, 0.92, 0.01),
    (FASTCHESS, "normalized", [10650, 20431, 10871], -1.75, 0.25, 2.30, 0.01),
    (FASTCHESS, "logistic", [21184, 40708, 21404], 0.5, 2.5, -1.57, 0.01),
    (FASTCHESS, "logistic", [57030, 106593, 57433], 0, 2, -2.59, 0.01),
    (FASTCHESS, "normalized", [365, 16618, 36229, 16974, 390], 0, 2, 2.25, 0.01),
    (FASTCHESS, "normalized", [127, 4883, 10712, 5150, 104], -1.75, 0.25, 3.01, 0.01),
    (FASTCHESS, "logistic", [223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.07, 0.01),
    (FASTCHESS, "logistic", [871, 26175, 55983, 26678, 821], 0, 2, -4.98, 0.01),
    (CUTECHESS, "logistic", [1351, 2942, 1477], 0, 10, 2.52, 0.01),
    (CUTECHESS, "logistic", [555, 298, 555], 0, 10, -0.74, 0.01),
    (OPENBENCH, "normalized", [39, 8843, 26675, 9240, 44], 0.5, 2.5, 2.94168, 1e-5),
    # to more digits, from an implementation of our own
    ("", "logistic", [223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.0741, 1e-4),
    ("", "normalized", [365, 16618, 36229, 16974, 390], 0, 2, 2.2504, 1e-4),
]


@pytest.mark.parametrize(("source", "model", "counts", "elo0", "elo1", "expected", "digit"), LLR)
def test_llr_agrees_with_published_figures(
    source: str, model: Model, counts: list[int], elo0: float, elo1: float, expected: float, digit: float
) -> None:
    assert llr(counts, elo0, elo1, model) == pytest.approx(expected, abs=digit / 2 * 1.01)


@pytest.mark.parametrize(
    ("counts", "expected"),  # FASTCHESS_ELO
    [
        ([89, 123, 76], -20.76),
        ([96, 111, 136], 49.77),
        ([356, 0, 34], -508.44),
        ([34, 54, 63, 64, 75], 57.94),
        ([332, 433, 498, 333, 334], -9.17),
        ([7895, 8757, 5685, 568, 9999], -19.01),
    ],
)
def test_normalized_elo_agrees_with_published_figures(counts: list[int], expected: float) -> None:
    assert nelo(counts) == pytest.approx(expected, abs=0.0101)


@pytest.mark.parametrize(
    ("counts", "expected"),  # FASTCHESS_ELO: the Elo that belongs to the mean score
    [
        ([96, 111, 136], 40.70),
        ([34, 54, 63, 64, 75], 55.58),
        ([332, 433, 498, 333, 334], -8.64),
        ([7895, 8757, 5685, 568, 9999], -21.04),
    ],
)
def test_elo_of_a_score_agrees_with_published_figures(counts: list[int], expected: float) -> None:
    mean = float(np.average(np.linspace(0, 1, len(counts)), weights=counts))
    assert stats.difference(mean) == pytest.approx(expected, abs=0.0051)


def likelihood(counts: Sequence[float], distance: Any) -> float:
    """Greatest log-likelihood where `distance` of the distribution is 0, by a general optimizer."""
    shares: Any = np.array(counts) / sum(counts)
    total: Any = {"type": "eq", "fun": lambda q: q.sum() - 1}
    constraints: Any = [total, {"type": "eq", "fun": distance}]
    options: Any = {"ftol": 1e-14, "maxiter": 1000}

    def surprise(q: Any) -> float:
        return -float(shares @ np.log(q))

    found: Any = minimize(
        surprise,
        shares,
        bounds=[(1e-9, 1.0)] * len(counts),
        constraints=constraints,
        options=options,
    )
    assert found.success
    return -float(found.fun) * sum(counts)


@pytest.mark.parametrize("counts", [[20, 50, 30], [5, 20, 50, 25, 6], [300, 1200, 2000, 1500, 400]])
def test_llr_is_that_of_the_likeliest_distributions(counts: list[int]) -> None:
    points = np.linspace(0, 1, len(counts))
    pair = 2**0.5 if len(counts) == 5 else 1

    def mean_off(elo: float) -> Any:
        return lambda q: q @ points - stats.score(elo)

    def sigmas_off(elo: float) -> Any:
        def off(q: Any) -> Any:
            return q @ points - 0.5 - elo / 347.4356 * pair * (q @ (points - q @ points) ** 2) ** 0.5

        return off

    expected = likelihood(counts, mean_off(20)) - likelihood(counts, mean_off(-10))
    assert llr(counts, -10, 20) == pytest.approx(expected, abs=1e-5)
    expected = likelihood(counts, sigmas_off(20)) - likelihood(counts, sigmas_off(-10))
    assert llr(counts, -10, 20, "normalized") == pytest.approx(expected, abs=1e-5)


COUNTS = st.sampled_from([3, 5]).flatmap(lambda n: st.lists(st.integers(0, 500), min_size=n, max_size=n))


@given(COUNTS, st.floats(-100, 100), st.floats(-100, 100), st.sampled_from(["logistic", "normalized"]))
def test_llr_turns_round_with_the_players_and_with_the_bounds(
    counts: list[int], elo0: float, elo1: float, model: Model
) -> None:
    found = llr(counts, elo0, elo1, model)
    assert llr(counts, elo1, elo0, model) == pytest.approx(-found, abs=1e-6)
    assert llr(counts[::-1], -elo0, -elo1, model) == pytest.approx(found, abs=1e-4, rel=1e-6)


@pytest.mark.parametrize(
    "counts", [[0, 0, 0], [0] * 5, [0, 0, 9], [0, 9, 0], [100, 0, 0, 0, 0], [1, 0, 0, 0, 1]]
)
def test_llr_of_results_without_scatter_is_a_number(counts: list[int]) -> None:
    for elo0, elo1 in ((-30, 0), (0, 100)):
        assert np.isfinite(
            [llr(counts, elo0, elo1), llr(counts, elo0, elo1, "normalized"), nelo(counts)]
        ).all()


@pytest.mark.parametrize("counts", [[], [1, 2], [1, 2, 3, 4], [1, -1, 1], [1, float("nan"), 1]])
def test_wrong_counts_are_refused(counts: list[float]) -> None:
    with pytest.raises(
        StatsError, match=r"expected 3 counts of games or 5 of pairs, got|counts: expected a number"
    ):
        llr(counts, 0, 5)


def test_unknown_model_and_impossible_bounds_are_refused() -> None:
    with pytest.raises(StatsError, match="expected model logistic or normalized, got 'bayesian'"):
        llr([1, 1, 1], 0, 5, "bayesian")  # type: ignore[arg-type]
    with pytest.raises(StatsError, match="expected bounds that a result can have, got larger ones"):
        llr([1, 1, 1, 1, 1], 0, 5000, "normalized")
