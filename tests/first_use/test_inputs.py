"""Everyday inputs: each gives the right number, an error that shows the choices, or a doubt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat

N = 4000
RNG = np.random.default_rng(7)
IS_FRAUD = RNG.random(N) < 0.06
P = np.clip(0.1 + 0.45 * IS_FRAUD + RNG.normal(0, 0.15, N), 0.001, 0.999)
WORDS = np.where(IS_FRAUD, "fraud", "ok")
GUESS = np.where(P >= 0.5, "fraud", "ok")


def refused(code: str, call: Any, *args: Any, **options: Any) -> str:
    """The message of the error of that code."""
    with pytest.raises(karat.InputError) as found:
        call(*args, **options)
    assert found.value.code == code, str(found.value)
    return str(found.value)


def codes(report: Any) -> list[str]:
    return [one.code for one in report.doubts]


# The positive class.


def test_one_column_of_probabilities_of_two_words_asks_which_class_it_is_of() -> None:
    message = refused("K190", karat.evaluate, WORDS, y_prob=P)
    assert "positive='fraud' or positive='ok'" in message
    assert karat.evaluate(WORDS, y_prob=P, positive="fraud").roc_auc.value > 0.9
    for function in (karat.roc_auc, karat.log_loss, karat.average_precision, karat.brier):
        assert "positive='fraud'" in refused("K190", function, WORDS, y_prob=P)
    refused("K190", karat.evaluate, WORDS, y_score=P)
    refused("K190", karat.evaluate, WORDS, y_prob=P, labels=["ok", "fraud"])


@pytest.mark.parametrize(
    "pair", [(0, 1), (False, True), (-1, 1), (0.0, 1.0), (-1.0, 1.0), ("0", "1"), ("-1", "1")]
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_pairs_with_a_known_order_need_nothing(pair: tuple[Any, Any], *, is_reversed: bool) -> None:
    labels = np.where(IS_FRAUD, pair[1], pair[0])
    listed = {"labels": [pair[1], pair[0]]} if is_reversed else {}
    report = karat.evaluate(labels, y_prob=P, **listed)
    assert report.roc_auc.value > 0.9
    assert report.doubts == ()
    guess = np.where(P >= 0.5, pair[1], pair[0])
    assert karat.recall(labels, guess, **listed) == karat.recall(IS_FRAUD, P >= 0.5)


@pytest.mark.parametrize("pair", [("ok", "fraud"), (1, 2), (0, 2), ("a", "b"), ("no", "yes")])
def test_other_pairs_have_no_positive_class(pair: tuple[Any, Any]) -> None:
    labels, guess = (np.where(x, pair[1], pair[0]) for x in (IS_FRAUD, P >= 0.5))
    for function in (karat.f1, karat.precision, karat.recall, karat.specificity):
        message = refused("K190", function, labels, guess)
        assert f"positive={pair[0]!r}" in message
        assert f"positive={pair[1]!r}" in message
        assert 0 < function(labels, guess, average="macro") < 1
        assert function(labels, guess, average=None).shape == (2,)
    assert karat.recall(labels, guess, positive=pair[1]) == karat.recall(IS_FRAUD, P >= 0.5)
    report = karat.evaluate(labels, guess)
    assert codes(report) == ["D101"]
    assert f"positive={pair[1]!r}" in report.doubts[0].option
    assert "macro_f1" in report.metrics
    assert "f1" not in report.metrics
    with pytest.raises(karat.UnknownNameError, match="K194"):
        report["f1"]
    assert karat.evaluate(labels, guess, positive=pair[1]).doubts == ()


def test_a_doubt_changes_no_number() -> None:
    asked = karat.evaluate(WORDS, GUESS, positive="fraud")
    doubted = karat.evaluate(WORDS, GUESS)
    same = set(asked.metrics) & set(doubted.metrics)
    assert len(same) > 30
    for name in same:
        assert doubted[name].value == asked[name].value, name
        assert doubted[name].low == asked[name].low, name


@pytest.mark.parametrize("name", ["proba_fraud", "p_fraud", "probability_fraud"])
def test_a_name_that_names_the_class_settles_it(name: str, tmp_path: Path) -> None:
    wanted = karat.evaluate(WORDS, y_prob=P, positive="fraud")
    column = karat.evaluate(WORDS, y_prob=pd.Series(P, name=name))
    assert column.roc_auc.value == wanted.roc_auc.value
    frame = pd.DataFrame({"label": WORDS, name: P})
    path = tmp_path / "scored.parquet"
    frame.to_parquet(path)
    for source in (frame, path):
        report = karat.evaluate(source, y_prob=name)
        assert report.classes.labels[report.classes.positive] == "fraud"
        assert report.roc_auc.value == wanted.roc_auc.value
        assert report.doubts == ()
    other = pd.DataFrame({"label": WORDS, "proba_ok": 1 - P})
    assert karat.evaluate(other).recall.value == karat.recall(
        WORDS, np.where(1 - P >= 0.5, "ok", "fraud"), positive="ok"
    )
    refused("K137", karat.evaluate, frame, y_prob=name, positive="ok")


# Areas below a half.


def test_an_area_surely_below_a_half_is_a_doubt() -> None:
    report = karat.evaluate(WORDS, y_prob=P, positive="ok")
    assert codes(report) == ["D103"]
    assert "positive='fraud'" in report.doubts[0].option
    noise = np.random.default_rng(1).random(300)
    assert karat.evaluate(noise < 0.5, y_prob=np.random.default_rng(2).random(300)).doubts == ()
    three = np.random.default_rng(3).integers(0, 3, 900)
    columns = np.eye(3)[three] * 0.4 + 0.2
    shifted = karat.evaluate(three, y_prob=np.roll(columns, 1, axis=1))
    assert codes(shifted) == ["D103"]
    assert "order of the columns" in shifted.doubts[0].option


# Scores that may be probabilities.


def test_scores_between_0_and_1_are_a_doubt_and_change_no_number() -> None:
    report = karat.evaluate(IS_FRAUD, y_score=P)
    assert codes(report) == ["D102"]
    assert report.doubts[0].evidence == "All 4 000 scores lie in [0, 1]."
    assert "y_prob=" in report.doubts[0].option
    assert not report.has_predictions
    assert karat.evaluate(IS_FRAUD, y_score=P - 0.5).doubts == ()
    assert karat.evaluate(IS_FRAUD, y_prob=P).doubts == ()


@pytest.mark.parametrize("name", ["score", "scores", "y_score", "prediction_score"])
@pytest.mark.parametrize("kind", ["frame", "parquet", "csv", "bounded"])
def test_a_column_called_score_is_asked_for(name: str, kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": IS_FRAUD.astype(int), name: P})
    source, options = _stored(frame, kind, tmp_path)
    message = refused("K192", karat.evaluate, source, **options)
    assert f"y_prob={name!r} or y_score={name!r}" in message
    assert karat.evaluate(source, y_prob=name, **options).recall.value == pytest.approx(
        karat.recall(IS_FRAUD, P >= 0.5)
    )
    assert codes(karat.evaluate(source, y_score=name, **options)) == ["D102"]
    logits, options = _stored(frame.assign(**{name: np.log(P / (1 - P))}), kind, tmp_path)
    assert karat.evaluate(logits, **options).doubts == ()


def _stored(frame: pd.DataFrame, kind: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    if kind == "frame":
        return frame, {}
    if kind == "csv":
        frame.to_csv(folder / "rows.csv", index=False)
        return folder / "rows.csv", {}
    many = pd.concat([frame] * 25, ignore_index=True) if kind == "bounded" else frame
    many.to_parquet(folder / "rows.parquet")
    return folder / "rows.parquet", {
        "reading": karat.Reading(max_memory=1 << 20)
    } if kind == "bounded" else {}


# Names of columns.


@pytest.mark.parametrize(
    "name", ["yhat", "y_hat", "pred_label", "predicted", "prediction", "Predicted Label", "preds"]
)
def test_names_of_predictions_are_known(name: str) -> None:
    frame = pd.DataFrame({"label": IS_FRAUD, name: P >= 0.7, "prob": P})
    report = karat.evaluate(frame)
    assert report.mapping["y_pred"] == name
    assert report.recall.value == karat.recall(IS_FRAUD, P >= 0.7)
    assert name in str(report)


@pytest.mark.parametrize("name", ["y_test", "y", "actual", "ground_truth", "y_true", "Target"])
def test_names_of_the_truth_are_known(name: str) -> None:
    report = karat.evaluate(pd.DataFrame({name: IS_FRAUD, "pred": P >= 0.7}))
    assert report.mapping["y_true"] == name


def test_a_column_that_looks_like_a_role_and_is_not_used_is_a_doubt() -> None:
    frame = pd.DataFrame({"label": IS_FRAUD, "pred": P >= 0.5, "old_pred": P >= 0.7})
    report = karat.evaluate(frame)
    assert codes(report) == ["D104"]
    assert "pred='old_pred'" in report.doubts[0].option
    assert codes(karat.evaluate(frame, y_pred="pred")) == []
    assert codes(karat.evaluate(frame.drop(columns="old_pred"))) == []


# Labels that have nothing in common.


def test_labels_without_a_common_one_are_refused() -> None:
    message = refused("K191", karat.evaluate, ["0", "1", "1"], ["0.0", "1.0", "1.0"])
    assert "'0', '1'" in message
    assert "'0.0', '1.0'" in message
    for true, pred in (([0, 1], [2, 3]), (["a", "b", "c", "d"], ["A", "B", "C", "D"])):
        refused("K191", karat.evaluate, true, pred)
        for function in (karat.accuracy, karat.kappa, karat.confusion_matrix):
            refused("K191", function, true, pred)
        refused("K191", karat.evaluate, pd.DataFrame({"label": true, "pred": pred}))
    shown = refused("K191", karat.accuracy, ["a", "b", "c", "d"], ["A", "B", "C", "D"])
    assert "'a', 'b', 'c' … (4 in all)" in shown
    assert karat.accuracy([0, 0], [1, 1]) == 0.0
    assert karat.accuracy(["a", "b"], ["b", "a"]) == 0.0
    assert karat.evaluate(["a"], ["b"], labels=["a", "b"]).accuracy.value == 0.0


# Thresholds.


@pytest.mark.parametrize("threshold", [2, -0.1, 1.0000001, 50])
def test_a_threshold_of_probabilities_lies_between_0_and_1(
    threshold: float, tmp_path: Path
) -> None:
    refused("K136", karat.evaluate, IS_FRAUD, y_prob=P, threshold=threshold)
    frame = pd.DataFrame({"label": IS_FRAUD.astype(int), "prob": P})
    for kind in ("frame", "csv", "bounded"):
        source, options = _stored(frame, kind, tmp_path)
        refused("K136", karat.evaluate, source, threshold=threshold, **options)
    stream = karat.Stream(labels=[0, 1], threshold=threshold)
    refused("K136", stream.update, IS_FRAUD.astype(int), y_prob=P)
    assert karat.evaluate(IS_FRAUD, y_score=P * 99, threshold=50).threshold == 50
    for edge in (0, 1):
        assert karat.evaluate(IS_FRAUD, y_prob=P, threshold=edge).threshold == edge


# Ids.


def _rows(start: int = 0, n: int = 500) -> pd.DataFrame:
    part = slice(start, start + n)
    return pd.DataFrame({"id": np.arange(n), "label": IS_FRAUD[part].astype(int), "prob": P[part]})


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_files_of_two_models_are_not_pooled(ending: str, tmp_path: Path) -> None:
    paths = [_written(tmp_path / f"{name}.{ending}", _rows()) for name in ("lr", "nb")]
    message = refused("K193", karat.evaluate, paths)
    assert "karat compare" in message
    assert "500 ids of column 'id'" in message
    assert karat.evaluate(paths, ids="").n_rows == 1000
    parts = [_written(tmp_path / f"part{i}.{ending}", _rows(i * 500)) for i in (0, 1)]
    # Counted anew in each file: rows of other ids, since their labels differ.
    assert codes(karat.evaluate(parts)) == ["D105"]
    apart = [
        _written(
            tmp_path / f"own{i}.{ending}", _rows(i * 500).assign(id=range(i * 500, 500 + i * 500))
        )
        for i in (0, 1)
    ]
    assert karat.evaluate(apart).doubts == ()


def test_ids_that_rows_of_a_file_repeat_are_a_doubt(tmp_path: Path) -> None:
    rows = pd.concat([_rows(), _rows().head(3)])
    path = _written(tmp_path / "rows.csv", rows)
    for source in (path, rows):
        report = karat.evaluate(source)
        assert codes(report) == ["D105"]
        assert "6 of 503 rows" in report.doubts[0].evidence
        assert "clusters='id'" in report.doubts[0].option
        assert karat.evaluate(source, ids="").doubts == ()


def _written(path: Path, rows: pd.DataFrame) -> Path:
    if path.suffix == ".parquet":
        rows.to_parquet(path)
    elif path.suffix == ".csv":
        rows.to_csv(path, index=False)
    else:
        rows.to_json(path, orient="records", lines=True)
    return path


def test_single_columns_of_different_classes_are_not_compared() -> None:
    fraud = pd.DataFrame({"id": range(N), "label": WORDS, "prob_fraud": P})
    other = pd.DataFrame({"id": range(N), "label": WORDS, "prob_ok": 1 - P})
    message = refused("K137", karat.gate, fraud, baseline=other, max_drop={"roc_auc": 0.01})
    assert "'fraud'" in message
    assert "'ok'" in message
    assert karat.gate(fraud, baseline=fraud, max_drop={"roc_auc": 0.01}).passed


def test_weak_slices_ask_about_scores_too() -> None:
    frame = pd.DataFrame({"label": IS_FRAUD.astype(int), "score": P, "g": np.arange(N) % 3})
    refused("K192", karat.find_weak_slices, frame)
    assert len(karat.find_weak_slices(frame.rename(columns={"score": "prob"}), by="g")) == 0


def test_ids_without_a_table_are_refused() -> None:
    refused("K143", karat.evaluate, IS_FRAUD, P >= 0.5, ids="row_id")
    refused("K143", karat.evaluate, IS_FRAUD, P >= 0.5, ids="id")


def test_columns_that_name_no_class_are_a_doubt() -> None:
    truth = IS_FRAUD.astype(int)
    report = karat.evaluate(pd.DataFrame({"label": truth, "prob_event": P}))
    assert codes(report) == ["D109"]
    assert "prob='prob_event'" in report.doubts[0].option
    assert "positive=0" in report.doubts[0].option
    named = karat.evaluate(pd.DataFrame({"label": truth, "prob_event": P}), y_prob="prob_event")
    assert named.doubts == ()
    assert named.roc_auc.value == report.roc_auc.value
    refused("K137", karat.evaluate, pd.DataFrame({"label": truth, "prob_class_0": 1 - P}))
    columns = {"label": WORDS, "prob_0": P, "prob_1": 1 - P}
    several = karat.evaluate(pd.DataFrame(columns), positive="fraud")
    assert codes(several) == ["D110"]
    assert "prob_0 is 'fraud', prob_1 is 'ok'" in several.doubts[0].evidence
    assert several.roc_auc.value > 0.9
    listed = karat.evaluate(pd.DataFrame(columns), positive="fraud", labels=["fraud", "ok"])
    assert listed.doubts == ()
    sure = karat.evaluate(pd.DataFrame({"label": truth, "prob_0": 1 - P, "prob_1": P}))
    assert sure.doubts == ()


SLIP = ["Fraud", "ok", "fraud", "ok"]


@pytest.mark.parametrize(
    ("called", "code"),
    [
        (lambda y: karat.evaluate(y, y, metrics="f1"), "K307"),
        (lambda y: karat.evaluate(y, y)["f1"], "K307"),
        (lambda y: karat.compare(y, {"a": y, "b": y[::-1]}, metrics="f1"), "K307"),
        (lambda y: karat.gate(y, y, min={"f1": 0.5}), "K307"),
        (lambda y: karat.f1(y, y), "K121"),
        (lambda y: karat.evaluate(y, y, positive="fraud"), "K112"),
    ],
)
def test_a_class_that_differs_only_in_case_is_named_where_two_are_needed(
    called: Any, code: str
) -> None:
    with pytest.raises(karat.KaratError) as caught:
        called(SLIP)
    assert caught.value.code == code
    assert "Classes 'Fraud' and 'fraud' differ only in blanks or case" in str(caught.value)
    with pytest.raises(karat.KaratError) as caught:
        called(["fraud", "ok", "theft", "ok"])
    assert "differ only" not in str(caught.value)


def test_classes_that_were_listed_are_no_slip() -> None:
    with pytest.raises(karat.KaratError, match="K307") as caught:
        karat.evaluate(SLIP, SLIP, labels=["Fraud", "fraud", "ok"], metrics="f1")
    assert "differ only" not in str(caught.value)
