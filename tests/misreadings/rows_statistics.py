"""Sections 3, 6 and 7, and hard cases: statistics that say what the rows show."""

from __future__ import annotations

import numpy as np
import pandas as pd

import karat
from tests.misreadings.table import error, row


def _two_models(n: int = 60) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels and probabilities of two models."""
    rng = np.random.default_rng(5)
    y_true = rng.integers(0, 2, n)
    return y_true, {name: (y_true + rng.random(n) * 2) / 3 for name in ("old", "new")}


@row(3, "compare where one model never predicts the class: precision", r"nan, not tested, True")
def undefined_for_one_model() -> object:
    y_true = np.array([0, 1] * 40)
    models = {"old": np.zeros(80, int), "new": y_true.copy()}
    one = karat.compare(y_true, models, metrics="precision")["precision"]
    return f"{one.difference}, {one.verdict}, {'nothing was predicted' in str(one.remark)}"


@row(3, "compare of metrics without a test", r"not tested, not tested, not tested")
def metrics_without_a_test() -> object:
    y_true, models = _two_models()
    names = ["ks_statistic", "maximum_calibration_error", "equal_error_rate"]
    found = karat.compare(y_true, y_prob=models, metrics=names)
    return ", ".join(one.verdict for one in found)


@row(6, "compare of the same models in another order: p of macro F1 with few positives", r"True")
def another_order_of_models() -> object:
    rng = np.random.default_rng(2)
    y_true = (rng.random(90) < 0.12).astype(int)
    a, b = (np.where(rng.random(90) < error, 1 - y_true, y_true) for error in (0.1, 0.16))
    one = karat.compare(y_true, {"a": a, "b": b}, metrics="macro_f1")["macro_f1"]
    other = karat.compare(y_true, {"b": b, "a": a}, metrics="macro_f1")["macro_f1"]
    return one.p == other.p


@row(7, "two models with the same ranking: AUC", r"0\.0, None, identical")
def the_same_ranking() -> object:
    y_true, models = _two_models()
    scores = {"old": models["old"], "new": models["old"] ** 2}
    one = karat.compare(y_true, y_prob=scores, metrics="roc_auc")["roc_auc"]
    return f"{one.difference}, {one.low}, {one.verdict}"


@row(7, "compare of recall, 1 against 7 of 40 diseased: p (exact: .039 mid-p)", r"0\.0391")
def paired_recall() -> object:
    y_true = np.repeat([1, 0], 40)
    a, b = y_true.copy(), y_true.copy()
    a[:1], b[1:8] = 0, 0
    one = karat.compare(y_true, {"b": b, "a": a}, metrics="recall")["recall"]
    return round(float(one.p or 0.0), 4)


@row(7, "weak slices of noise, with weights that follow a column: found in 20 samples", r"[0-3]")
def weights_that_follow_a_column() -> object:
    n_found = 0
    for seed in range(20):
        rng = np.random.default_rng([73, seed])
        x = rng.random(800)
        columns = {"x": x, "y": rng.random(800), "g": rng.choice(8, 800)}
        loss = (rng.random(800) < 0.9).astype(float)
        found = karat.find_weak_slices(
            by=columns,
            loss=loss,
            weights=1 / (x + 0.05),
            interval=karat.Interval(n_replicates=99, seed=seed),
        )
        n_found += bool(len(found))
    return n_found


@row(
    7,
    "weighted Jaccard with a class that is never right: least width ÷ that of the error",
    r"0\.9[6-9]\d*|1\.\d+",
)
def narrow_weighted_limits() -> object:
    ratios = []
    for seed in range(20):
        rng = np.random.default_rng([9, seed])
        y_true = rng.choice(3, 300, p=(0.4, 0.4, 0.2))
        is_right = rng.random(300) < np.array([0.9, 0.85, 0.0])[y_true]
        wrong = np.where(y_true == 2, rng.integers(0, 2, 300), 1 - np.minimum(y_true, 1))
        one = karat.evaluate(y_true, np.where(is_right, y_true, wrong))["weighted_jaccard"]
        assert one.low is not None
        assert one.high is not None
        assert one.standard_error is not None
        # Wilson's limits of 300 rows are narrower than ± 1.96 standard errors by 1.0064.
        ratios.append((one.high - one.low) * 1.0064 / (2 * 1.96 * one.standard_error))
    return round(min(ratios), 3)


@row(7, "per_label of equal models: limits for all labels exclude 0 where p_adjusted does not", "0")
def limits_of_labels_against_p() -> object:
    n_apart = 0
    for seed in (11, 15, 21, 24):
        rng = np.random.default_rng([5, seed])
        true = (rng.random((150, 8)) < 0.12).astype(int)
        wrong = np.where(true, 0.3, 0.04)
        models = {x: np.where(rng.random(true.shape) < wrong, 1 - true, true) for x in "ab"}
        found = karat.compare(
            true, models, metrics="macro_f1", interval=karat.Interval(n_replicates=499)
        )
        for one in found.per_label("recall"):
            assert one.low_simultaneous is not None
            assert one.high_simultaneous is not None
            is_apart = one.low_simultaneous > 0 or one.high_simultaneous < 0
            n_apart += is_apart != (one.verdict != "inconclusive")
    return n_apart


@row(6, "normalized mutual information and average accuracy outside [0, 1], of 40 inputs", "0")
def values_outside_their_range() -> object:
    n_outside = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y_true = rng.integers(0, 30, 500)
        for name in ("normalized_mutual_information", "average_accuracy"):
            value = getattr(karat, name)(y_true, y_true, weights=rng.random(500))
            n_outside += not 0.0 <= value <= 1.0
    return n_outside


@row(7, "20 of 100 rows wrong, but light: 'at most one of them differs'", "False")
def light_rows_that_differ() -> object:
    y_true = np.arange(100) % 2
    y_pred = np.where(np.arange(100) < 20, 1 - y_true, y_true)
    weights = np.where(np.arange(100) < 20, 0.01, 1.0)
    one = karat.evaluate(y_true, y_pred, weights=weights)["accuracy"]
    return "at most one of them" in str(one.remark)


@row(
    7,
    "case-control rows: precision, recall",
    r"case-control sample, it depends on the class proportions, .*, None",
)
def rows_of_a_case_control_sample() -> object:
    found = karat.evaluate(confusion=[[90, 10], [30, 170]], design=karat.CaseControl(), positive=1)
    head = str(found).splitlines()[1].rpartition(" · ")[2]
    return f"{head}, {found['precision'].remark}, {found['recall'].remark}"


@row(8, "a monitor with one batch a day and clusters=day: the first day", r"INCONCLUSIVE, D135")
def first_day_of_a_monitor() -> object:
    y_true = np.arange(50) % 2
    monitor = karat.Monitor(min={"accuracy": 0.5}, design=karat.Looks(500))
    found = monitor.add(y_true, y_true, clusters=["Monday"] * 50)
    return f"{found.verdict}, {', '.join(one.code for one in found.doubts)}"


@row(7, "pd.crosstab(..., values=weights, margins=True): accepted, of 40", "0")
def weighted_crosstabs_with_margins() -> object:
    n_accepted = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 3, 200)
        pred = np.where(rng.random(200) < 0.8, truth, rng.integers(0, 3, 200))
        weights = rng.random(200)
        table = pd.crosstab(truth, pred, values=weights, aggfunc="sum", margins=True)
        answer = error(lambda table=table: karat.evaluate(confusion=table.fillna(0.0)))
        n_accepted += not answer.startswith("K424")
    return n_accepted


@row(
    7, "Stream of 1,000 classes with scores: accuracy and top-5, beyond max_memory", r"[\d.]+ 3000"
)
def stream_of_many_classes() -> object:
    metrics = ["accuracy", "top_5_accuracy"]
    stream = karat.Stream(
        labels=range(1000), metrics=metrics, reading=karat.Reading(max_memory=1 << 20)
    )
    for i in range(3):
        y_true = (np.arange(1000) * 7 + i) % 1000
        stream.update(y_true, y_score=np.random.default_rng(i).random((1000, 1000)))
    found = stream.report()
    return f"{found['top_5_accuracy'].value:.4f} {found.n_rows}"


@row(7, "rows without truth dropped, most of them predicted well", r"D146")
def rows_without_truth_that_differ() -> object:
    n = 900
    pred = np.arange(n) % 3 == 0
    known = np.where(pred, np.arange(n) % 10 > 0, np.arange(n) % 5 < 2)
    truth = [bool(p) if is_known else None for p, is_known in zip(pred, known, strict=True)]
    table = {"label": truth, "pred": pred.tolist()}
    found = karat.evaluate(table, reading=karat.Reading(nulls="drop"))
    return ", ".join(one.code for one in found.doubts)


@row(
    6,
    "p = 1/3 for three classes, weights × 1, 0.1, 7: intervals of Brier, verdicts of a monitor",
    r"\{'wilson-effective, 0\.\d+, 0\.\d+'\}, \{'INCONCLUSIVE'\}",
)
def equal_losses_by_the_scale_of_weights() -> object:
    intervals, verdicts = set(), set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y_true, weights = rng.integers(0, 3, 200), np.repeat([1.3, 0.7, 2.1, 0.9], 50)
        for scale in (1.0, 0.1, 7.0):
            columns = {"y_prob": np.full((200, 3), 1 / 3), "weights": weights * scale}
            one = karat.evaluate(y_true, metrics="brier", labels=[0, 1, 2], **columns)["brier"]
            intervals.add(f"{one.method}, {one.low:.9f}, {one.high:.9f}")
            monitor = karat.Monitor(max={"brier": 0.9}, labels=[0, 1, 2], design=karat.Looks(2000))
            verdicts.add(monitor.add(y_true, **columns).verdict)
    return f"{intervals}, {verdicts}"


@row(
    6,
    "compare of precision, F1 and kappa where 80 rows differ, all to one side: least p ÷ 2⁻⁸⁰",
    r"1\.0",
)
def far_tails_of_paired_metrics() -> object:
    y_true = np.repeat([1, 0], 400)
    better, worse = y_true.copy(), y_true.copy()
    worse[:40], worse[400:440] = 0, 1
    names = ["precision", "f1", "kappa", "balanced_accuracy"]
    found = karat.compare(y_true, {"b": better, "a": worse}, metrics=names)
    return min(float(one.p or 0.0) for one in found) * 2.0**80


def _one_junk_label() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Three classes, a model with few errors, and one that says "unknown" once."""
    rng = np.random.default_rng(11)
    y_true = np.array(["a", "b", "c"])[rng.integers(0, 3, 240)]
    good = np.where(rng.random(240) < 0.97, y_true, "a")
    junk = np.where(rng.random(240) < 0.9, y_true, "b").astype(object)
    junk[7] = "unknown"
    return y_true, {"good": good, "junk": junk.astype(str)}


@row(3, "compare, one model has one label that is never true: macro F1 of the other", r"True")
def junk_label_in_compare() -> object:
    y_true, models = _one_junk_label()
    found = karat.compare(y_true, models, metrics="macro_f1").values["macro_f1"]["good"]
    return found.value == karat.evaluate(y_true, models["good"])["macro_f1"].value


@row(3, "gate against a baseline with one label that is never true: macro F1 now", r"True, True")
def junk_label_in_a_gate() -> object:
    y_true, models = _one_junk_label()
    report = karat.evaluate(y_true, models["good"])["macro_f1"]
    found = karat.gate(y_true, models["good"], baseline=models["junk"], max_drop={"macro_f1": 0.02})
    return f"{found.rules[0].value == report.value}, {found.passed}"


@row(3, "compare of three models: the interval of two where the third has junk", r"True")
def junk_label_of_a_third() -> object:
    y_true, models = _one_junk_label()
    two = {"good": models["good"], "flat": np.where(y_true == "c", "b", y_true)}
    alone = karat.compare(y_true, two, metrics="macro_f1", adjust="none")["macro_f1"]
    beside = karat.compare(
        y_true, two | {"junk": models["junk"]}, metrics="macro_f1", adjust="none"
    )
    (same,) = [one for one in beside if {one.a, one.b} == {"good", "flat"}]
    return (alone.low, alone.high, alone.p) == (same.low, same.high, same.p)
