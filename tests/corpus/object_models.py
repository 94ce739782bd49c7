"""Models, scorers, weak slices, files of wrong rows: what the groups of these verbs leave out."""

from __future__ import annotations

import contextlib
import io
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import karat
from karat.cli import main
from tests.corpus.calls import Call
from tests.corpus.more_rows import sets, three_classes, topics, two_classes
from tests.corpus.object_rows import weak
from tests.corpus.outcome import Prose, cleaned
from tests.grouping import grouped

TWO = two_classes()
THREE = three_classes()
SETS = topics()
FRAME = pd.DataFrame({name: THREE[name] for name in ("label", "pred", "old", "mass")})


def calls() -> Iterator[Call]:
    yield from _refused_models()
    yield from _models_apart()
    yield from _every_metric()
    yield from _extremes()
    yield from _margins()
    yield from _judged()
    yield from _scorers()
    yield from _weak_slices()
    yield from _wrong_rows()


def _compared(name: str, run: Callable[[], Any]) -> Call:
    return Call(f"compare, {name}", "compare", "array", run)


def _refused_models() -> Iterator[Call]:
    refused: dict[str, Callable[[], Any]] = {
        "a table and names": lambda: karat.compare(FRAME, {"new": "pred", "old": "old"}),
        "a table and a list of names": lambda: karat.compare(FRAME, ["pred", "old"]),
        "a table and scores by name": lambda: karat.compare(
            FRAME, y_prob={"new": "pred", "old": "mass"}
        ),
        "a table and names of both kinds": lambda: karat.compare(
            FRAME, {"new": "pred"}, y_score={"old": "mass"}
        ),
        "a table and no such names": lambda: karat.compare(FRAME, {"new": "p", "old": "q"}),
        "a table and numbers": lambda: karat.compare(FRAME, {"new": 1, "old": 2}),
        "a file and names": lambda: karat.compare("rows.csv", {"new": "pred", "old": "old"}),
        "a file and files": lambda: karat.compare("rows.csv", {"new": "a.csv", "old": "b.csv"}),
        "tables by name": lambda: karat.compare({"new": FRAME, "old": FRAME}),
        "a list of tables": lambda: karat.compare([FRAME, FRAME]),
        "two tables": lambda: karat.compare(FRAME, FRAME),
        "two polars tables": lambda: karat.compare(pl.DataFrame(FRAME), pl.DataFrame(FRAME)),
        "a table and tables": lambda: karat.compare(FRAME, {"new": FRAME, "my old": FRAME}),
        "truth and tables": lambda: karat.compare(THREE["label"], {"new": FRAME, "old": FRAME}),
        "files by name": lambda: karat.compare({"new": "new.csv", "old": "old one.csv"}),
        "a list of files": lambda: karat.compare(["new.csv", Path("old.csv")]),
        "two files": lambda: karat.compare("new.csv", "old.csv"),
        "a table alone": lambda: karat.compare(FRAME),
        "a dict of columns": lambda: karat.compare({"label": THREE["label"], "p": THREE["pred"]}),
        "models by a table": lambda: karat.compare(
            THREE["label"], FRAME[["pred", "old"]], metrics=["accuracy"]
        ),
        "tables of indicators": lambda: karat.compare(
            pd.DataFrame(SETS["truth"]),
            {"new": pd.DataFrame(SETS["pred"]), "old": pd.DataFrame(SETS["old"])},
            metrics=["micro_f1"],
            interval=karat.Interval(n_replicates=100),
        ),
        "names that differ": lambda: karat.compare(
            {"new": THREE["label"], "old": THREE["label"]}, {"new": THREE["pred"]}
        ),
        "other names than the truth": lambda: karat.compare(
            {"a": TWO["label"], "b": TWO["label"]}, {"a": TWO["pred"], "c": TWO["old"]}
        ),
    }
    for name, run in refused.items():
        yield _compared(name, run)


def _apart(n_old: int = 40, **options: Any) -> Any:
    return karat.compare(
        {"new": THREE["label"], "old": THREE["label"][:n_old]},
        {"new": THREE["pred"], "old": THREE["old"][:n_old]},
        metrics=["accuracy", "macro_f1"],
        **grouped(options, ("adjust",)),
    )


def _models_apart() -> Iterator[Call]:
    masses = {"new": THREE["mass"], "old": THREE["mass"][:40]}
    teams = {"new": THREE["team"], "old": THREE["team"][:40]}
    apart: dict[str, dict[str, Any]] = {
        "weights": {"weights": masses},
        "clusters": {"clusters": teams},
        "weights of one": {"weights": {"new": THREE["mass"]}},
        "weights of all": {"weights": THREE["mass"]},
        "clusters of another name": {"clusters": {"new": THREE["team"], "odd": THREE["team"]}},
        "clusters of all": {"clusters": THREE["team"]},
    }
    for name, options in apart.items():
        yield _compared(f"own rows, {name}", lambda options=options: _apart(**options))
    by_model: dict[str, Callable[[], Any]] = {
        "one lacks a class": lambda: karat.compare(
            {"new": THREE["label"], "old": ["cat", "dog"] * 20},
            {"new": THREE["pred"], "old": ["cat", "dog", "dog", "cat"] * 10},
            metrics=["accuracy"],
        ),
        "scores": lambda: karat.compare(
            {"new": TWO["label"], "old": TWO["label"][:40]},
            y_prob={"new": TWO["prob"], "old": TWO["old_prob"][:40]},
            metrics=["roc_auc", "accuracy"],
        ),
        "sets": lambda: karat.compare(
            {"new": sets(SETS["truth"]), "old": sets(SETS["truth"][:40])},
            {"new": sets(SETS["pred"]), "old": sets(SETS["old"][:40])},
            metrics=["micro_f1"],
        ),
        "sets, weights of one": lambda: karat.compare(
            {"new": sets(SETS["truth"]), "old": sets(SETS["truth"][:40])},
            {"new": sets(SETS["pred"]), "old": sets(SETS["old"][:40])},
            weights={"new": SETS["mass"]},
            metrics=["micro_f1"],
        ),
        "every look": lambda: karat.compare(
            {"new": THREE["label"], "old": THREE["label"]},
            {"new": THREE["pred"], "old": THREE["old"]},
            metrics=["accuracy"],
            design=karat.Looks(200),
        ),
    }
    for name, run in by_model.items():
        yield _compared(f"own rows, {name}", run)


def _every_metric() -> Iterator[Call]:
    """All metrics that every model has; only their names and the differences."""
    models: dict[str, Callable[[], Any]] = {
        "labels": lambda: karat.compare(
            THREE["label"], {"new": THREE["pred"], "old": THREE["old"]}, metrics="all"
        ),
        "probabilities": lambda: karat.compare(
            TWO["label"], y_prob={"new": TWO["prob"], "old": TWO["old_prob"]}, metrics="all"
        ),
        "probabilities and scores": lambda: karat.compare(
            TWO["label"], y_prob={"new": TWO["prob"]}, y_logit={"old": TWO["z"]}, metrics="all"
        ),
        "labels and scores": lambda: karat.compare(
            TWO["label"], {"new": TWO["pred"]}, y_score={"old": TWO["z"]}, metrics="all"
        ),
        "sets": lambda: karat.compare(
            SETS["truth"],
            {"new": SETS["pred"], "old": SETS["old"]},
            metrics="all",
            interval=karat.Interval(n_replicates=100),
        ),
        "scores of sets": lambda: karat.compare(
            SETS["truth"],
            y_prob={"new": SETS["prob"], "old": SETS["old_prob"]},
            metrics="all",
            interval=karat.Interval(n_replicates=100),
        ),
    }
    for name, run in models.items():
        yield _compared(f"all metrics of {name}", lambda run=run: _differences(run()))


def _differences(result: Any) -> Any:
    return {
        item.metric: [item.difference, item.low, item.high, item.p] for item in result.differences
    }


COUNTS: dict[str, tuple[int, int, int]] = {
    "no row the other way": (0, 1_300, 2_000),
    "few rows the other way": (7, 1_600, 2_000),
    "a fifth the other way": (300, 1_200, 4_000),
    "nearly as many the other way": (800, 880, 3_000),
    "equally many": (700, 700, 2_000),
    "equally many, few": (5, 5, 20),
    "a thousand": (450, 550, 900),
    "hundreds of thousands": (249_000, 251_000, 100_000),
    "hundreds of thousands, one way": (1_000, 400_000, 100_000),
    "one row": (0, 1, 9),
    "no row": (0, 0, 9),
}
"""Rows on which only the first model is right, only the second one, and both."""


def _extremes() -> Iterator[Call]:
    for name, counts in COUNTS.items():
        yield _compared(
            f"discordant rows, {name}",
            lambda counts=counts: karat.compare(
                [1, 1, 1, 0],
                {"a": [1, 0, 1, 0], "b": [0, 1, 1, 0]},
                weights=karat.Frequency([*counts, 10]),
                metrics=["accuracy"],
            ),
        )
    yield _compared("labels of many sets", _labels_of_sets)
    yield _compared("scores of labels of many sets", _scores_of_sets)


def _labels_of_sets() -> Any:
    """So many labels differ that no permutations are drawn."""
    rng = np.random.default_rng(83)
    first = rng.integers(0, 2_000, 2_400).tolist()
    truth = [[i, (i + 1) % 2_000] for i in first]
    new = [[i] if row % 2 else [i, (i + 1) % 2_000] for row, i in enumerate(first)]
    old = [[i, (i + 5) % 2_000] for i in first]
    result = karat.compare(truth, {"new": new, "old": old}, metrics=["subset_accuracy"])
    labels = result.per_label("recall")
    return [
        len(labels),
        [item.to_dict() for item in labels[:3]],
        sum(item.p < 0.5 for item in labels),
    ]


def _many_sets(n: int, k: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, k)) < 0.2).astype(np.int64)
    return truth, [np.where(rng.random((n, k)) < share, 1 - truth, truth) for share in (0.1, 0.2)]


def _scores_of_sets() -> Any:
    truth, (new, old) = _many_sets(300, 6, 89)
    rng = np.random.default_rng(97)
    parts = [(rng.integers(0, 600, truth.shape) + 300 * item) / 1_024.0 for item in (new, old)]
    result = karat.compare(
        truth,
        y_prob={"new": parts[0], "old": parts[1]},
        metrics=["micro_f1"],
        interval=karat.Interval(n_replicates=100),
    )
    return [item.to_dict() for item in result.per_label("roc_auc")]


def _margins() -> Iterator[Call]:
    margins: dict[str, Callable[[], Any]] = {
        "wide": lambda: karat.compare(
            THREE["label"],
            {"new": THREE["pred"], "old": THREE["old"]},
            metrics=["accuracy", "macro_f1"],
            margin=0.4,
        ),
        "narrow": lambda: karat.compare(
            THREE["label"],
            {"new": THREE["pred"], "old": THREE["old"]},
            metrics=["accuracy", "macro_f1"],
            margin=0.01,
        ),
        "of losses": lambda: karat.compare(
            TWO["label"],
            y_prob={"new": TWO["prob"], "old": TWO["old_prob"]},
            metrics=["log_loss", "brier", "roc_auc"],
            margin={"log_loss": 0.5, "brier": 0.2, "roc_auc": 0.3},
        ),
        "of own rows": lambda: _apart(margin=0.6),
        "at every look": lambda: karat.compare(
            TWO["label"],
            {"new": TWO["pred"], "old": TWO["old"]},
            metrics=["accuracy"],
            margin=0.5,
            design=karat.Looks(200),
        ),
    }
    for name, run in margins.items():
        yield _compared(f"a margin, {name}", run)
    yield _compared("rare labels", _rare_labels)
    right = np.where(np.arange(60) % 6 == 0, TWO["pred"], TWO["label"])
    for adjust in ("holm", "none"):
        yield _compared(
            f"clear differences, {adjust}",
            lambda adjust=adjust: karat.compare(
                TWO["label"],
                {"good": right, "new": TWO["pred"], "old": 1 - TWO["label"]},
                metrics=["macro_f1", "kappa", "accuracy"],
                adjust=adjust,
            ),
        )
        yield _compared(
            f"clear differences of scores, {adjust}",
            lambda adjust=adjust: karat.compare(
                TWO["label"],
                y_prob={"good": TWO["prob"], "bad": 1.0 - TWO["old_prob"]},
                metrics=["roc_auc", "log_loss", "brier"],
                adjust=adjust,
            ),
        )


def _rare_labels() -> Any:
    """Few rows of each label: the test says more than the limits alone."""
    rng = np.random.default_rng(25)
    n = int(rng.integers(20, 80))
    truth = (rng.random((n, 3)) < 0.25).astype(int)
    new, old = (np.where(rng.random((n, 3)) < share, 1 - truth, truth) for share in (0.05, 0.15))
    return karat.compare(
        truth,
        {"new": new, "old": old},
        metrics=["micro_f1", "macro_f1", "macro_recall", "macro_precision"],
        interval=karat.Interval(n_replicates=199),
    )


def _judged() -> Iterator[Call]:
    gold, judge = TWO["gold"], TWO["judge"].tolist()
    other = [2 if i % 9 == 0 else label for i, label in enumerate(TWO["pred"].tolist())]
    systems: dict[str, Callable[[], Any]] = {
        "other classes": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"new": TWO["pred"], "old": other},
            metrics=["accuracy"],
        ),
        "other classes, labels": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"new": TWO["pred"], "old": other},
            labels=[0, 1, 2],
            metrics=["accuracy"],
        ),
        "other classes, scores": lambda: karat.compare(
            y_true=gold,
            design=karat.Judge(judge),
            y_pred={"old": other},
            y_prob={"new": TWO["prob"]},
            metrics=["accuracy"],
        ),
        "every look": lambda: karat.compare(
            y_true=gold,
            y_pred={"new": TWO["pred"], "old": TWO["old"]},
            metrics=["accuracy"],
            design=[karat.Judge(judge), karat.Looks(200)],
        ),
    }
    for name, run in systems.items():
        yield _compared(f"systems with a judge, {name}", run)


class Classifier:
    """An estimator by hand: its answers are given, its classes too."""

    def __init__(self, classes: Any = None, **answers: Any) -> None:
        if classes is not None:
            self.classes_ = np.asarray(classes)
        for name, values in answers.items():
            setattr(self, name, lambda X, values=values: values)  # noqa: N803

    def __repr__(self) -> str:
        return "Classifier()"


class PairwiseClassifier(Classifier):
    """One whose decision function scores pairs of classes."""

    decision_function_shape = "ovo"


def _scorers() -> Iterator[Call]:
    two, three = TWO["label"], THREE["label"]
    text = np.array(["no", "yes"])[two]
    both = np.column_stack([1.0 - TWO["prob"], TWO["prob"]])
    z, z3, prob3 = TWO["z"], THREE["z"], THREE["prob"]
    animals = ["cat", "dog", "eel"]
    turned = prob3[:, [2, 0, 1]]
    scorer = karat.scorer
    cases: dict[str, Callable[[], Any]] = {
        "labels": lambda: scorer("accuracy")(Classifier(predict=TWO["pred"]), None, two),
        "a loss": lambda: scorer("error_rate")(Classifier(predict=TWO["pred"]), None, two),
        "weights": lambda: scorer("accuracy")(
            Classifier(predict=TWO["pred"]), None, two, sample_weight=TWO["mass"]
        ),
        "probabilities": lambda: scorer("log_loss")(
            Classifier([0, 1], predict_proba=both), None, two
        ),
        "areas": lambda: scorer("roc_auc")(Classifier([0, 1], predict_proba=both), None, two),
        "a decision function": lambda: scorer("roc_auc")(
            Classifier([0, 1], decision_function=z), None, two
        ),
        "text by a decision function": lambda: scorer("roc_auc", positive="yes")(
            Classifier(["no", "yes"], decision_function=z), None, text
        ),
        "text, the other class": lambda: scorer("roc_auc", positive="no")(
            Classifier(["no", "yes"], decision_function=z), None, text
        ),
        "text, no positive class": lambda: scorer("roc_auc")(
            Classifier(["no", "yes"], decision_function=z), None, text
        ),
        "text, an average": lambda: scorer("roc_auc_ovr_macro")(
            Classifier(["no", "yes"], decision_function=z), None, text
        ),
        "text, a loss of scores": lambda: scorer("hinge")(
            Classifier(["no", "yes"], decision_function=z), None, text
        ),
        "three by a decision function": lambda: scorer("roc_auc_ovr_macro")(
            Classifier(animals, decision_function=z3), None, three
        ),
        "three by probabilities": lambda: scorer("log_loss")(
            Classifier(animals, predict_proba=prob3), None, three
        ),
        "three in another order": lambda: scorer("log_loss", labels=animals)(
            Classifier(["eel", "cat", "dog"], predict_proba=turned), None, three
        ),
        "a class that was not learned": lambda: scorer("log_loss", labels=[*animals, "fox"])(
            Classifier(animals, predict_proba=prob3), None, three
        ),
        "a class that was not learned, scores": lambda: scorer(
            "roc_auc_ovr_macro", labels=[*animals, "fox"]
        )(Classifier(animals, decision_function=z3), None, three),
        "a class that is not listed": lambda: scorer("log_loss", labels=["cat", "dog"])(
            Classifier(animals, predict_proba=prob3), None, three
        ),
        "pairs of classes": lambda: scorer("roc_auc_ovr_macro")(
            PairwiseClassifier(animals, decision_function=z3), None, three
        ),
        "pairs of two classes": lambda: scorer("roc_auc")(
            PairwiseClassifier([0, 1], decision_function=z), None, two
        ),
        "unknown classes": lambda: scorer("roc_auc")(Classifier(predict_proba=both), None, two),
        "classes of several outputs": lambda: scorer("roc_auc")(
            Classifier([[0, 1], [0, 1]], predict_proba=both), None, two
        ),
        "labels for areas": lambda: scorer("roc_auc")(Classifier(predict=TWO["pred"]), None, two),
        "scores for labels": lambda: scorer("accuracy")(Classifier(predict_proba=both), None, two),
        "no estimator": lambda: scorer("accuracy")(None, None, two),
        "one class only": lambda: scorer("f1")(
            Classifier(predict=["yes"] * 3), None, ["yes", "yes", "yes"]
        ),
        "three classes, no average": lambda: scorer("f1")(
            Classifier(predict=THREE["pred"]), None, three
        ),
        "two classes of text": lambda: scorer("f1")(Classifier(predict=text[::-1]), None, text),
        "probabilities of the wrong width": lambda: scorer("log_loss")(
            Classifier(animals, predict_proba=both), None, three
        ),
        "a name with neg": lambda: scorer("neg_log_loss"),
        "a name with neg that is none": lambda: scorer("neg_nothing"),
        "parameters": lambda: scorer("f_beta(beta=2)")(Classifier(predict=TWO["pred"]), None, two),
    }
    for name, run in cases.items():
        yield Call(f"scorer, {name}", "scorer", "estimator", run)


def _ranged(seed: int) -> Any:
    """Rows that are worse in ranges of two numbers."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 200))
    age, size = rng.integers(0, 100, n), rng.integers(0, 100, n)
    least, more = int(rng.integers(2, 12)), rng.integers(0, 8, n)
    inside = (age > least) & (age < 60) & (size > 6)
    loss = (more + int(rng.integers(3, 9)) * inside).astype(float)
    return karat.find_weak_slices(
        by={"age": age, "size": size}, loss=loss, interval=karat.Interval(n_replicates=99), min_n=8
    )


def _weak_slices() -> Iterator[Call]:
    for seed in (1, 86, 348):
        yield Call(
            f"weak slices of ranges {seed}", "find_weak_slices", "array", lambda s=seed: _ranged(s)
        )
    yield Call(
        "losses of weak slices",
        "find_weak_slices",
        "array",
        lambda: [[item.loss, item.value, item.rest, item.difference, item.name] for item in weak()],
    )
    yield Call(
        "weak slices as a frame", "find_weak_slices", "array", lambda: weak().to_frame("pandas")
    )


ERRORS = """
report wrong.parquet --prob p --pred '' --metrics accuracy --errors errors.csv
report wrong.parquet --prob p --pred '' --metrics accuracy --max-memory 1MiB --errors errors.csv
report wrong.parquet --prob '' --pred pred --metrics f1 --max-memory 1MiB --errors errors.csv
report wrong.parquet --prob '' --pred pred --ids key --max-memory 1MiB --errors errors.csv
report right.parquet --prob '' --pred pred --metrics f1 --max-memory 1MiB --errors errors.csv
"""


def _wrong_rows() -> Iterator[Call]:
    for place, line in enumerate(ERRORS.strip().splitlines()):
        yield Call(
            f"a file of wrong rows {place}", "cli", "parquet", lambda line=line: _errors_of(line)
        )


def _errors_of(line: str) -> Any:
    rng = np.random.default_rng(101)
    n = 150_000
    label = rng.integers(0, 2, n)
    pred = np.where(rng.random(n) < 0.0005, 1 - label, label)
    prob = np.clip(rng.integers(0, 500, n) + 520 * pred, 1, 1_023) / 1_024.0
    key = [f"k{i}" for i in range(n)]
    if not Path("wrong.parquet").exists():
        table = pa.table({"label": label, "pred": pred, "p": prob, "key": key})
        pq.write_table(table, "wrong.parquet", row_group_size=9_000)
        pq.write_table(pa.table({"label": label, "pred": label}), "right.parquet")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(shlex.split(line))
    path = Path("errors.csv")
    rows = path.read_text().splitlines() if path.exists() else None
    path.unlink(missing_ok=True)
    return {
        "code": code,
        "rows": None if rows is None else [len(rows), *rows[:3], *rows[-1:]],
        "out": Prose(cleaned(out.getvalue())),
        "err": Prose(cleaned(err.getvalue())),
    }
