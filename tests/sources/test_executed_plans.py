"""What is read and kept follows from the metrics: of labels alone, no score is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.sources.files import units as unit_cuts
from tests.optional import optional

pd = optional("pandas")

LEAST = 1 << 20
N = 200_000
LABELS = ["accuracy", "macro_f1"]


def rows(seed: int = 0) -> Any:
    """Rows whose prediction is not what their probability says."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, N)
    prob = np.clip(0.3 * label + 0.7 * rng.random(N), 0, 1).round(3)
    return pd.DataFrame(
        {
            "label": label,
            "pred": np.where(rng.random(N) < 0.9, label, 1 - label),
            "prob": prob,
            "of_row": rng.integers(0, 5, N) / 4,
            "user": rng.integers(0, 2_000, N),
            "country": rng.choice(["NO", "SE", "DK"], N),
        }
    )


def facts(report: karat.Report) -> dict[str, Any]:
    """A report without where its rows came from, and without what names its columns."""
    found = report.to_dict()
    for name in ("source", "mapping", "warnings", "doubts"):
        del found[name]
    return found


@pytest.mark.parametrize("where", ["frame", "file", "large file"])
def test_scores_beside_predictions_are_not_read_for_labels(
    tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows()
    table.loc[7, "prob"] = np.nan  # any metric of scores refuses it
    source: Any = table
    options: dict[str, Any] = {}
    if where != "frame":
        source = tmp_path / "rows.parquet"
        table.to_parquet(source)
    if where == "large file":
        monkeypatch.setattr(unit_cuts, "N_UNIT", 60_000)
        options["reading"] = karat.Reading(max_memory=LEAST)
    report = karat.evaluate(source, metrics=LABELS, **options)
    wanted = karat.evaluate(table["label"], table["pred"], metrics=LABELS)
    assert facts(report) == facts(wanted)
    assert "y_prob" not in report.mapping
    with pytest.raises(karat.KaratError):
        karat.evaluate(source, **options)


@pytest.mark.parametrize("threshold", [None, 0.3])
@pytest.mark.parametrize(
    "more", [{}, {"weights": "of_row"}, {"clusters": "user"}, {"by": "country"}]
)
def test_scores_that_decide_are_not_kept_for_labels(
    tmp_path: Path, more: dict[str, Any], threshold: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows().drop(columns="pred")
    path = tmp_path / "rows.parquet"
    table.to_parquet(path)
    options = {"metrics": LABELS, "threshold": threshold, **more}
    wanted = karat.evaluate(table, **options)

    monkeypatch.setattr(unit_cuts, "N_UNIT", 60_000)

    def no_tables(*_: Any, **__: Any) -> None:
        raise AssertionError("scores were put into tables")

    monkeypatch.setattr("karat.data.scores.storage.histograms_of", no_tables)
    found = karat.evaluate(path, reading=karat.Reading(max_memory=LEAST), **options)
    assert facts(found) == facts(wanted)
    assert found.scores == "probabilities"
    with pytest.raises((AssertionError, karat.KaratError)):
        karat.evaluate(
            path,
            reading=karat.Reading(max_memory=LEAST),
            **{**options, "metrics": [*LABELS, "roc_auc"]},
        )
