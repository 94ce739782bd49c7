"""Exact tables from a second read of files larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.engines import exact_tables
from tests.engines.big_sets import LEAST, write_scored

OF_SAMPLE = ("macro_", "weighted_", "mean_", "d2_", "roc_auc_ov")
"""How metrics are called whose error is that of a sample of the rows."""


@pytest.mark.parametrize("kind", ["single", "scores"])
@pytest.mark.parametrize("weights", ["", "w"])
def test_buckets_hold_the_exact_value_and_a_second_read_finds_it(
    kind: str, weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, named = write_scored(tmp_path, kind, 80_000 if kind == "single" else 30_000)
    monkeypatch.setattr(exact_tables, "N_RANGE", 5000)
    whole = karat.evaluate(files, weights=weights, **named)
    rough = karat.evaluate(files, weights=weights, max_memory=LEAST, **named)
    exact = karat.evaluate(files, weights=weights, max_memory=LEAST, exact=True, **named)
    open_ = {name for name, result in rough.metrics.items() if not result.exact}
    assert {"roc_auc_ovr_macro", "mean_average_precision", "macro_ks_statistic"} <= open_
    for name, result in whole.metrics.items():
        if name == "roc_auc_mu":
            continue
        bound = rough[name].bound
        if bound is not None:
            assert bound[0] <= result.value <= bound[1], (name, bound, result.value)
        assert exact[name].exact, name
        np.testing.assert_allclose(exact[name].value, result.value, rtol=1e-9, err_msg=name)


def assert_close(exact: karat.Report, whole: karat.Report) -> None:
    """The same values, and limits as far as a sample of the rows tells them."""
    for name, result in whole.metrics.items():
        if name == "roc_auc_mu":
            continue
        other = exact[name]
        assert other.exact, name
        np.testing.assert_allclose(other.value, result.value, rtol=1e-9, err_msg=name)
        if result.low is None or result.high is None:
            assert (other.low, other.high) == (result.low, result.high), name
            continue
        share = 0.02 if name.startswith(OF_SAMPLE) else 1e-9
        within = share * (result.high - result.low) + 1e-12
        np.testing.assert_allclose(
            (other.low, other.high), (result.low, result.high), rtol=0, atol=within, err_msg=name
        )


@pytest.mark.parametrize("kind", ["single", "scores"])
@pytest.mark.parametrize("weights_are", [None, "importance", "frequency"])
def test_intervals_are_those_of_the_rows(
    kind: str, weights_are: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, named = write_scored(tmp_path, kind, 80_000 if kind == "single" else 30_000)
    monkeypatch.setattr(exact_tables, "N_RANGE", 5000)
    given: dict[str, Any] = {**named, "weights": ""}
    if weights_are is not None:
        given |= {"weights": "w", "weights_are": weights_are}
    exact = karat.evaluate(files, max_memory=LEAST, exact=True, **given)
    assert_close(exact, karat.evaluate(files, **given))


def test_a_broken_interval_is_seen(tmp_path: Path) -> None:
    files, named = write_scored(tmp_path, "scores")
    whole = karat.evaluate(files, weights="w", weights_are="frequency", **named)
    with pytest.raises(AssertionError):
        assert_close(karat.evaluate(files, weights="w", **named), whole)
