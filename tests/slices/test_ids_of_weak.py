"""Ids of the rows of weak slices, and options that a search reads as `evaluate` does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from tests.grouping import grouped

N = 400
SITE = np.array(["a", "b", "c", "d"] * (N // 4))
TRUTH = np.array([0, 1, 1, 0] * (N // 4))
PRED = np.where(SITE == "c", 1 - TRUTH, TRUTH)
IDS = np.arange(N) + 5000
WEAK = tuple(str(x) for x in IDS[SITE == "c"])
FRAME = pd.DataFrame({"label": TRUTH, "pred": PRED, "site": SITE, "key": IDS})
FEW = {"n_permutations": 99}


def test_slices_list_the_ids_of_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    FRAME.to_parquet(path)
    loss = (TRUTH != PRED).astype(float)
    for found in (
        karat.find_weak_slices(TRUTH, PRED, by={"site": SITE}, ids=IDS, **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(FRAME, ids="key", **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(path, ids="key", **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(FRAME.drop(columns="key"), ids=IDS, **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(karat.read(FRAME, ids="key"), **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(by={"site": SITE}, loss=loss, ids=IDS, **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(
            FRAME[["site", "key"]], loss=loss, ids="key", **grouped(FEW, ("min_n",))
        ),
    ):
        (one,) = found.slices
        assert one.name == "site = c"
        assert one.ids == WEAK
        assert one.to_dict()["ids"] == list(WEAK)
    # Ids that were only found by their name are not listed.
    for found in (
        karat.find_weak_slices(FRAME.rename(columns={"key": "id"}), **grouped(FEW, ("min_n",))),
        karat.find_weak_slices(TRUTH, PRED, by={"site": SITE}, **grouped(FEW, ("min_n",))),
    ):
        assert found.slices[0].ids == ()
        assert "ids" not in found.slices[0].to_dict()


def test_rows_of_weight_zero_have_no_ids_in_a_slice() -> None:
    weights = np.where(IDS % 8 < 4, 1.0, 0.0)
    found = karat.find_weak_slices(FRAME, weights=weights, ids="key", **grouped(FEW, ("min_n",)))
    kept = IDS[(SITE == "c") & (weights > 0)]
    assert found.slices[0].ids == tuple(map(str, kept))


def test_a_column_of_ids_is_not_searched() -> None:
    rows = FRAME.assign(key=IDS // 100)
    with_ids = karat.find_weak_slices(rows, ids="key", **grouped(FEW, ("min_n",)))
    assert [one.code for one in with_ids.doubts] == ["D105"]
    assert karat.find_weak_slices(rows, **grouped(FEW, ("min_n",))).n_tested > with_ids.n_tested
    with pytest.raises(KaratError, match="K102"):
        karat.find_weak_slices(
            TRUTH, PRED, by={"site": SITE}, ids=IDS[:-1], **grouped(FEW, ("min_n",))
        )
    with pytest.raises(KaratError, match="K143  ids= names a column"):
        karat.find_weak_slices(
            TRUTH, PRED, by={"site": SITE}, ids="key", **grouped(FEW, ("min_n",))
        )


def test_a_threshold_and_nulls_are_read_as_in_evaluate() -> None:
    prob = np.where(PRED == 1, 0.7, 0.4)
    by = {"site": SITE}
    for call in (
        lambda t: karat.find_weak_slices(
            TRUTH, y_prob=prob, by=by, threshold=t, **grouped(FEW, ("min_n",))
        ),
        lambda t: karat.find_weak_slices(
            FRAME.drop(columns="pred").assign(proba_1=prob),
            by="site",
            threshold=t,
            **grouped(FEW, ("min_n",)),
        ),
    ):
        assert call(0.5).slices[0].name == "site = c"
        # Every row is predicted positive.
        assert [one.name for one in call(0.3).slices] != ["site = c"]
    with pytest.raises(KaratError, match="K136"):
        karat.find_weak_slices(TRUTH, PRED, by=by, threshold=0.5, **grouped(FEW, ("min_n",)))
    missing = FRAME.assign(label=FRAME["label"].where(IDS % 7 > 0))
    found = karat.find_weak_slices(
        missing, **grouped({"reading": karat.Reading(nulls="drop"), **FEW}, ("min_n",))
    )
    expected = karat.find_weak_slices(missing.dropna(), **grouped(FEW, ("min_n",)))
    assert found.slices == expected.slices
    with pytest.raises(KaratError, match="K144"):
        karat.find_weak_slices(
            TRUTH,
            PRED,
            by=by,
            **grouped({"reading": karat.Reading(nulls="drop"), **FEW}, ("min_n",)),
        )
