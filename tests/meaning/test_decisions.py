"""What decides the predicted class, and scores that decide none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from karat.metrics import Metric, all_metrics, get
from karat.metrics._metric import _reads_predictions
from karat.tally import Cells, Classes, merge, to_marginals
from tests.optional import optional

RNG = np.random.default_rng(5)
N = 240
TRUE = RNG.integers(0, 2, N)
SCORE = RNG.normal(size=N) * 20 + 50 + 15 * TRUE
OTHER = RNG.normal(size=N) * 20 + 50 + 5 * TRUE
GROUPS = np.arange(N) % 3
LABELS = RNG.integers(0, 2, (N, 3))
LABEL_SCORES = RNG.normal(size=(N, 3)) + LABELS + 50
TABLE = pd.DataFrame({"label": TRUE, "s": SCORE, "other": OTHER, "g": GROUPS})
AT = 58.0


def evaluated(**more: Any) -> Any:
    return karat.evaluate(TRUE, y_score=SCORE, **more)


def test_one_column_of_scores_predicts_nothing() -> None:
    report = evaluated()
    assert not report.has_predictions
    assert report.threshold is None
    assert report.decision == "none: one column of y_score without a threshold"
    assert "accuracy" not in report
    assert not [name for name in report.metrics if get(name).reads_predictions]
    assert {"roc_auc", "average_precision", "prevalence", "support"} <= set(report.metrics)
    with pytest.raises(KaratError, match=r"K320 .*accuracy") as caught:
        report["accuracy"]
    assert "threshold=" in str(caught.value)
    assert {"support", "roc_auc"} <= report.per_class[0].keys()
    assert not {"precision", "predicted_count"} & report.per_class[0].keys()
    assert "no class predicted" in str(report)
    assert "no class predicted" in report.to_markdown()
    page = report.to_html()
    assert 'id="matrix-caption"' not in page
    assert 'id="matrix-caption"' in evaluated(threshold=AT).to_html()


def test_a_threshold_decides_and_rankings_stay() -> None:
    bare, decided = evaluated(), evaluated(threshold=AT)
    labels = karat.evaluate(TRUE, (SCORE >= AT).astype(int))
    assert decided.threshold == AT
    assert decided.decision == "the positive class where its score is at least 58"
    for name in labels.metrics:
        assert decided[name].value == labels[name].value, name
    for name in bare.metrics:
        assert bare[name].value == decided[name].value, name
        assert bare[name].low == decided[name].low, name
    # Sabotage: another threshold gives another number.
    assert evaluated(threshold=AT + 9)["accuracy"].value != decided["accuracy"].value


DECISIONS = {
    "most probable class (above 0.5; ties: first class)": {"y_prob": 1 / (1 + np.exp(-SCORE / 50))},
    "the positive class where its probability is at least 0.3": {
        "y_logit": SCORE - 50,
        "threshold": 0.3,
    },
    "class of the largest score (ties: first class)": {"y_score": np.stack([-SCORE, SCORE], 1)},
    "as given": {"y_score": SCORE, "y_pred": (SCORE > AT).astype(int)},
}


@pytest.mark.parametrize("words", DECISIONS)
def test_the_rule_in_words(words: str) -> None:
    report = karat.evaluate(TRUE, **DECISIONS[words])
    assert report.decision == words
    assert report.has_predictions
    assert karat.Report.from_json(report.to_json()).decision == words


def test_more_than_two_classes_are_decided_by_the_largest() -> None:
    scores = RNG.normal(size=(N, 4))
    report = karat.evaluate(
        np.arange(N) % 4, y_prob=np.exp(scores) / np.exp(scores).sum(1)[:, None]
    )
    assert report.decision == "most probable class (ties: first class)"


def test_a_report_in_json_predicts_nothing_either() -> None:
    report = evaluated(by={"g": GROUPS})
    text = report.to_json()
    back = karat.Report.from_json(text)
    assert (back.decision, back.has_predictions) == (report.decision, False)
    assert back.metrics.keys() == report.metrics.keys()
    assert back.to_json() == text
    assert '"confusion": null' in text
    with pytest.raises(KaratError, match="K320"):
        back["f1"]
    with pytest.raises(KaratError, match="K320"):
        np.asarray(back.confusion)
    with pytest.raises(KaratError, match="K205"):
        karat.Report.from_json(text.replace('"confusion": null', '"confusion": [[1, 0], [0, 1]]'))


def test_slices_folds_and_clusters_rank() -> None:
    report = evaluated(by={"g": GROUPS}, clusters=np.arange(N) // 4)
    assert "roc_auc" in str(report.slices["g"])
    assert report.slices["g"]["0"]["roc_auc"].value == (
        karat.evaluate(TRUE[GROUPS == 0], y_score=SCORE[GROUPS == 0])["roc_auc"].value
    )
    with pytest.raises(KaratError, match="K320"):
        report.slices["g"]["0"]["accuracy"]
    folds = evaluated(design=karat.Folds(np.arange(N) % 4)).folds
    assert folds["roc_auc"].fold_mean > 0.5
    with pytest.raises(KaratError, match="K320"):
        folds["accuracy"]


def _stream(**more: Any) -> karat.Stream:
    stream = karat.Stream(**more)
    for start in range(0, N, 60):
        part = slice(start, start + 60)
        stream.update(TRUE[part], y_score=SCORE[part])
    return stream


def _file(folder: Path, ending: str) -> str:
    path = folder / f"rows.{ending}"
    TABLE.to_csv(path, index=False) if ending == "csv" else TABLE.to_parquet(path)
    return str(path)


def test_streams_files_and_tensors_are_read_alike(tmp_path: Path) -> None:
    torch = optional("torch")
    whole = evaluated()
    stream = _stream()
    columns = {"y_true": "label", "y_score": "s"}
    reports = {
        "stream": stream.report(),
        "bytes": karat.Stream.from_bytes(stream.to_bytes()).report(),
        "table": karat.evaluate(TABLE, **columns),
        "csv": karat.evaluate(_file(tmp_path, "csv"), **columns),
        "parquet": karat.evaluate(_file(tmp_path, "parquet"), **columns),
        "tensors": karat.evaluate(torch.tensor(TRUE), y_score=torch.tensor(SCORE)),
    }
    for name, report in reports.items():
        assert not report.has_predictions, name
        assert set(report.metrics) == set(whole.metrics), name
        assert report["roc_auc"].value == pytest.approx(whole["roc_auc"].value, abs=1e-12), name
        assert report["support"].value == whole["support"].value, name
    assert "pred=none" in str(reports["csv"])


LABEL_RULE: dict[str, Callable[[], object]] = {
    "metrics=": lambda: evaluated(metrics=["accuracy", "roc_auc"]),
    "compare": lambda: karat.compare(TRUE, y_score={"a": SCORE, "b": OTHER}, metrics="f1"),
    "compare of a table": lambda: karat.compare(
        TABLE, y_true="label", y_score=["s", "other"], metrics="f1"
    ),
    "compare of reports": lambda: karat.compare(
        {"a": evaluated(), "b": karat.evaluate(TRUE, y_score=OTHER)}, metrics="f1"
    ),
    "gate": lambda: karat.gate(TRUE, y_score=SCORE, min={"recall": 0.5}),
    "gate of a report": lambda: karat.gate(evaluated(), min={"recall": 0.5}),
    "gate of sets": lambda: karat.gate(LABELS, y_score=LABEL_SCORES, min={"micro_f1": 0.5}),
    "monitor": lambda: karat.Monitor(min={"recall": 0.5}).add(TRUE, y_score=SCORE),
    "weak slices": lambda: karat.find_weak_slices(
        TABLE[["label", "s", "g"]], y_true="label", y_score="s"
    ),
    "weak slices by a metric of labels": lambda: karat.find_weak_slices(
        TABLE[["label", "s", "g"]], y_true="label", y_score="s", metric="f1"
    ),
    "stream": lambda: _stream(metrics=["accuracy"]).report(),
    "rows behind a number": lambda: evaluated(reading=karat.Reading(keep_rows=3)),
    "judge": lambda: karat.evaluate(
        [int(x) if i % 4 else None for i, x in enumerate(TRUE)],
        y_score=SCORE,
        design=karat.Judge(TRUE, is_random=True),
    ),
    "sample size": lambda: karat.rows_needed("accuracy", pilot=evaluated(), half_width=0.01),
    "confusion matrix": lambda: karat.plot.confusion(evaluated()),
    "wrong rows of sets": lambda: karat.evaluate(LABELS, y_score=LABEL_SCORES).wrong_rows(),
    "sets": lambda: karat.evaluate(y_true=LABELS, y_score=LABEL_SCORES)["micro_f1"],
}


@pytest.mark.parametrize("name", LABEL_RULE)
def test_what_needs_a_predicted_class_says_so(name: str) -> None:
    with pytest.raises(KaratError, match="K320") as caught:
        LABEL_RULE[name]()
    assert "y_pred=" in str(caught.value)


def test_what_ranks_works_in_every_verb(tmp_path: Path) -> None:
    both = karat.compare(TRUE, y_score={"a": SCORE, "b": OTHER})
    assert both.metrics == ("roc_auc", "average_precision")
    assert both.flips == {}
    result = karat.gate(TRUE, y_score=OTHER, min={"roc_auc": 0.5})
    path = tmp_path / "base.json"
    result.save_baseline(path)
    rules = karat.Rules(evidence="value")
    again = karat.gate(TRUE, y_score=SCORE, baseline=path, max_drop={"roc_auc": 0.01}, rules=rules)
    assert again.passed
    with pytest.raises(KaratError, match="K320"):
        karat.gate(TRUE, y_score=SCORE, baseline=path, max_drop={"accuracy": 0.01})
    found = karat.find_weak_slices(
        TABLE[["label", "s", "g"]], y_true="label", y_score="s", metric="roc_auc"
    )
    assert found is not None
    assert karat.Monitor(min={"roc_auc": 0.4}).add(TRUE, y_score=SCORE) is not None


def test_thresholds_of_models_of_arrays() -> None:
    found = karat.compare(TRUE, y_score={"a": SCORE, "b": OTHER}, threshold={"a": AT, "b": 50})
    wanted = karat.compare(TRUE, {"a": (SCORE >= AT).astype(int), "b": (OTHER >= 50).astype(int)})
    for metric in wanted.metrics:
        assert found[metric].difference == wanted[metric].difference, metric
    with pytest.raises(KaratError, match="K136"):
        karat.compare(TRUE, {"a": TRUE, "b": TRUE}, threshold=0.5)
    with pytest.raises(KaratError, match="K140"):
        karat.compare(
            TRUE, y_pred={"a": TRUE, "b": TRUE}, y_score={"a": SCORE, "b": OTHER}, threshold=5
        )


def test_sets_rank_without_a_threshold() -> None:
    report = karat.evaluate(LABELS, y_score=LABEL_SCORES, by={"g": GROUPS})
    assert report.decision == "none: y_score of labels without a threshold"
    assert not [name for name in report.metrics if get(name).reads_predictions]
    assert (report.patterns, report.transfers) == (None, None)
    assert "predicted_labels_per_row" not in report.label_counts
    assert "no label predicted" in str(report)
    back = karat.MultilabelReport.from_json(report.to_json())
    assert back.decision == report.decision
    assert back.to_json() == report.to_json()
    decided = karat.evaluate(LABELS, y_score=LABEL_SCORES, threshold=50.5)
    assert decided.decision == "the labels whose score is at least 50.5"
    assert (decided.threshold, report.threshold) == (50.5, None)
    assert karat.MultilabelReport.from_json(decided.to_json()).threshold == 50.5
    given = karat.evaluate(LABELS, (LABEL_SCORES >= 50.5).astype(int))
    assert decided["micro_f1"].value == given["micro_f1"].value
    name = "mean_average_precision"
    assert report[name].value == decided[name].value
    each = karat.compare(LABELS, y_score={"a": LABEL_SCORES, "b": LABEL_SCORES[:, ::-1]})
    assert name in each.metrics
    assert "micro_f1" not in each.metrics


def test_a_check_says_what_is_missing() -> None:
    found = karat.check(TRUE, y_score=SCORE)
    needs = {one.what: one.needs for one in found.abilities}
    assert needs["accuracy, F1, kappa"] == "threshold= or y_pred="
    assert not needs["ROC AUC, average precision, curves"]
    needs = {one.what: one.needs for one in karat.check(TRUE, y_score=SCORE, threshold=3).abilities}
    assert not needs["accuracy, F1, kappa"]


@pytest.mark.parametrize("more", [{}, {"threshold": AT}])
def test_a_check_shows_what_a_report_predicts(more: dict[str, float]) -> None:
    names = {"y_true": "label", "y_score": "s"}
    predicted = "y_pred=score ≥ 58" if more else "y_pred=none"
    assert predicted in str(karat.check(TABLE, **names, **more))
    assert predicted in str(karat.evaluate(TABLE, **names, **more))


def reads_predictions(metric: Metric) -> bool:
    """Whether other predictions of the same rows change a value."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3, 60)
    values = []
    for _ in range(6):
        pred = np.where(rng.random(60) < 0.6, true, rng.integers(0, 3, 60))
        cells = np.zeros((3, 3), np.int64)
        np.add.at(cells, (true, pred), 1)
        values.append(metric.values(Cells.dense(cells, classes=Classes((0, 1, 2)))).value)
    return not all(np.array_equal(values[0], one, equal_nan=True) for one in values[1:])


RECORDS = {
    metric.record.name: metric.record
    for metric in all_metrics()
    if metric.record.is_traced and not metric.record.is_of_rows
}


@pytest.mark.parametrize("name", RECORDS)
def test_the_fact_that_a_formula_reads_predictions(name: str) -> None:
    record = RECORDS[name]
    if any(item.default is None for item in record.parameters):
        assert _reads_predictions(record)
        return
    lift = "per_class" if record.is_per_class else "plain"
    params = {item.name: item.default for item in record.parameters}
    assert _reads_predictions(record) == reads_predictions(Metric.of(record, lift, params))


def test_the_fact_differs_between_metrics() -> None:
    """The control: a fact that was the same for all would fail above."""
    found = {name for name, record in RECORDS.items() if not _reads_predictions(record)}
    assert found == {"support", "prevalence", "no_information_rate"}


@pytest.mark.parametrize("is_weighted", [False, True])
def test_tallies_without_predictions(is_weighted: bool) -> None:
    classes = Classes(("a", "b", "c"))
    table = np.array([[3, 1, 0], [0, 4, 2], [1, 1, 5]])
    facts = {"squares": table * 2.25} if is_weighted else {}
    cells = Cells.dense(table * 1.5 if is_weighted else table, classes=classes, **facts)
    bare = cells.without_predictions()
    assert not bare.has_predictions
    assert not bare.has_matrix
    assert get("prevalence").record.name == "prevalence"
    support = Metric(get("support").record, "per_class")
    assert support.values(bare).value.tolist() == support.values(cells).value.tolist()
    assert to_marginals(bare).without_predictions() is not None
    assert support.values(to_marginals(cells).without_predictions()).value.tolist() == (
        support.values(cells).value.tolist()
    )
    for both in (merge(bare, bare), merge(bare, cells), merge(cells, bare)):
        assert not both.has_predictions
        assert support.values(both).value.tolist() == (2 * support.values(cells).value).tolist()
    with pytest.raises(KaratError, match="K320"):
        get("accuracy").values(bare)
    # Sabotage: with the mark taken away, every row counts as right.
    assert get("accuracy").values(replace(bare, has_predictions=True)).value == 1.0
