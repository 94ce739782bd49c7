"""Weights that are numbers of rows: a comparison is that of the rows written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.comparison.data import drawn

N = 150
TRUE, (A, B) = drawn(1, N, (0.3, 0.2), k=2)
TIMES = np.random.default_rng(0).integers(0, 4, N)
LOUD = np.random.default_rng(1).random((2, N)) * 0.4
PROB = {"b": np.where(B == 1, 1 - LOUD[0], LOUD[0]), "a": np.where(A == 1, 1 - LOUD[1], LOUD[1])}
GROUP = np.arange(N) // 3


def written_out(values: Any) -> Any:
    return np.repeat(values, TIMES)


def numbers(found: karat.Comparison) -> list[dict[str, Any]]:
    return [one.to_dict() for one in found]


@pytest.mark.parametrize("clusters", [None, GROUP])
@pytest.mark.parametrize("is_paired", [True, False])
@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_a_row_of_weight_three_is_three_rows(kind: str, is_paired: bool, clusters: Any) -> None:
    models: dict[str, Any] = {"b": B, "a": A} if kind == "labels" else PROB
    name = "y_pred" if kind == "labels" else "y_prob"
    options: dict[str, Any] = {"paired": is_paired, "labels": [0, 1], "margin": 0.1}
    found = karat.compare(
        TRUE, **{name: models}, weights=karat.Frequency(TIMES), clusters=clusters, **options
    )
    long = karat.compare(
        written_out(TRUE),
        **{name: {key: written_out(values) for key, values in models.items()}},
        clusters=None if clusters is None else written_out(clusters),
        **options,
    )
    assert found.n == long.n
    for one, two in zip(numbers(found), numbers(long), strict=True):
        assert one.pop("discordant") == two.pop("discordant")
        for key, value in two.items():
            told = (key, one["metric"])
            if isinstance(value, float):
                assert one[key] == pytest.approx(value, rel=1e-7, abs=1e-12), told
            else:
                assert one[key] == value, told
    control = karat.compare(TRUE, **{name: models}, weights=TIMES, clusters=clusters, **options)
    if clusters is None:
        assert control["accuracy"].standard_error != pytest.approx(found["accuracy"].standard_error)


def test_models_on_rows_of_their_own_count_rows_too() -> None:
    found = karat.compare(
        {"b": TRUE, "a": TRUE}, {"b": B, "a": A}, metrics="accuracy",
        weights=karat.Frequency({"b": TIMES, "a": np.ones(N)}),
    )  # fmt: skip
    assert found.n == {"b": int(TIMES.sum()), "a": N}


def test_what_is_no_number_of_rows_is_refused() -> None:
    def refused(code: str, *given: Any, **options: Any) -> None:
        with pytest.raises(karat.KaratError) as caught:
            karat.compare(*given, **options)
        assert caught.value.code == code

    models = {"b": B, "a": A}
    refused("K150", TRUE, models, weights=karat.Frequency(TIMES + 0.5))
    refused("K150", TRUE, y_prob=PROB, weights=karat.Frequency(TIMES + 0.5))
    reports = {name: karat.evaluate(TRUE, said) for name, said in models.items()}
    refused("K160", reports, weights=karat.Frequency(TIMES))
