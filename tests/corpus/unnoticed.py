"""Calls whose outcome depends on a line that no other call shows: one or two for each such line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.sparse import csr_matrix

import karat
from tests.corpus.calls import Call
from tests.corpus.design_rows import batches, judged, judged_animals
from tests.corpus.files import written
from tests.corpus.rows import animals, binary, other_models, two_class_models
from tests.corpus.set_rows import lists, photos
from tests.corpus.wanted import FAST
from tests.devices.rows import on_the_device
from tests.grouping import grouped
from tests.optional import optional

torch = optional("torch")
LEAST = 1 << 20
LOOKS: dict[str, dict[str, Any]] = {"looks": {}, "windows": {"windows": True}}
WEIGHTED: dict[str, dict[str, Any]] = {"": {}, ", weighted": {"weights": "mass"}}


def calls() -> Iterator[Call]:
    yield from _judges()
    yield from _looks()
    yield from _monitors()
    yield from _gates()
    yield from _folds()
    yield from _weak_slices()
    yield from _sizes()
    yield from _sets()
    yield from _comparisons()
    yield from _streams()
    yield from _devices()
    yield from _scores()
    yield from _tables()


def _evaluate(name: str, run: Callable[[], Any], source: str = "array") -> Call:
    return Call(name, "evaluate", source, run)


def _judges() -> Iterator[Call]:
    many = judged_animals()
    # A class that the judge names, of which no row has a gold label.
    gold = [x if x != "eel" else None for x in many["gold"]]
    for metric in ("macro_recall", "macro_f1", "accuracy", "kappa"):
        yield _evaluate(
            f"judge: a class without gold labels, {metric}",
            lambda m=metric: karat.evaluate(
                y_true=gold,
                design=karat.Judge(many["judge"], is_random=True),
                y_pred=many["pred"],
                metrics=[m],
            ),
        )
    # A gold row whose label of the judge has the probability 0: it weighs nothing, or as all do.
    two = judged()
    prob = two["p_yes"].copy()
    has_gold = np.array([x is not None for x in two["gold"]])
    truth = np.array([-1 if x is None else x for x in two["gold"]])
    apart = np.flatnonzero(has_gold & (truth != two["judge"]))
    prob[apart[0]] = float(truth[apart[0]])
    for name, mass in (("0", 0.0), ("1", 1.0)):
        weights = np.ones(len(prob))
        weights[np.flatnonzero(has_gold)[:3]] = mass
        yield _evaluate(
            f"judge: impossible labels, gold rows of weight {name}",
            lambda w=weights: karat.evaluate(
                y_true=two["gold"],
                design=karat.Judge(two["judge"]),
                y_prob=prob,
                weights=w,
                metrics=["log_loss", "brier"],
            ),
        )


def _looks() -> Iterator[Call]:
    two = binary()
    # The fewest planned rows.
    for planned in (9, 10):
        yield _evaluate(
            f"looks: {planned} planned rows",
            lambda n=planned: karat.evaluate(
                two["label"], two["pred"], design=karat.Looks(n), metrics=["accuracy"]
            ),
        )


def _monitors() -> Iterator[Call]:
    parts = batches()
    # A monitor without looks is stored, and read again.
    for name, options in LOOKS.items():
        yield Call(
            f"a monitor before its first batch, {name}",
            "Monitor",
            "bytes",
            lambda o=options: _before_its_first_batch(o),
        )
    # Weights belong to the batch, and to its baseline.
    first = parts[0]
    yield Call(
        "a monitor of weighted rows with a drop",
        "Monitor",
        "array",
        lambda: karat.Monitor(max_drop={"accuracy": 0.05}).add(
            first["label"], first["pred"], baseline=first["older"], weights=first["mass"]
        ),
    )


def _before_its_first_batch(options: dict[str, Any]) -> Any:
    rows = batches()[0]
    monitor = karat.Monitor(min={"accuracy": 0.7}, **grouped(options))
    again = karat.Monitor.from_bytes(monitor.to_bytes())
    return {"repr": repr(again), "look": again.add(rows["label"], rows["pred"])}


def _gates() -> Iterator[Call]:
    two, models = binary(), two_class_models()
    # A stored baseline with scores that are no probabilities.
    yield Call("a stored baseline with scores", "gate", "baseline", lambda: _of_scores(None))
    yield Call(
        "a stored baseline whose scores are said to be probabilities",
        "gate",
        "baseline",
        lambda: _of_scores(True),
    )
    # Slices of a stored baseline with rows, by the same column and by another.
    for by in ("country", "sex"):
        yield Call(
            f"a stored baseline with rows by country, predictions of less by {by}",
            "gate",
            "baseline",
            lambda by=by: _without_a_slice(by),
        )
    # Probabilities beside scores, and beside labels.
    truth, new = two["label"], models["prob"]["new"]
    table = {"id": two["key"], "label": truth, "prob": new}
    others: dict[str, dict[str, Any]] = {
        "scores": {"id": two["key"], "label": truth, "score": models["score"]["old"]},
        "labels": {"id": two["key"], "label": truth, "pred": models["labels"]["old"]},
    }
    for name, other in others.items():
        for metric in ("roc_auc", "accuracy"):
            yield Call(
                f"probabilities against {name}, {metric}",
                "gate",
                "dict",
                lambda o=other, m=metric: karat.gate(table, baseline=o, max_drop={m: 0.05}),
            )
    # The same numbers, once as scores and once as probabilities.
    yield Call(
        "probabilities against the same numbers as scores", "gate", "baseline", _same_numbers
    )


def _same_numbers() -> Any:
    two, models = binary(), two_class_models()
    numbers = models["prob"]["new"]
    path = Path("numbers-of-a-baseline.json")
    path.unlink(missing_ok=True)
    karat.gate(
        two["label"], y_score=numbers, min={"roc_auc": 0.1}, reading=karat.Reading(keep_rows=True)
    ).save_baseline(path)
    return karat.gate(two["label"], y_prob=numbers, baseline=path, max_drop={"roc_auc": 0.05})


def _of_scores(is_prob: bool | None) -> Any:
    many, models = animals(), other_models()
    path = Path("scores-of-a-baseline.json")
    path.unlink(missing_ok=True)
    truth = many["label"]
    karat.gate(
        truth,
        y_score=models["score"]["old"],
        min={"accuracy": 0.1},
        reading=karat.Reading(keep_rows=True),
    ).save_baseline(path)
    if is_prob is not None:
        content = json.loads(path.read_text())
        content["rows"]["is_prob"] = is_prob
        content.pop("sha256")
        plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
        content["sha256"] = hashlib.sha256(plain.encode("ascii")).hexdigest()
        path.write_text(json.dumps(content, separators=(",", ":")))
    return karat.gate(
        truth, y_score=models["score"]["new"], baseline=path, max_drop={"accuracy": 0.05}
    )


def _without_a_slice(by: str) -> Any:
    text, models = animals(), other_models()
    path = Path("baseline-by-country.json")
    path.unlink(missing_ok=True)
    names = ("country", "sex")
    old = {"id": text["key"], "label": text["label"], "pred": models["labels"]["old"]}
    old |= {name: text[name] for name in names}
    karat.gate(
        old, min={"accuracy": 0.1}, by="country", reading=karat.Reading(keep_rows=True)
    ).save_baseline(path)
    keep = (text["country"] != "FI") & ((text["sex"] == "f") | (by == "country"))
    new = {name: values[keep] for name, values in old.items()}
    new["pred"] = models["labels"]["new"][keep]
    return karat.gate(
        new,
        baseline=path,
        by=by,
        max_drop={"accuracy": 0.1},
        rules=karat.Rules(allow_mismatch=True),
    )


def _folds() -> Iterator[Call]:
    # Rows that have a shape, and no length.
    rows = csr_matrix(np.eye(7))
    yield Call(
        "nested folds of a sparse matrix",
        "NestedFolds",
        "scipy",
        lambda: [[part.tolist() for part in parts] for parts in karat.NestedFolds(3).split(rows)],
    )


def _weak_slices() -> Iterator[Call]:
    two = binary()
    # A loss that is infinite where the weight is 0.
    prob, weights = two["p_yes"].copy(), np.ones(240)
    weights[:4] = 0.0
    prob[:4] = 1.0 - two["label"][:4]
    yield Call(
        "weak slices: infinite losses of rows without weight",
        "find_weak_slices",
        "array",
        lambda: karat.find_weak_slices(
            two["label"],
            y_prob=prob,
            by={"country": two["country"], "sex": two["sex"]},
            metric="log_loss",
            weights=weights,
            interval=karat.Interval(n_replicates=99),
            min_n=20,
        ),
    )


def _sizes() -> Iterator[Call]:
    two = binary()
    # Metrics without ends, and intervals on the scale of the values themselves.
    for metric, method in (
        ("calibration_intercept", None),
        ("calibration_slope", None),
        ("roc_auc", "wald"),
        ("roc_auc", "bootstrap"),
        ("log_loss", "wald"),
    ):
        yield Call(
            f"rows for {metric}, {method}",
            "rows_needed",
            "report",
            lambda m=metric, how=method: karat.rows_needed(
                m,
                pilot=karat.evaluate(
                    two["label"],
                    y_prob=two["p_yes"],
                    metrics=[m],
                    **grouped({"interval": karat.Interval(method=how), **FAST}),
                ),
                half_width=0.08,
            ),
        )


def _sets() -> Iterator[Call]:
    rows = photos()
    # All cells pooled: those of a row go together, or those of a cluster.
    for name, clusters in (("rows", None), ("clusters", rows["team"])):
        yield _evaluate(
            f"sets: all cells pooled, of {name}",
            lambda c=clusters: karat.evaluate(
                rows["true"],
                y_prob=rows["prob"],
                metrics=["roc_auc_ovr_micro", "micro_average_precision"],
                clusters=c,
            ),
        )
    # Slices that share clusters: of some metrics it is not known how much each row moves them.
    for metric in ("roc_auc_ovr_micro", "fmax", "macro_f1", "ndcg"):
        yield Call(
            f"sets: slices that share clusters, {metric}",
            "slices",
            "report",
            lambda m=metric: _sliced(m),
        )
    # Many labels: how often each takes the place of another.
    pairs = np.random.default_rng(5).integers(0, 600, (2, 40, 2))
    truth, guess = ([set(row.tolist()) for row in side] for side in pairs)
    yield _evaluate(
        "sets: transfers of 600 labels",
        lambda: _transfers(
            karat.evaluate(truth, guess, labels=range(600), metrics=["micro_f1"]).transfers
        ),
    )


def _sliced(metric: str) -> Any:
    rows = photos()
    table = karat.evaluate(
        rows["true"],
        y_prob=rows["prob"],
        metrics=[metric],
        clusters=rows["team"],
        by={"sex": rows["sex"]},
    ).slices["sex"]
    return {
        "differences": dict(table.difference(metric)),
        "heterogeneity": table.heterogeneity(metric),
        "gap": str(table.gap(metric)),
    }


def _transfers(table: Any) -> Any:
    return None if table is None else {"shape": table.shape, "sum": float(table.sum())}


def _comparisons() -> Iterator[Call]:
    two, models = binary(), two_class_models()
    truth = two["label"]
    # All metrics of models of two kinds of scores.
    yield Call(
        "all metrics of probabilities and of scores",
        "compare",
        "array",
        lambda: [
            x.metric
            for x in karat.compare(
                truth,
                y_prob={"old": models["prob"]["old"]},
                y_score={"new": models["score"]["new"]},
                metrics="all",
                interval=karat.Interval(n_replicates=99),
            ).differences
        ],
    )
    # Ordered categories, one of which does not occur.
    text, others = animals(), other_models()["labels"]
    order = ["eel", "fox", "dog", "cat"]
    yield Call(
        "models of ordered categories",
        "compare",
        "pandas",
        lambda: karat.compare(
            pd.Series(pd.Categorical(text["label"], order, ordered=True)),
            {
                name: pd.Series(pd.Categorical(others[name], order, ordered=True))
                for name in ("old", "new")
            },
            metrics=["kappa_linear", "accuracy"],
            interval=karat.Interval(n_replicates=99),
        ),
    )
    # One row of a cluster has an infinite loss.
    old = models["prob"]["old"].copy()
    old[np.flatnonzero(truth == 1)[0]] = 0.0
    for metric in ("log_loss", "brier", "roc_auc"):
        yield Call(
            f"clusters and an infinite loss, {metric}",
            "compare",
            "array",
            lambda m=metric: karat.compare(
                truth,
                y_prob={"old": old, "new": models["prob"]["new"]},
                metrics=[m],
                clusters=two["team"],
                interval=karat.Interval(n_replicates=99),
            ),
        )


def _streams() -> Iterator[Call]:
    # A positive class of another type than the labels.
    kinds: dict[str, Any] = {
        "int64": (np.array([0, 1]), np.int64(0)),
        "text": (np.array(["a", "b"]), np.str_("b")),
        "bool": (np.array([False, True]), np.bool_(False)),
        "float": ([0, 1], 1.0),
    }
    for name, (labels, positive) in kinds.items():
        yield Call(
            f"a stream of two labels, positive as {name}",
            "Stream",
            "array",
            lambda x=labels, p=positive: _stored(karat.Stream(labels=x, positive=p), x),
        )
    # Streams are merged, of which only one names a positive class; either may be without rows.
    for mine, its in ((True, True), (True, False), (False, True), (False, False)):
        for chooser in ("first", "second"):
            yield Call(
                f"streams: rows {mine} and {its}, the positive class of the {chooser}",
                "Stream",
                "array",
                lambda m=mine, i=its, who=chooser: _merged(m, i, who),
            )


def _stored(stream: Any, labels: Any) -> Any:
    rows = np.asarray(labels)
    stream.update(rows[[0, 1, 1, 0, 1]], rows[[0, 1, 0, 0, 1]])
    return {"bytes": stream.to_bytes(), "recall": stream.report()["recall"], "repr": repr(stream)}


def _merged(has_rows: bool, has_others: bool, chooser: str) -> Any:
    streams = [
        karat.Stream(positive="b" if chooser == "first" else None, metrics=["recall"]),
        karat.Stream(positive="b" if chooser == "second" else None, metrics=["recall"]),
    ]
    for stream, wanted in zip(streams, (has_rows, has_others), strict=True):
        if wanted:
            stream.update(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    merged = streams[0].merge(streams[1])
    merged.update(["a", "b"], ["b", "b"])
    return merged.report()


def _devices() -> Iterator[Call]:
    # Labels on a device are sorted by their values.
    for name, values in (("large", [64, 8, 1, 8, 64]), ("negative", [-1, 1, -1, 1, -1])):
        yield Call(
            f"a stream of {name} labels on a device",
            "Stream",
            "device",
            lambda x=values: _on_the_device(x),
        )
    # Batches of the host are followed by one of a device: its labels go with theirs, or do not.
    three, now = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]], [0, 1, 2]
    pairs = [[0.5, 0.5], [0.25, 0.75], [0.625, 0.375]]
    befores: dict[str, Any] = {
        "text": (["a", "b", "c"], three, now),
        "the same numbers": ([0, 1, 2], three, now),
        "fewer numbers": ([0, 1, 1], three, [1, 2, 2]),
        "more numbers": ([0, 1, 2], three, [0, 1, 1]),
        "other numbers": ([1, 2, 2], pairs, [0, 1, 0]),
    }
    for name, (before, prob, after) in befores.items():
        yield Call(
            f"a stream of {name} on the host, then of numbers on a device",
            "Stream",
            "device",
            lambda x=before, p=prob, y=after: _then_on_the_device(x, p, y),
        )


def _on_the_device(labels: list[int]) -> Any:
    with on_the_device():
        stream = karat.Stream(metrics=["accuracy"])
        stream.update(torch.tensor(labels), torch.tensor(labels[::-1]))
        return stream.report()


def _then_on_the_device(before: Any, prob: Any, after: Any) -> Any:
    with on_the_device():
        stream = karat.Stream(metrics=["accuracy"])
        stream.update(before, y_prob=prob)
        stream.update(torch.tensor(after), y_prob=torch.tensor(prob))
        return stream.report()


def _scores() -> Iterator[Call]:
    two = binary()
    # Exact where the rows are in memory anyhow.
    yield _evaluate(
        "exact on a table",
        lambda: karat.evaluate(
            pd.DataFrame({"label": two["label"], "prob": two["p_yes"]}),
            y_prob="prob",
            reading=karat.Reading(exact=True),
            metrics=["roc_auc"],
        ),
        "pandas",
    )
    # Scores of more classes than memory holds: by the scores that were given, not their softmax.
    yield Call("scores in histograms", "Stream", "array", _in_histograms)
    # Each score against the others of its own class, of every class together.
    for name, options in WEIGHTED.items():
        yield _evaluate(
            f"exact scores of all classes together{name}",
            lambda o=options: karat.evaluate(
                _wide_file(),
                y_score="z_*",
                y_pred="",
                metrics=["roc_auc_ovr_micro"],
                **grouped({"reading": karat.Reading(max_memory=LEAST, exact=True), **o}),
            ),
            "parquet",
        )
    # Number of threads of a wrong kind.
    for name, value in (("true", True), ("a float", 2.0), ("a text", "2")):
        yield _evaluate(
            f"threads: {name}",
            lambda v=value: karat.evaluate(
                [0, 1, 1], [0, 1, 0], reading=karat.Reading(n_threads=v), metrics=["f1"]
            ),
        )
    # More scores than the groups in which they are drawn again.
    rng = np.random.default_rng(6)
    label = rng.integers(0, 2, 9000)
    score = (rng.permutation(9000) + 3000 * label) / 16384.0
    yield _evaluate(
        "more scores than groups, drawn again",
        lambda: karat.evaluate(
            label,
            y_score=score,
            metrics=["roc_auc"],
            **grouped({"interval": karat.Interval(method="bootstrap"), **FAST}),
        ),
    )


@cache
def _wide(n: int = 6000, k: int = 24) -> tuple[Any, Any]:
    """Labels and scores of many classes, of more bytes than the least memory."""
    rng = np.random.default_rng(7)
    label = rng.integers(0, k, n)
    score = (rng.integers(-300, 300, (n, k)) + 200 * np.eye(k, dtype=int)[label]) / 32.0
    return label, score


def _in_histograms() -> Any:
    label, score = _wide()
    stream = karat.Stream(
        labels=range(24),
        reading=karat.Reading(max_memory=LEAST),
        metrics=["roc_auc_ovr_macro", "mean_average_precision"],
        level=None,
    )
    for part in (slice(0, 4000), slice(4000, 6000)):
        stream.update(label[part], y_score=score[part])
    return stream.report()


def _wide_file() -> str:
    label, score = _wide()
    columns = {"label": label, "mass": label % 5 / 4.0}
    columns |= {f"z_{i}": score[:, i] for i in range(24)}
    return written("parquet", columns, "wide-scores")


def _tables() -> Iterator[Call]:
    # Labels of both sides in a message.
    yield _evaluate(
        "three labels, none of which is predicted",
        lambda: karat.evaluate(["a", "b", "c", "d"] * 3, ["w", "x", "y", "z"] * 3),
    )
    # Lists of labels from the middle of a column.
    rows = photos()
    sides = [pa.array(lists(rows[name])) for name in ("true", "pred")]
    yield _evaluate(
        "lists of a column from row 20 on",
        lambda: karat.evaluate(
            *[side.slice(20, 60) for side in sides], metrics=["micro_f1", "macro_f1"]
        ),
        "arrow",
    )
    # A dictionary with text that no encoding reads.
    yield _evaluate(
        "a dictionary of broken text",
        lambda: karat.evaluate(_broken(), ["cat", "dog", "eel", "cat"]),
        "arrow",
    )


def _broken() -> Any:
    starts = np.array([0, 3, 6, 9], np.int32)
    texts = pa.StringArray.from_buffers(3, pa.py_buffer(starts), pa.py_buffer(b"cat\xff\xfegeel"))
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0], pa.int8()), texts)
