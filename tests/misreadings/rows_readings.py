"""Sections 3, 6 and 7: one rule, one computation; what rows, weights and folds mean."""

from __future__ import annotations

import numpy as np
import pandas as pd

import karat
import karat.compat.sklearn as drop_in
from tests.misreadings.table import error, row


def _three(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 3, n)
    return y_true, np.where(rng.random(n) < 0.2, (y_true + 1) % 3, y_true)


def _codes(report: object) -> str:
    return " ".join(one.code for one in report.doubts)  # type: ignore[attr-defined]


@row(3, "float32 p = 0.7, threshold 0.7: classes, sets, net benefit", r"1 1 1")
def threshold_of_float32() -> object:
    y_true = np.arange(100) % 2
    p = np.where(y_true == 1, 0.7, 0.2).astype(np.float32)
    classes = karat.evaluate(y_true, y_prob=p, threshold=0.7)["recall"].value
    both = np.column_stack([y_true, 1 - y_true]), np.column_stack([p, p[::-1]])
    sets = karat.evaluate(both[0], y_prob=both[1], threshold=0.7)["macro_recall"].value
    curve = karat.curves.net_benefit(y_true, y_prob=p, thresholds=[0.7])
    return f"{classes:g} {sets:g} {curve.benefit[0] / y_true.mean():g}"


@row(3, "one column of float32 p, truth negative: log loss ÷ that of doubles", r"1 1 1 1")
def rest_of_float32() -> object:
    p = np.array([2e-8, 1e-6, 3e-5], np.float32)
    y_true = np.zeros(3, np.int64)
    found = []
    for value in (p, p.astype(np.float64)):
        stream = karat.Stream(positive=1, labels=[0, 1])
        stream.update(y_true, y_prob=value)
        report = karat.evaluate(y_true, y_prob=value, labels=[0, 1])
        frame = pd.DataFrame({"label": y_true, "prob": value})
        tables = karat.evaluate(frame, labels=[0, 1])
        each = (report, stream.report(), tables)
        found.append([*(one["log_loss"].value for one in each)])
        found[-1].append(karat.log_loss(y_true, y_prob=value, labels=[0, 1]))
    return " ".join(f"{a / b:.10g}" for a, b in zip(*found, strict=True))


@row(6, "drop-in for scikit-learn, int8 sample_weight: weighted AP ÷ that of doubles", r"1")
def weights_of_int8() -> object:
    rng = np.random.default_rng(4)
    y_true, scores = rng.integers(0, 3, 400), rng.random((400, 3))
    weights = rng.integers(1, 100, 400)
    a, b = (
        drop_in.average_precision_score(y_true, scores, average="weighted", sample_weight=one)
        for one in (weights.astype(np.int8), weights.astype(np.float64))
    )
    return f"{a / b:.10g}"


@row(
    6,
    'Stream(positive="fraud"), only "ok" came: as evaluate',
    r"1 = 1, 0\.\d+ = 0\.\d+, [\d.]+ = [\d.]+",
)
def one_observed_class() -> object:
    y_true, p = np.array(["ok"] * 50), np.linspace(0.01, 0.9, 50)
    found = []
    for values in ({"y_pred": y_true}, {"y_prob": p}, {"y_prob": np.column_stack([p, 1 - p])}):
        stream = karat.Stream(positive="fraud")
        stream.update(y_true, **values)  # type: ignore[arg-type]
        whole = karat.evaluate(y_true, **values, positive="fraud")  # type: ignore[arg-type]
        a, b = (one["accuracy"].value for one in (stream.report(), whole))
        assert a == b
        found.append(f"{a:.4g} = {b:.4g}")
    return ", ".join(found)


@row(6, "… compare", r"\+?0")
def one_observed_class_compared() -> object:
    y_true = np.array(["ok"] * 50)
    found = karat.compare(y_true, {"a": y_true, "b": y_true}, positive="fraud")
    return f"{found['accuracy'].difference:g}"


@row(6, "… columns of one class are in the order of both", r"0\.58")
def columns_of_one_class() -> object:
    p = np.random.default_rng(0).random(50)
    y_prob = np.column_stack([1 - p, p])
    return karat.evaluate(np.array(["ok"] * 50), y_prob=y_prob, positive="fraud")["accuracy"].value


@row(7, "one-hot truth with y_score=", r"D120")
def one_hot_truth_with_scores() -> object:
    y_true, _ = _three()
    scores = np.random.default_rng(5).normal(size=(300, 3)) + 3.0 * np.eye(3)[y_true]
    return _codes(karat.evaluate(np.eye(3)[y_true], y_score=scores))


@row(7, "a batch of binary masks [8, 4096]", r"D129")
def masks() -> object:
    rng = np.random.default_rng(6)
    y_true = rng.integers(0, 2, (8, 4096))
    return _codes(karat.evaluate(y_true, np.where(rng.random((8, 4096)) < 0.1, 1 - y_true, y_true)))


@row(7, "pd.crosstab(truth, pred, margins=True) as confusion=", r"K424 .*iloc\[:-1, :-1\].*")
def margins() -> object:
    true, pred = (pd.Series(codes) for codes in _three())
    table = pd.crosstab(true, pred, margins=True)
    return error(lambda: karat.evaluate(confusion=table)["accuracy"])


@row(7, "… of numbers alone", r"K424 .*")
def margins_of_numbers() -> object:
    table = [[50, 10, 60], [5, 35, 40], [55, 45, 100]]
    return error(lambda: karat.evaluate(confusion=table)["accuracy"])


@row(7, "pd.crosstab(pred, truth): macro precision as from the rows", r"True")
def transposed() -> object:
    y_true, y_pred = _three()
    true, pred = pd.Series(y_true, name="truth"), pd.Series(y_pred, name="pred")
    wanted = karat.macro_precision(y_true, y_pred)
    return bool(karat.macro_precision(confusion=pd.crosstab(pred, true)) == wanted)


@row(7, "five seeds on one test set as folds=", r"K258 .*clusters.*")
def seeds_as_folds() -> object:
    y_true, _ = _three()
    true = np.tile(y_true, 5)
    pred = np.where(np.random.default_rng(7).random(1500) < 0.2, (true + 1) % 3, true)
    return error(
        lambda: karat.evaluate(true, pred, design=karat.Folds(np.repeat(np.arange(5), 300)))
    )


@row(7, "a column `filename` that repeats", r"D105")
def repeated_file_names() -> object:
    y_true, y_pred = _three()
    names = [f"{i // 2}.png" for i in range(300)]
    return _codes(
        karat.evaluate(pd.DataFrame({"label": y_true, "pred": y_pred, "filename": names}))
    )


@row(7, "whole weights, one row a pattern of counts", r"D128 and as frequencies: none")
def weights_that_are_rows() -> object:
    columns = {"y_true": [0, 0, 1, 1], "y_pred": [0, 1, 0, 1], "weights": [70, 10, 15, 55]}
    counted = karat.Frequency(columns["weights"])
    stated = karat.evaluate(columns["y_true"], columns["y_pred"], weights=counted)
    found = karat.evaluate(**columns)  # type: ignore[arg-type]
    return f"{_codes(found)} and as frequencies: {_codes(stated) or 'none'}"


@row(6, "compare and gate of rows of class 1 alone: F1", r"1\.0 1\.0 True")
def comparison_of_one_class() -> object:
    y = [1] * 200
    compared = karat.compare(y, {"a": y, "b": y}, metrics=["f1", "accuracy"])
    passed = karat.gate(y, y, baseline=y, max_drop={"f1": 0.2}).passed
    return f"{compared.values['f1']['a'].value} {compared.values['f1']['b'].value} {passed}"
