"""Calls that ended in an error of Python: each is an error of karat, or works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karat
from karat.testing import samples
from tests.cli.running import Karat
from tests.errors.judge import JUDGE, ROWS
from tests.grouping import grouped

TRUE, PRED = np.arange(60) % 2, np.arange(60) % 3 % 2
SITE = ["a", "b", "c"] * 20
REPEATS = pd.DataFrame(
    {"label": TRUE, "pred": PRED, "fold": np.arange(60) % 3, "repeat": np.arange(60) // 30}
)
SETS = [["a"], ["a", "b"]] * 10

CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    **{
        f"weak slices by {name}": (
            "K210",
            lambda name=name: karat.find_weak_slices(TRUE, PRED, by={"site": SITE}, metric=name),
        )
        for name in ("log_loss", "roc_auc", "brier")
    },
    "ids=False of a table": ("K451", lambda: karat.evaluate(REPEATS, ids=False)),
    "ids=False": ("K451", lambda: karat.evaluate(TRUE, PRED, ids=False)),
    "ids=5": ("K451", lambda: karat.evaluate(TRUE, PRED, ids=5)),
    "an area without scores, with a judge": (
        "K210",
        lambda: karat.evaluate(**grouped(ROWS), metrics=["roc_auc"]),
    ),
    "sets with a judge": (
        "K243",
        lambda: karat.evaluate(y_true=SETS, design=karat.Judge(SETS), y_pred=SETS),
    ),
    "a column beside values, with a judge": (
        "K143",
        lambda: karat.evaluate(**grouped({**ROWS, "gold": "x"})),
    ),
    "a report with a judge, evaluated": (
        "K450",
        lambda: karat.evaluate(karat.evaluate(**grouped(ROWS))),
    ),
    "a report with a judge, compared": (
        "K450",
        lambda: karat.compare(JUDGE, karat.evaluate(**grouped(ROWS))),
    ),
    "a report with a judge, in a gate": (
        "K450",
        lambda: karat.gate(karat.evaluate(**grouped(ROWS)), min={"accuracy": 0.1}),
    ),
    "a report with a judge, as a baseline": (
        "K450",
        lambda: karat.gate(
            TRUE, PRED, baseline=karat.evaluate(**grouped(ROWS)), max_drop={"mcc": 0.1}
        ),
    ),
    "unknown subjects": ("K122", lambda: next(samples(subjects=["nothing"]))),
    "limits of every look without rows": (
        "K452",
        karat.evaluate(TRUE, PRED, design=karat.Looks(1000)).confidence.quantile,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_call_is_an_error_of_karat(name: str) -> None:
    code, call = CALLS[name]
    with pytest.raises(karat.KaratError) as caught:
        call()
    assert caught.value.code == code


def test_a_check_refuses_repeats_without_ids_as_the_report_does() -> None:
    with pytest.raises(karat.KaratError, match="K251"):
        karat.evaluate(REPEATS, design=karat.Folds())
    problem = karat.check(REPEATS, design=karat.Folds()).problem
    assert problem is not None
    assert problem.code == "K251"
    karat.evaluate(REPEATS, design=karat.Folds(), level=None)


def test_ids_of_rows_are_those_of_the_rows() -> None:
    rows = {"label": TRUE, "pred": PRED, "id": [None if i % 3 else f"r{i}" for i in range(60)]}
    tables = [pl.DataFrame(rows), pd.DataFrame(rows), pl.DataFrame(rows).to_arrow()]
    for table in tables:
        report = karat.evaluate(table, ids="id", level=None)
        ids = [one["id"] for one in report.rows(true=0, pred=1).records]
        assert ids == [rows["id"][i] for i in range(60) if TRUE[i] == 0 and PRED[i] == 1][:20]
    nothing = pl.DataFrame({**rows, "id": [None] * 60})
    assert set(karat.evaluate(nothing, ids="id", level=None).rows().ids) == {None}


@pytest.mark.parametrize("first", [2**63, 2**64])
def test_ids_beyond_64_bits_are_text_in_frames(first: int) -> None:
    report = karat.evaluate(TRUE, PRED, ids=[first + i for i in range(60)], level=None)
    rows = report.rows(limit=1)
    assert rows.to_frame()["id"].tolist() == [str(first + int(np.argmax(TRUE != PRED)))]


def test_ids_that_repeat_are_a_doubt_in_arrays_as_in_tables() -> None:
    ids = np.arange(60) // 2
    array = karat.evaluate(TRUE, PRED, ids=ids, level=None).doubts
    table = karat.evaluate(REPEATS.assign(id=ids), level=None).doubts
    found = [next(one for one in each if one.code == "D105") for each in (array, table)]
    assert found[0].evidence == found[1].evidence.replace(" in column 'id'", "")
    assert found[0].option.endswith("give the ids as clusters: clusters=.")


def test_a_slice_is_a_collection_of_its_metrics() -> None:
    report = karat.evaluate(TRUE, PRED, by={"site": SITE})
    one = report.slices["site"]["a"]
    assert list(one) == list(report)
    assert "accuracy" in one
    assert "mcc" in one
    assert "nothing" not in one


def test_a_slice_without_weight_has_no_effective_rows() -> None:
    weights = [0.0 if site == "a" else 1.0 for site in SITE]
    report = karat.evaluate(TRUE, PRED, by={"site": SITE}, weights=weights)
    one = report.slices["site"]["a"]
    assert one.weight_effective == 0.0
    assert isinstance(one.report.cautions, tuple)


def test_options_of_a_command_are_named_as_typed(capsys: Any, tmp_path: Any) -> None:
    karat_ = Karat(capsys)
    path = tmp_path / "rows.csv"
    gold = [1 if i % 3 else "" for i in range(60)]
    pd.DataFrame({"pred": PRED, "judge": TRUE, "gold": gold}).to_csv(path, index=False)
    judged = ("report", str(path), "--judge", "judge", "--true", "gold")
    assert karat_(*judged).code == 0
    assert "K243  --errors cannot" in karat_(*judged, "--errors", str(tmp_path / "e.csv")).err
    assert "K243  --max-memory cannot" in karat_(*judged, "--max-memory", "1MiB").err
    sets = tmp_path / "sets.parquet"
    pd.DataFrame({"y_true": SETS, "y_pred": SETS}).to_parquet(sets)
    assert "K222  --positive does not" in karat_("report", str(sets), "--positive", "a").err
    done = karat_("report", str(path), "--true", "judge", "--checkpoint", str(tmp_path / "c"))
    assert "K415  --checkpoint is for" in done.err
