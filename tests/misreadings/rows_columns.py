"""Section 1: the meaning of a column or number."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import karat
from tests.misreadings.table import command, error, row

GRADES = np.array(["low", "medium", "high"])


def _logits(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and two columns c ∓ z whose level c carries nothing."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, n)
    z = y_true - 0.5 + rng.normal(0.0, 0.5, n)
    c = rng.normal(0.0, 2.0, n)
    return y_true, np.column_stack([c - z, c + z])


def _weighing(n: int = 600) -> pd.DataFrame:
    """Predictions whose errors are at high masses; `weight` is a feature in kg."""
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 2, n)
    kg = rng.normal(70.0, 12.0, n)
    wrong = rng.random(n) < np.where(kg > 80.0, 0.46, 0.1)
    return pd.DataFrame(
        {"label": y_true, "pred": np.where(wrong, 1 - y_true, y_true), "weight": kg}
    )


def _grades(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    y_true = rng.integers(0, 3, n)
    return y_true, np.clip(y_true + rng.integers(-1, 2, n), 0, 2)


def _twelve(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Texts "0" to "11", and a matrix of a perfect model in the order of the numbers."""
    codes = np.arange(n) % 12
    return codes.astype(str), np.eye(12)[codes]


@row(1, "two columns of logits, c−z and c+z: ROC AUC", r"0\.926\d")
def two_columns_of_logits() -> object:
    y_true, logits = _logits()
    return round(karat.roc_auc(y_true, y_score=logits), 4)


@row(1, "the same logits in a stream beyond memory", r"0\.92\d+")
def two_columns_of_logits_in_a_stream() -> object:
    y_true, logits = _logits(200_000)
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    for first in range(0, len(y_true), 20_000):
        part = slice(first, first + 20_000)
        stream.update(y_true[part], y_score=logits[part])
    return round(stream.report()["roc_auc"].value, 4)


@row(1, "compare logits with the same logits without their level", r"\+?0")
def logits_without_their_level() -> object:
    y_true, logits = _logits()
    gap = logits[:, 1] - logits[:, 0]
    models = {"a": logits, "b": np.column_stack([-gap / 2, gap / 2])}
    found = karat.compare(y_true, y_score=models, metrics=["roc_auc"])
    return f"{found['roc_auc'].difference:.6g}"


@row(1, "a table with a feature `weight` in kg: accuracy", r"0\.8\d+, used: None, doubts: D104")
def a_feature_called_weight() -> object:
    report = karat.evaluate(_weighing())
    codes = ", ".join(one.code for one in report.doubts)
    return f"{report['accuracy'].value:.4g}, used: {report.mapping['weights']}, doubts: {codes}"


@row(1, "… its weak slices", r".*weight > 79.*")
def weak_slices_by_weight() -> object:
    return " ".join(str(karat.find_weak_slices(_weighing())).split("slice ", 1)[1].split())


@row(1, "`score_math`, `score_bio` beside true= and pred=", r"0\.8\d+, doubts: D104")
def unrelated_scores() -> object:
    frame = _weighing().drop(columns="weight")
    frame["score_math"] = frame["score_bio"] = np.linspace(0.0, 1.0, len(frame))

    def call() -> str:
        report = karat.evaluate(frame, y_true="label", y_pred="pred")
        codes = ", ".join(one.code for one in report.doubts)
        return f"{report['accuracy'].value:.4g}, doubts: {codes}"

    return error(call)


@row(1, "one column `score` in [0, 1] beside true= and pred=", r"0\.8\d+, doubts: D104")
def one_unrelated_score() -> object:
    frame = _weighing().drop(columns="weight")
    frame["score"] = np.linspace(0.0, 1.0, len(frame))

    def call() -> str:
        report = karat.evaluate(frame, y_true="label", y_pred="pred")
        codes = ", ".join(one.code for one in report.doubts)
        return f"{report['accuracy'].value:.4g}, doubts: {codes}"

    return error(call)


@row(1, "K192 says how to leave the column out", r"K192 .*; y_score='' leaves it out\.")
def how_to_ignore_scores() -> object:
    frame = _weighing().assign(score=np.linspace(0.0, 1.0, 600))
    return error(lambda: karat.evaluate(frame))


@row(1, "low, medium, high as text: kappa_quadratic", r"K316 .*labels=.*ordered categorical\.")
def order_of_grades() -> object:
    y_true, y_pred = _grades()
    return error(lambda: karat.kappa_quadratic(GRADES[y_true], GRADES[y_pred]))


@row(1, "… of a report, a gate, a stream, compare", r"K316 K316 K316 K316")
def order_of_grades_in_verbs() -> object:
    y_true, y_pred = _grades()
    true, pred = GRADES[y_true], GRADES[y_pred]

    def streamed() -> Any:
        stream = karat.Stream(metrics=["kappa_quadratic"])
        stream.update(true, pred)
        return stream.report()["kappa_quadratic"]

    calls = [
        lambda: karat.evaluate(true, pred)["kappa_quadratic"],
        lambda: karat.gate(true, pred, min={"kappa_quadratic": 0.1}),
        streamed,
        lambda: karat.compare(true, {"a": pred, "b": true}, metrics=["kappa_quadratic"]),
    ]
    return " ".join(error(call).split()[0] for call in calls)


@row(1, "… a report of everything leaves it out", r"False")
def order_of_grades_in_a_report() -> object:
    y_true, y_pred = _grades()
    return "kappa_quadratic" in karat.evaluate(GRADES[y_true], GRADES[y_pred]).metrics


@row(1, '"1", "2", "10" as text: kappa_linear', r"K316 .*")
def order_of_texts_of_numbers() -> object:
    texts = np.array(["1", "2", "10"])
    y_true, y_pred = _grades()
    return error(lambda: karat.kappa_linear(texts[y_true], texts[y_pred]))


@row(1, "… as an ordered categorical, in Parquet, a stream and JSON", r"0\.633\d 0\.633\d 0\.633\d")
def order_of_a_categorical() -> object:
    y_true, y_pred = _grades()
    kind = pd.CategoricalDtype(list(GRADES), ordered=True)
    true, pred = (pd.Series(GRADES[codes]).astype(kind) for codes in (y_true, y_pred))
    stream = karat.Stream()
    # The first batch lacks a grade.
    is_first = (y_true != 1) & (y_pred != 1)
    for part in (is_first, ~is_first):
        stream.update(true[part], pred[part])
    report = karat.evaluate(true, pred)
    again = karat.Report.from_json(report.to_json())
    values = [one["kappa_quadratic"].value for one in (report, stream.report(), again)]
    return " ".join(f"{value:.5g}" for value in values)


def _in_batches(add: Any) -> None:
    """Ordered categories; no batch holds all of them."""
    kind = pd.CategoricalDtype(list(GRADES), ordered=True)
    for codes, guesses in (([0, 2, 2], [0, 2, 0]), ([1, 0, 1], [1, 1, 0])):
        add(*(pd.Series(GRADES[each]).astype(kind) for each in (codes, guesses)))


@row(1, "… that no batch of a stream or a monitor holds whole", r"0\.25 0\.25 0\.25 0\.25")
def order_that_no_batch_holds() -> object:
    stream, other, parts = karat.Stream(), karat.Stream(), iter([karat.Stream(), karat.Stream()])
    monitor = karat.Monitor(min={"kappa_quadratic": 0.1})
    for add in (
        stream.update,
        monitor.add,
        lambda *given: other.merge(_stream_of(next(parts), given)),
    ):
        _in_batches(add)
    state = karat.Monitor.from_bytes(monitor.to_bytes())
    values = [one.report()["kappa_quadratic"].value for one in (stream, other)]
    values += [one.result.rules[0].value for one in (monitor, state)]
    return " ".join(f"{value:.4g}" for value in values)


def _stream_of(stream: Any, given: Any) -> Any:
    stream.update(*given)
    return karat.Stream.from_bytes(stream.to_bytes())


@row(
    1,
    "… in Parquet of pandas, of Arrow, of Polars, in SQL ENUM",
    r"0\.633\d 0\.633\d 0\.633\d 0\.633\d",
)
def order_in_files() -> object:
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind = pd.CategoricalDtype(list(GRADES), ordered=True)
    y_true, y_pred = _grades()
    frame = pd.DataFrame({"label": GRADES[y_true], "pred": GRADES[y_pred]})
    enum = f"ENUM({', '.join(map(repr, GRADES.tolist()))})"
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}.parquet" for name in ("pandas", "arrow", "polars")]
        frame.astype(kind).to_parquet(paths[0])
        table = pa.Table.from_pandas(frame.astype(kind)).replace_schema_metadata(None)
        pq.write_table(table, paths[1])
        pl.from_pandas(frame).cast(pl.Enum(GRADES.tolist())).write_parquet(paths[2])
        query = f"SELECT label::{enum} AS label, pred::{enum} AS pred FROM '{paths[2]}'"
        found = [karat.evaluate(one)["kappa_quadratic"].value for one in (*paths, query)]
    return " ".join(f"{value:.5g}" for value in found)


@row(1, "… in the chunks of an Arrow column that lack a grade", r"0\.25")
def order_in_chunks() -> object:
    import pyarrow as pa

    sides: tuple[list[Any], list[Any]] = ([], [])

    def add(*given: Any) -> None:
        for side, own in zip(sides, given, strict=True):
            side.append(pa.array(own if side else own.cat.remove_unused_categories()))

    _in_batches(add)
    return f"{karat.kappa_quadratic(*map(pa.chunked_array, sides)):.4g}"


@row(
    1,
    'labels "0" … "11" as text with a matrix of 12 columns',
    r"K317 .* in 16\.7 % of rows.* in 100 % of rows.*",
)
def twelve_texts() -> object:
    y_true, y_prob = _twelve()
    return error(lambda: karat.evaluate(y_true, y_prob=y_prob)["accuracy"])


@row(1, "… in a stream, a gate, and listed columns of a file", r"K317 K317 K317")
def twelve_texts_elsewhere() -> object:
    y_true, y_prob = _twelve()

    def streamed() -> Any:
        stream = karat.Stream()
        stream.update(y_true, y_prob=y_prob)
        return stream.report()["accuracy"]

    names = [f"m_{letter}" for letter in "abcdefghijkl"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pd.DataFrame(y_prob, columns=names).assign(y=y_true).to_parquet(path)
        calls = [
            streamed,
            lambda: karat.gate(y_true, y_prob=y_prob, min={"accuracy": 0.5}),
            lambda: karat.evaluate(path, y_true="y", y_prob=names)["accuracy"],
        ]
        return " ".join(error(call).split()[0] for call in calls)


@row(1, "−100 in y_true, never predicted", r"K318 .*keep = y_true != -100.*")
def ignored_rows() -> object:
    y_true, y_pred = _grades()
    return error(lambda: karat.macro_f1(np.where(np.arange(300) < 30, -100, y_true), y_pred))


@row(1, "… accuracy, a report, compare", r"K318 K318 K318")
def ignored_rows_in_verbs() -> object:
    y_true, y_pred = _grades()
    true = np.where(np.arange(300) < 30, -100, y_true)
    calls = [
        lambda: karat.accuracy(true, y_pred),
        lambda: karat.evaluate(true, y_pred),
        lambda: karat.compare(true, {"a": y_pred, "b": y_true}),
    ]
    return " ".join(error(call).split()[0] for call in calls)


@row(1, "−1 in y_true beside 0 … 2, never predicted", r"D126")
def negative_truth() -> object:
    y_true, y_pred = _grades()
    report = karat.evaluate(np.where(np.arange(300) < 30, -1, y_true), y_pred)
    return " ".join(one.code for one in report.doubts)


@row(1, "a predicted label that is no answer", r"D127 D127 D127 D127 D127")
def no_answers() -> object:
    y_true, y_pred = _grades()
    codes = []
    for answer in ("abstain", "unknown", "N/A", "", "I don't know."):
        pred = GRADES[y_pred].astype(object)
        pred[:3] = answer
        codes += [one.code for one in karat.evaluate(GRADES[y_true], pred).doubts]
    return " ".join(codes)


@row(1, "a label of 5 % of the rows that is never true", r"D127")
def a_label_of_predictions_alone() -> object:
    y_true, y_pred = _grades()
    pred = GRADES[y_pred].astype(object)
    pred[:20] = "other"
    return " ".join(one.code for one in karat.evaluate(GRADES[y_true], pred).doubts)


@row(1, "karat report a.csv b.csv, two models of one truth", r"exit 2: K193 .*karat compare .*")
def two_files_of_one_truth() -> object:
    y_true, y_pred = _grades()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
        for path, pred in zip(paths, (y_pred, y_true), strict=True):
            pd.DataFrame({"label": y_true, "pred": pred}).to_csv(path, index=False)
        return command("report", *paths)


@row(1, "two models of one truth behind a file of another truth, and sets", r"K193 .* K193 .*")
def files_of_one_truth_behind_another() -> object:
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        truth, other = rng.integers(0, 2, (2, 300))
        for name, label, pred in (("a", other, other), ("b", truth, truth), ("c", truth, other)):
            pd.DataFrame({"label": label, "pred": pred}).to_csv(f"{folder}/{name}.csv")
        paths = [f"{folder}/{name}.csv" for name in "abc"]
        of_classes = error(lambda: karat.evaluate(paths)["accuracy"])
        tags = np.array(["a", "b", "a|b", "c"])[rng.integers(0, 4, 300)]
        for name, pred in (("s", tags), ("t", tags[::-1])):
            pd.DataFrame({"label": tags, "pred": pred}).to_csv(f"{folder}/{name}.csv")
        sets = [f"{folder}/{name}.csv" for name in "st"]
        return (
            of_classes
            + " "
            + error(lambda: karat.evaluate(sets, labels=karat.Labels(separator="|")))
        )


@row(1, "the same logits as arrays: karat.roc_auc_ovr_macro, average=", r"0\.926\d 0\.926\d")
def two_columns_of_logits_by_average() -> object:
    y_true, logits = _logits()
    named = karat.roc_auc_ovr_macro(y_true, y_score=logits)
    return f"{named:.4f} {karat.roc_auc(y_true, y_score=logits, average='macro'):.4f}"
