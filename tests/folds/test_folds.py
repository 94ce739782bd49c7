"""Folds of a report: pooled values, means of folds, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import karat
from karat.errors import KaratError
from karat.output.json import report_schema
from tests.optional import optional
from tests.same import assert_same

PREDICTIONS = Path("examples/predictions")
BREAST = PREDICTIONS / "breast_cancer_rf.csv"
NAMES = ("accuracy", "f1", "matthews_correlation", "roc_auc", "log_loss", "brier")


def repeated(seed: int = 0, n: int = 120, repeats: int = 3, folds: int = 4) -> dict[str, Any]:
    """Predictions of each row in each repeat; those of one row are dependent."""
    rng = np.random.default_rng([43, seed])
    true = rng.integers(0, 2, n)
    hard = rng.normal(size=n)
    parts = []
    for repeat in range(repeats):
        fold = rng.permutation(np.arange(n) % folds)
        p = 1 / (1 + np.exp(-(2 * true - 1) - hard - rng.normal(size=n) / 2))
        parts.append(
            pd.DataFrame(
                {"id": np.arange(n), "repeat": repeat, "fold": fold, "y": true, "proba": p}
            )
        )
    return pd.concat(parts, ignore_index=True)


def corrected(values: np.ndarray, ratio: float, level: float = 0.95) -> tuple[float, float, float]:
    """Nadeau & Bengio (2003), straight from the formula."""
    n = len(values)
    error = math.sqrt((1 / n + ratio) * np.var(values, ddof=1))
    far = stats.t.ppf((1 + level) / 2, n - 1) * error
    return error, values.mean() - far, values.mean() + far


def test_values_of_folds_are_those_of_their_rows_alone() -> None:
    rows = pd.read_csv(BREAST)
    report = karat.evaluate(BREAST, positive="malignant", design=karat.Folds("fold"))
    for name in NAMES:
        each = [
            karat.evaluate(part, positive="malignant", metrics=[name], level=None)[name].value
            for _, part in rows.groupby("fold")
        ]
        found = report.folds[name]
        assert found.values == pytest.approx(each, rel=1e-12)
        sizes = rows.groupby("fold").size().to_numpy()
        ratio = float((sizes / (len(rows) - sizes)).mean())
        error, low, high = corrected(np.array(each), ratio)
        assert found.fold_mean == pytest.approx(np.mean(each), rel=1e-12)
        assert found.standard_error == pytest.approx(error, rel=1e-12)
        assert found.low == pytest.approx(max(low, get_range(name)[0]), rel=1e-12)
        assert found.high == pytest.approx(min(high, get_range(name)[1]), rel=1e-12)
        # The naive error takes folds to be independent, and is smaller.
        assert found.standard_error > found.sd / math.sqrt(found.n_folds)


def get_range(name: str) -> tuple[float, float]:
    return karat.metrics.get(name).range


def test_the_pooled_numbers_are_those_of_a_report_without_folds() -> None:
    whole = karat.evaluate(BREAST, positive="malignant").to_dict()
    folded = karat.evaluate(BREAST, positive="malignant", design=karat.Folds("fold")).to_dict()
    assert folded.pop("folds")["test_train_ratio"] == pytest.approx(0.25, abs=1e-3)
    assert (folded["mapping"].pop("folds"), whole["mapping"].pop("folds")) == ("fold", None)
    assert folded == whole


@pytest.mark.parametrize("source", ["frame", "arrow", "file", "arrays", "stream"])
def test_every_source_has_the_same_folds(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pd.read_csv(BREAST)
    options: dict[str, Any] = {"positive": "malignant", "metrics": ["accuracy", "f1"]}
    wanted = karat.evaluate(rows.label, rows.pred, design=karat.Folds(rows.fold), **options).folds
    given: Any = rows
    if source == "arrow":
        given = optional("pyarrow").Table.from_pandas(rows)
    elif source != "frame":
        given = PREDICTIONS / "breast_cancer_rf.parquet"
    if source == "stream":
        # Rows that do not fit: the labels of each fold are counted batch by batch.
        options |= {"reading": karat.Reading(max_memory=1 << 20), "y_prob": ""}
        monkeypatch.setattr("karat.data.sources.files.rows._LEAST_BYTES", 1 << 10)
        monkeypatch.setattr("karat.api.evaluation.ScoreParts", _tiny)
    if source != "arrays":
        found = karat.evaluate(
            given, design=karat.Folds("auto" if source == "frame" else "fold"), **options
        )
        assert dict(found.folds["f1"].to_dict()) == dict(wanted["f1"].to_dict())
        assert found.folds.axis.names == wanted.axis.names


def _tiny(max_memory: int, **options: Any) -> Any:
    from karat.data.scores.storage import ScoreParts

    return ScoreParts(40_000 if max_memory == 1 << 20 else max_memory, **options)


def test_folds_that_are_numbers_are_never_bins() -> None:
    true, fold = [0, 1] * 60, np.repeat(np.arange(30.0), 4)
    report = karat.evaluate(true, true, design=karat.Folds(fold))
    assert report.folds.axis.names == tuple(map(str, range(30)))
    table = karat.evaluate({"label": true, "pred": true, "k": fold}, design=karat.Folds("k"))
    assert table.folds.axis.names == report.folds.axis.names


def test_repeats_take_the_predictions_of_a_row_together() -> None:
    rows = repeated()
    report = karat.evaluate(rows, y_true="y", y_prob="proba", design=karat.Folds("fold"))
    by_ids = karat.evaluate(rows, y_true="y", y_prob="proba", clusters="id")
    assert report.is_clustered
    for name in NAMES:
        assert_same(report[name].low, by_ids[name].low)
    alone = karat.evaluate(rows, y_true="y", y_prob="proba", clusters="")
    # Taken as independent, three predictions of each row would give too narrow limits.
    assert report["accuracy"].standard_error > 1.2 * alone["accuracy"].standard_error
    found = report.folds["accuracy"]
    assert (found.n_folds, found.n_repeats) == (12, 3)
    assert found.test_train_ratio == pytest.approx(1 / 3)
    arrays = karat.evaluate(
        rows.y,
        y_prob=rows.proba,
        design=karat.Folds({"repeat": rows.repeat, "fold": rows.fold}),
        ids=rows.id,
    )
    assert arrays.folds["accuracy"].to_dict() == found.to_dict()
    assert arrays["accuracy"].low == report["accuracy"].low
    columns = rows[["repeat", "fold"]]
    of_table = karat.evaluate(rows.y, y_prob=rows.proba, design=karat.Folds(columns), ids=rows.id)
    assert of_table.to_json() == arrays.to_json()
    with pytest.raises(karat.InputError, match="K250"):
        karat.evaluate(rows.y, y_prob=rows.proba, design=karat.Folds(rows[["id", "fold"]]))


def test_a_mean_is_undefined_where_a_fold_lacks_a_class() -> None:
    true = ["a", "b"] * 6 + ["a", "c"] * 6
    report = karat.evaluate(true, true[1:] + true[:1], design=karat.Folds([0] * 12 + [1] * 12))
    found = report.folds["macro_f1"]
    assert math.isnan(found.fold_mean)
    assert found.low is None
    assert found.undefined == "fold 0: no row is truly of c"
    assert report.folds["accuracy"].undefined is None
    scores = karat.evaluate(
        [0, 1] * 6 + [1] * 6, y_prob=np.linspace(0, 1, 18), design=karat.Folds([0, 1, 2] * 6)
    )
    assert scores.folds["roc_auc"].undefined is None
    one = karat.evaluate(
        [0, 1] * 6 + [1] * 6, y_prob=np.linspace(0, 1, 18), design=karat.Folds([0] * 12 + [1] * 6)
    )
    assert "fold 1:" in str(one.folds["roc_auc"].undefined)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"repeat": [0] * 12, "id": [*range(12)], "fold": [3] * 12}, "K250"),
        ({"fold": [0] * 5 + [None] * 7}, "K250"),
        ({"id": [0, 0, 2, 3, 4, 5] * 2}, "K252"),
        ({"repeat": [0] * 5 + [1] * 7}, "K253"),
        ({"id": [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 9]}, "K253"),
        ({"fold": [0] * 12}, "K254"),
    ],
)
def test_structures_that_are_none_are_refused(change: dict[str, Any], code: str) -> None:
    table = {"id": [*range(6)] * 2, "repeat": [0] * 6 + [1] * 6, "fold": [0, 1, 2] * 4}
    table |= {"label": [0, 1] * 6, "pred": [0, 1] * 6}
    karat.evaluate(table, design=karat.Folds("fold"))  # the sabotaged tables differ in one column
    with pytest.raises(KaratError) as refused:
        karat.evaluate({**table, **change}, design=karat.Folds("fold"))
    assert refused.value.code == code


def test_repeated_ids_without_repeats_are_refused() -> None:
    table = {"id": [0, 1, 2, 0], "fold": [0, 0, 1, 1], "label": [0, 1, 0, 1], "pred": [0, 1, 1, 1]}
    with pytest.raises(KaratError, match="K252"):
        karat.evaluate(table, design=karat.Folds("fold"))


def test_single_folds_take_the_stated_number_of_training_rows() -> None:
    rng = np.random.default_rng(7)
    rows = [rng.permutation(40)[:10] for _ in range(6)]
    table: dict[str, Any] = {
        "id": np.concatenate(rows),
        "repeat": np.repeat(np.arange(6), 10),
        "fold": 0,
        "train_size": 30,
    }
    table = {name: np.broadcast_to(values, 60) for name, values in table.items()}
    true = np.concatenate(rows) % 2
    table |= {"label": true, "pred": np.where(rng.random(60) < 0.2, 1 - true, true)}
    found = karat.evaluate(table, design=karat.Folds("fold")).folds["accuracy"]
    assert found.test_train_ratio == pytest.approx(1 / 3)
    assert found.standard_error == pytest.approx(corrected(np.array(found.values), 1 / 3)[0])


@pytest.mark.parametrize("options", [{}, {"level": None}, {"metrics": ["f1", "log_loss"]}])
def test_json_holds_the_folds(options: dict[str, Any]) -> None:
    report = karat.evaluate(
        repeated(), y_true="y", y_prob="proba", design=karat.Folds("fold"), **options
    )
    text = report.to_json()
    optional("jsonschema").validate(json.loads(text), report_schema())
    again = karat.Report.from_json(text)
    assert again.to_json() == text
    assert again.folds["f1"] == report.folds["f1"]
    damaged = text.replace('"fold_mean": 0.', '"fold_mean": 0.9', 1)
    with pytest.raises(KaratError, match="K205"):
        karat.Report.from_json(damaged)


def test_text_states_what_each_interval_covers() -> None:
    lines = karat.evaluate(BREAST, positive="malignant", design=karat.Folds("fold")).text()
    text = " ".join(lines.split())
    assert "Folds by fold 5 folds of 113 to 114 rows" in text
    assert "covers the sampling of test rows, given the fitted models" in text
    assert "covers test rows and training sets" in text
    assert "Nested" not in text
    assert "Repeats:" not in text
    with pytest.raises(KaratError, match="K250"):
        _ = karat.evaluate(BREAST, positive="malignant").folds


def test_repeats_state_how_often_their_interval_covered() -> None:
    report = karat.evaluate(repeated(), y_true="y", y_prob="proba", design=karat.Folds("fold"))
    assert "it covered 87 to 99 % instead of 95 %" in report.folds.covers["repeats"]
    assert f"Repeats: {report.folds.covers['repeats']}." in " ".join(report.text().split())
    assert report.folds.covers["repeats"] in report.to_html()
    again = karat.Report.from_json(report.to_json())
    assert dict(again.folds.covers) == dict(report.folds.covers)
    single = repeated(repeats=1)
    assert (
        "repeats"
        not in karat.evaluate(
            single, y_true="y", y_prob="proba", design=karat.Folds("fold")
        ).folds.covers
    )


def test_a_gate_over_repeats_states_how_often_intervals_covered() -> None:
    notes = {}
    for n in (1, 3):
        rows = repeated(repeats=n)
        found = karat.gate(
            rows,
            y_true="y",
            y_prob="proba",
            design=karat.Folds("fold"),
            ids="id",
            min="accuracy=0.1",
        )
        notes[n] = " ".join(found.notes)
    assert "Rules are judged on means over folds" in notes[1]
    assert "it covered 87 to 99 % instead of 95 %" in notes[3]
    assert "instead of 95 %" not in notes[1]


def test_folds_of_one_value_have_no_limits_and_decide_no_gate() -> None:
    true, fold = np.tile([0, 1], 25), np.arange(50) % 5
    report = karat.evaluate(true, true, design=karat.Folds(fold))
    found = report.folds["accuracy"]
    assert (found.fold_mean, found.low, found.high) == (1.0, None, None)
    assert found.remark is not None
    assert "spread is unknown" in found.remark
    rule: dict[str, Any] = {"min": {"accuracy": 0.99}, "rules": karat.Rules(evidence="low")}
    assert karat.gate(true, true, design=karat.Folds(fold), **rule).verdict == "INCONCLUSIVE"
    worse = true.copy()
    worse[:5] ^= 1
    compared = karat.compare(true, {"a": true, "b": worse}, design=karat.Folds(fold)).folds[
        "accuracy"
    ]
    assert (compared.low, compared.high, compared.p) == (None, None, None)


def test_a_drop_over_folds_is_tested_with_students_t() -> None:
    true, fold = np.tile([0, 1], 50), np.arange(100) % 5
    worse = true.copy()
    worse[[0, 1, 2, 3, 4, 5, 6, 10, 11, 12]] ^= 1
    gate = karat.gate(
        true, worse, baseline=true, design=karat.Folds(fold), max_drop={"accuracy": 0.01}
    )
    drops = np.array([np.mean((worse != true)[fold == k]) for k in range(5)])
    error = drops.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    expected = stats.t.sf((drops.mean() - 0.01) / error, 4)
    assert gate.rules[0].p == pytest.approx(expected, rel=1e-9)
    assert gate.rules[0].p != pytest.approx(stats.norm.sf((drops.mean() - 0.01) / error), rel=0.1)


def test_names_of_folds_with_points_are_names() -> None:
    fold = np.array(["v1", "v1.0", "v2"])[np.arange(60) % 3]
    true = np.arange(60) % 2
    assert karat.evaluate(true, true, design=karat.Folds(fold)).folds["accuracy"].n_folds == 3


def test_a_column_of_folds_that_is_not_read_is_named() -> None:
    rows = pd.read_csv(BREAST)
    for source in (BREAST, rows):
        report = karat.evaluate(source, positive="malignant")
        assert report.mapping["folds"] is None
        assert "weights=none, folds=none (design=karat.Folds())" in " ".join(report.text().split())
        # It has a role of its own, or is used as another one.
        for used in ({"by": "fold"}, {"clusters": "fold"}):
            assert "folds" not in karat.evaluate(source, positive="malignant", **used).mapping
        found = karat.evaluate(source, positive="malignant", design=karat.Folds())
        assert found.mapping["folds"] == "fold"
    others = rows.rename(columns={"fold": "part"})
    assert "folds" not in karat.evaluate(others, positive="malignant").mapping
    twice = rows.assign(Fold=rows.fold)
    assert "folds" not in karat.evaluate(twice, positive="malignant").mapping
    assert karat.Report.from_json(report.to_json()).mapping["folds"] is None


def test_large_files_name_a_column_of_folds_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(16)
    n = 200_000
    true = rng.integers(0, 2, n)
    rows = {"y": true, "proba": rng.random(n), "fold": np.arange(n) % 3}
    path = tmp_path / "rows.parquet"
    pd.DataFrame(rows).to_parquet(path)
    options: dict[str, Any] = {
        "y_true": "y",
        "y_prob": "proba",
        "positive": 1,
        "metrics": ["roc_auc"],
    }
    bounded = karat.evaluate(path, reading=karat.Reading(max_memory=2**20), **options)
    assert dict(bounded.mapping) == dict(karat.evaluate(path, **options).mapping)
    assert bounded.mapping["folds"] is None


def test_a_baseline_of_repeats_has_no_doubt_about_its_ids(tmp_path: Path) -> None:
    paths = [tmp_path / "new.csv", tmp_path / "old.csv"]
    new, old = repeated(0), repeated(0)
    old["proba"] = old.proba**1.1
    for path, rows in zip(paths, (new, old), strict=True):
        rows.to_csv(path, index=False)
    rules: dict[str, Any] = {"max_drop": {"accuracy": 0.1}, "positive": 1, "baseline": paths[1]}
    for grouped in ({"design": karat.Folds("fold")}, {"clusters": "id"}):
        codes = [one.code for one in karat.gate(paths[0], **rules, **grouped).doubts]
        assert "D105" not in codes
    # Ids that repeat in the baseline alone are in doubt.
    new.drop(columns=["id", "repeat", "fold"]).to_csv(paths[0], index=False)
    codes = [one.code for one in karat.gate(paths[0], **rules).doubts]
    assert "D105" in codes


def test_folds_that_divide_clusters_are_a_doubt() -> None:
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(12), 10)
    true = rng.integers(0, 2, 120)
    pred = np.where(rng.random(120) < 0.8, true, 1 - true)
    divided, grouped = np.arange(120) % 5, cluster % 5

    def codes(fold: np.ndarray, **given: object) -> list[str]:
        report = karat.evaluate(true, pred, design=karat.Folds(fold), **given)
        return [each.code for each in report.doubts if each.code == "D165"]

    assert codes(divided, clusters=cluster) == ["D165"]
    assert codes(grouped, clusters=cluster) == codes(divided) == []
    some = grouped.copy()
    some[[0, 10]] += 1
    report = karat.evaluate(true, pred, design=karat.Folds(some), clusters=cluster)
    (doubt,) = [each for each in report.doubts if each.code == "D165"]
    assert doubt.evidence == "2 clusters of 12 are in several folds of one repeat."
    models = {"a": pred, "b": true}
    compared = karat.compare(true, models, design=karat.Folds(divided), clusters=cluster)
    assert "D165" in [each.code for each in compared.doubts]
    # The same rows in several repeats are in one fold of each.
    twice = {
        "label": np.tile(true, 2),
        "pred": np.tile(pred, 2),
        "fold": np.concatenate([grouped, (cluster + 1) % 4]),
        "repeat": np.repeat([1, 2], 120),
        "id": np.tile(cluster, 2),
    }
    repeated = karat.evaluate(
        twice,
        y_true="label",
        y_pred="pred",
        clusters="id",
        design=karat.Folds("fold", repeat="repeat"),
    )
    assert "D165" not in [each.code for each in repeated.doubts]


def test_nested_folds_that_divide_clusters_are_a_doubt() -> None:
    """Rows of the inner folds belong to no fold of the report."""
    rng = np.random.default_rng(6)
    row = np.repeat(np.arange(60), 3)
    fold, holdout = row % 3, np.tile(np.arange(3), 60)
    true = rng.integers(0, 2, 60)[row]
    models = {name: np.where(rng.random(180) < 0.8, true, 1 - true) for name in "ab"}
    nested = np.where(holdout == fold, None, holdout.astype(str))
    for clusters, is_doubted in ((row // 5, True), (row % 3, False)):
        design = karat.Folds(fold.astype(str), holdout=nested)
        compared = karat.compare(true, models, clusters=clusters, design=design)
        assert ("D165" in [each.code for each in compared.doubts]) == is_doubted
        report = karat.evaluate(true, models["a"], clusters=clusters, design=design)
        assert ("D165" in [each.code for each in report.doubts]) == is_doubted


@pytest.mark.parametrize("metrics", [None, ["accuracy"], ["roc_auc"]])
def test_folds_of_compared_scores_that_divide_clusters_are_a_doubt(metrics: Any) -> None:
    rng = np.random.default_rng(0)
    true, cluster = rng.integers(0, 2, 60), np.arange(60) // 5
    models = {"a": rng.random(60), "b": rng.random(60)}
    given = {} if metrics is None else {"metrics": metrics}
    design = karat.Folds(np.arange(60) % 5)
    found = karat.compare(true, y_prob=models, clusters=cluster, design=design, **given)
    assert "D165" in [each.code for each in found.doubts]


def test_a_check_of_scores_of_repeats_with_ids_finds_no_problem() -> None:
    rng = np.random.default_rng(0)
    rows: dict[str, Any] = {
        "y_true": np.tile(rng.integers(0, 2, 30), 2),
        "y_prob": rng.random(60),
        "design": karat.Folds(np.arange(60) % 5, repeat=np.repeat([0, 1], 30)),
    }
    assert karat.check(**rows, clusters=np.tile(np.arange(30), 2)).problems == ()
    assert [each.code for each in karat.check(**rows).problems] == ["K251"]
