"""Sections 1, 2 and 7: everyday inputs that were read in another way than they were meant."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import karat
from tests.misreadings.table import error, row

GRADES = np.array(["low", "medium", "high"], object)


def _three(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 3, n)
    return y_true, np.where(rng.random(n) < 0.1, (y_true + 1) % 3, y_true)


def _codes(report: object) -> str:
    return " ".join(one.code for one in report.doubts)  # type: ignore[attr-defined]


def _each(*calls: object) -> str:
    """Codes of the doubts of each call, or of its error; - for none."""
    found = []
    for call in calls:
        answer = error(lambda call=call: _codes(call()))  # type: ignore[operator, misc]
        found.append(answer.split()[0] if answer else "-")
    return " ".join(found)


@row(1, "a true label that is no label, and is never predicted", "D126 D126 D126 D126 D126 -")
def truths_that_are_no_labels() -> object:
    true, pred = _three()
    marked = np.arange(300) < 30
    numbers = [np.where(marked, code, true) for code in (255, 99, -1)]
    texts = [np.where(marked, text, GRADES[true]) for text in ("unknown", ".")]
    calls = [lambda each=each: karat.evaluate(each, pred) for each in numbers]
    calls += [lambda each=each: karat.evaluate(each, GRADES[pred]) for each in texts]
    # The next class is a class.
    return _each(*calls, lambda: karat.evaluate(np.where(marked, 3, true), pred))


@row(1, "20 odd labels of 0.3 % of the rows each", r"D127: .*\(20 in all\).* 20 times.*")
def many_odd_predictions() -> object:
    true, pred = _three()
    odd = GRADES[pred]
    odd[:20] = [f"odd {i}" for i in range(20)]
    return karat.evaluate(GRADES[true], odd).doubts[0].coded


@row(
    1, "a stray predicted class of two rows: macro F1", r"D127: .* macro F1 is 0\.6\d+, and 0\.8.*"
)
def a_stray_class() -> object:
    true, pred = _three()
    odd = GRADES[pred]
    odd[:2] = "zebra"
    return karat.evaluate(GRADES[true], odd).doubts[0].coded


@row(1, "a file with 0/1 and a file with yes/no", "D150 D150 D150 -")
def two_codings_of_the_truth() -> object:
    true, pred = (np.arange(200) // 2 % 2, np.arange(200) // 3 % 2)
    numbers, words = np.array(["0", "1"]), np.array(["no", "yes"])
    half = np.arange(200) < 100
    mixed = np.where(half, numbers[true], words[true])
    animals = np.where(half, numbers[true], np.array(["cat", "dog"])[true])
    of_animals = np.array(["cat", "dog"])[pred]
    return _each(
        lambda: karat.evaluate(mixed, numbers[pred]),
        lambda: karat.evaluate(mixed, np.where(half, numbers[pred], words[pred])),
        lambda: karat.evaluate(animals, of_animals),
        lambda: karat.evaluate(np.array(["1", "2", "cat", "dog"])[np.arange(200) % 4],
                               np.array(["1", "2", "cat", "dog"])[np.arange(200) % 5 % 4]),
    )  # fmt: skip


@row(1, "one class in two spellings: signs", "D111 D111 D111 D111 D111 - - -")
def spellings_with_signs() -> object:
    pairs = [("a.", "a"), ("not_spam", "not spam"), ("not-spam", "not spam"), ("it's", "it’s")]
    pairs += [("'a'", "a"), ("A-", "A"), ("C", "C++"), ("1-2", "12")]
    columns = [np.array([*pair, "other"])[np.arange(60) % 3] for pair in pairs]
    return _each(*(lambda each=each: karat.evaluate(each, each) for each in columns))


@row(7, "a confusion matrix divided by its rows, its columns", "K424 K424 K424 K424 - - - -")
def normalized_matrices() -> object:
    table = np.array([[50, 10, 4], [5, 35, 3], [2, 7, 20]])
    rows, columns = table.sum(1, keepdims=True), table.sum(0)
    each = [table / rows, table / columns, (100 * table / rows).round(1)]
    each.append(pd.DataFrame((table / rows).round(2), list("abc"), list("abc")))
    # Counts, sums of weights, and shares of all rows, whose values are right.
    each += [table, table * 0.7, table * 1.0, table / table.sum()]
    return _each(*(lambda x=x: karat.evaluate(confusion=x) for x in each))


@row(2, "class_names= holds the labels in another order", "K117 K117 - -")
def names_that_are_labels_in_another_order() -> object:
    true, pred = np.array(["n", "p"] * 20), np.array(["n", "n", "p", "p"] * 10)
    numbers = np.arange(40) % 2
    return _each(
        lambda: karat.evaluate(true, pred, positive="p", labels=karat.Labels(names=["p", "n"])),
        lambda: karat.evaluate(numbers, numbers, labels=karat.Labels(names=["1", "0"])),
        lambda: karat.evaluate(true, pred, positive="p", labels=karat.Labels(names=["n", "p"])),
        lambda: karat.evaluate(
            true, pred, positive="p", labels=karat.Labels(names={"n": "p", "p": "n"})
        ),
    )


@row(2, "compare of reports with different positive classes", "K166 .*positive=.*")
def reports_of_different_positive_classes() -> object:
    true, pred = np.array(["n", "p"] * 20), np.array(["n", "n", "p", "p"] * 10)
    reports = {x: karat.evaluate(true, pred, positive=x) for x in "np"}
    return error(lambda: karat.compare(reports))


@row(4, "compare(margin=5) of accuracy, 0.4, 0.05", "K165 .*0 and 1.* D151 -")
def wide_margins() -> object:
    true, pred = _three()
    models = {"a": pred, "b": true}

    def call(margin: float) -> str:
        found = karat.compare(true, models, metrics=["accuracy"], margin=margin)
        return " ".join(one.code for one in found.doubts) or "-"

    return " ".join(error(lambda x=x: call(x)) for x in (5, 0.4, 0.05))  # type: ignore[misc]


@row(4, "rows_needed of a difference of 5, a half-width of 2", "K167 K167 [0-9]+")
def unreachable_differences() -> object:
    pilot = karat.evaluate(*_three())
    return _first(
        lambda: karat.rows_needed("accuracy", pilot=pilot, difference=5),
        lambda: karat.rows_needed("accuracy", pilot=pilot, half_width=2),
        lambda: int(karat.rows_needed("accuracy", pilot=pilot, difference=0.05)),
    )


def _first(*calls: object) -> str:
    return " ".join(error(call).split()[0] for call in calls)  # type: ignore[arg-type]


def _in_a_file(frame: pd.DataFrame, **options: object) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        frame.to_csv(path, index=False)
        return karat.evaluate(path, **options)  # type: ignore[arg-type]


@row(
    7,
    "a table of counts, as value_counts() and GROUP BY give it",
    "K427 K427 K427 K427 K427 - - - -",
)
def counts_as_rows() -> object:
    counts = {"label": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "count": [50, 10, 5, 35]}
    frame = pd.DataFrame(counts)
    true, pred = _three()
    found = pd.DataFrame({"label": true, "pred": pred}).value_counts().reset_index(name="n")
    country = pd.concat([frame.assign(country=x) for x in "ab"])
    sizes = pd.DataFrame({"label": true, "pred": pred, "size": np.arange(300)})
    return _each(
        lambda: karat.evaluate(counts),
        lambda: karat.evaluate(frame.rename(columns={"count": "support"})),
        lambda: karat.evaluate(found),
        lambda: _in_a_file(frame),
        lambda: karat.evaluate(country, by="country"),
        # Features, ids, and a count of 1 in every row.
        lambda: karat.evaluate(sizes),
        lambda: _in_a_file(sizes.rename(columns={"size": "len"})),
        lambda: karat.evaluate(frame.rename(columns={"count": "n"}).assign(n=1)),
        lambda: karat.evaluate(frame.assign(id=list("abcd"))),
    )


@row(
    7,
    "… what K427 says, and what settles it",
    r"K427 .*weights=karat\.Frequency\('count'\).*, 0\.85, 0\.5",
)
def counts_that_are_named() -> object:
    frame = pd.DataFrame({"label": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "count": [50, 10, 5, 35]})
    named = karat.evaluate(frame, weights=karat.Frequency("count"))
    alone = karat.evaluate(frame, weights="")
    asked = error(lambda: karat.evaluate(frame))
    return f"{asked}, {named['accuracy'].value:g}, {alone['accuracy'].value:g}"


@row(7, "a column of train and test rows", r"D152 D152 D152 - - -")
def rows_for_training() -> object:
    true, pred = _three()
    frame = pd.DataFrame({"label": true, "pred": pred})
    frame["split"] = np.where(np.arange(300) < 200, "train", "test")
    flag = frame.drop(columns="split").assign(is_train=np.arange(300) < 200)
    other = frame.assign(split=np.where(np.arange(300) < 200, "north", "south"))
    return _each(
        lambda: karat.evaluate(frame),
        lambda: karat.evaluate(flag),
        lambda: _in_a_file(frame),
        lambda: karat.evaluate(frame, by="split"),
        lambda: karat.evaluate(frame[frame["split"] == "test"]),
        lambda: karat.evaluate(other),
    )


@row(1, "columns named like weights", "D104 D104 D104 D104 D104 D104 D104 - -")
def names_of_weights() -> object:
    true, pred = _three()
    names = ["survey_weight", "wt", "my_weight", "ipw", "pweight", "sampling_weight", "exposure"]
    names += ["body_weight", "kg"]
    frames = [pd.DataFrame({"label": true, "pred": pred, x: np.arange(300.0)}) for x in names]
    return _each(*(lambda frame=frame: karat.evaluate(frame) for frame in frames))


@row(3, "level=0.05", r"K122 .*level=0\.95.*, K122, 0\.5")
def error_rates_as_levels() -> object:
    true, pred = _three()
    asked = error(lambda: karat.evaluate(true, pred, level=0.05))
    compared = error(lambda: karat.compare(true, {"a": pred, "b": true}, level=0.1)).split()[0]
    half = karat.evaluate(true, pred, level=0.5)["accuracy"].level
    return f"{asked}, {compared}, {half}"


@row(7, "folds= with -1 for rows of no fold, as PredefinedSplit", "D155 D155 -")
def untested_rows() -> object:
    true, pred = _three()
    folds = np.arange(300) % 4 - 1
    frame = pd.DataFrame({"label": true, "pred": pred, "fold": folds})
    return _each(
        lambda: karat.evaluate(true, pred, design=karat.Folds(folds)),
        lambda: karat.evaluate(frame, design=karat.Folds("fold")),
        lambda: karat.evaluate(true, pred, design=karat.Folds(folds + 1)),
    )


@row(1, "predictions as y_prob=, as y_score=, of classes", "D153 D153 D153 D153 -")
def predictions_as_scores() -> object:
    rng = np.random.default_rng(8)
    true = np.arange(60) % 2
    pred = np.where(rng.random(60) < 0.2, 1 - true, true)
    classes, guess = _three(60)
    return _each(
        lambda: karat.evaluate(true, y_prob=pred.astype(float), metrics="roc_auc"),
        lambda: karat.evaluate(true, y_score=pred, metrics="roc_auc"),
        lambda: karat.evaluate(2 * true - 1, y_score=2 * pred - 1, metrics="roc_auc"),
        lambda: karat.evaluate(classes, y_prob=np.eye(3)[guess], metrics="roc_auc_ovr_macro"),
        lambda: karat.evaluate(true, y_prob=(pred + 1.0) / 3.0, metrics="roc_auc"),
    )


@row(1, "a column `prob` of confidences in the predicted class", "D154 D154 - -")
def confidences() -> object:
    rng = np.random.default_rng(9)
    true = np.arange(60) % 2
    p = np.clip(true * 0.4 + rng.random(60) * 0.6, 0.01, 0.99)
    sure = np.maximum(p, 1 - p)
    frame = pd.DataFrame({"label": true, "prob": sure})
    return _each(
        lambda: karat.evaluate(frame),
        lambda: karat.evaluate(true, y_prob=sure, metrics="roc_auc"),
        lambda: karat.evaluate(frame.assign(prob=p)),
        lambda: karat.evaluate(np.ones(60, int), y_prob=sure, labels=[0, 1]),
    )


@row(7, "binary masks of 8 × 16 and 1 × 40", "D129 D129 - -")
def small_masks() -> object:
    rng = np.random.default_rng(10)
    found = []
    for shape, proportion in (((8, 16), 0.5), ((1, 40), 0.5), ((8, 16), 0.1), ((20, 16), 0.5)):
        true = (rng.random(shape) < proportion).astype(int)
        pred = np.where(rng.random(shape) < 0.1, 1 - true, true)
        codes = _codes(karat.evaluate(true, pred)).split()
        found.append("D129" if "D129" in codes else "-")
    return " ".join(found)


@row(7, "series of other rows: a row later, filtered", "D113 D113 D113 - -")
def series_of_other_rows() -> object:
    true, pred = (pd.Series(each) for each in _three())
    odd, even = true.index % 3 != 0, true.index % 3 != 1
    days = pd.date_range("2026-01-01", periods=300)
    part = true[np.random.default_rng(0).permutation(300)[:75]]
    return _each(
        lambda: karat.evaluate(true[1:], pred[:-1]),
        lambda: karat.evaluate(true[odd], pred[even]),
        lambda: karat.evaluate(true.set_axis(days)[1:], pred.set_axis(days)[:-1]),
        lambda: karat.evaluate(part, pd.Series(pred[part.index].to_numpy())),
        lambda: karat.evaluate(true[:100], pred[200:]),
    )


@row(7, "folds= and ids= of the same index in another order", "D113 D113 -")
def folds_and_ids_in_another_order() -> object:
    true, pred = (pd.Series(each) for each in _three())
    folds, ids = (true.index % 5).to_series(true.index), pd.Series(np.arange(300))
    return _each(
        lambda: karat.evaluate(
            true, pred, design=karat.Folds(folds.sample(frac=1, random_state=0))
        ),
        lambda: karat.evaluate(true, pred, ids=ids.sample(frac=1, random_state=0)),
        lambda: karat.evaluate(true, pred, design=karat.Folds(folds), ids=ids),
    )


@row(2, "y_prob= of a frame whose columns name no class", "D110 - - -")
def columns_that_name_no_class() -> object:
    rng = np.random.default_rng(11)
    true, _ = _three()
    p = rng.dirichlet(np.ones(3), 300) * 0.5 + np.eye(3)[true] * 0.5
    names = (["x", "y", "z"], ["p_0", "p_1", "p_2"], [0, 1, 2])
    frames = [pd.DataFrame(p, columns=each) for each in names]
    calls = [lambda x=x: karat.evaluate(true, y_prob=x) for x in frames]
    return _each(*calls, lambda: karat.evaluate(true, y_prob=frames[0], labels=[0, 1, 2]))


@row(1, "NA in by= of a CSV: beside blanks, codes of countries, words", "D156 D156 - -")
def texts_of_missing_values() -> object:
    true, pred = _three()
    frame = pd.DataFrame({"label": true, "pred": pred})
    columns = (["NA", "", "DE"], ["NA", "FR", "DE"], ["NA", "north", "south"], ["", "FR", "DE"])
    frames = [frame.assign(country=np.array(each)[np.arange(300) % 3]) for each in columns]
    return _each(*(lambda x=x: _in_a_file(x, by="country") for x in frames))


@row(8, "a monitor of scores: a batch with a new class", r"K109 .*first batch.*another monitor.*")
def a_new_class_in_a_monitor() -> object:
    frame = pd.DataFrame({"label": [0, 1, 0, 1], "prob_0": [0.9, 0.2, 0.6, 0.1]})
    frame["prob_1"] = 1 - frame["prob_0"]
    monitor = karat.Monitor(min={"accuracy": 0.1})
    monitor.add(frame)
    return error(lambda: monitor.add(frame.assign(label=[0, 2, 0, 1])))


@row(8, "probabilities of 20 classes, rounded to 3 places", r"K133 .*rounded to 3 places.*K133 .*")
def rounded_probabilities() -> object:
    p = np.random.default_rng(12).dirichlet(np.ones(20), 200).round(3)
    classes = np.arange(200) % 20
    odd = np.full((20, 20), 0.06)
    asked = error(lambda: karat.evaluate(classes, y_prob=p))
    others = error(lambda: karat.evaluate(classes[:20], y_prob=odd))
    assert "rounded" not in others
    return f"{asked} {others}"
