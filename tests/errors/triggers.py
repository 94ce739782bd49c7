"""One call for each error of tallies, metrics and calls: code → the call that raises it."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd

import karat
from karat.compat.catboost import eval_metric
from karat.compat.onedal import MulticlassConfusionMatrix
from karat.data.sources.distributed.dask import _explained
from karat.data.sources.distributed.spark import joined
from karat.metrics import case, metric
from karat.metrics._formula import Node
from karat.metrics._influence.gather import GatheredInfluences
from karat.metrics._lift import OneVsRest, trace
from karat.tally import (
    Axis,
    Bins,
    Cells,
    Classes,
    from_bytes,
    merge,
    subtract,
    to_bytes,
    to_marginals,
)
from karat.tally.held_sets import refuse_doubles
from tests.optional import optional

AB, BA = Classes.of(["a", "b"]), Classes.of(["b", "a"])
LEFT = Cells.dense([[3, 1], [2, 4]], classes=AB)
WEIGHTED = Cells.dense([[3.5, 1.0], [2.0, 4.0]], classes=AB)
NAMED = {"a": [3, 2], "b": [1, 4]}
TABLE = {"label": [0, 1], "pred": [0, 1]}
TWO_MODELS = {"old": [0, 1], "new": [1, 0]}
TWICE = {"repeat": [0] * 4 + [1] * 4, "fold": [0, 1] * 4}
MANY = Cells.sparse([0], [0], [1], classes=Classes.of(range(100_000)))


def folds(*labels: int) -> Cells:
    return Cells.dense(np.ones((2, 2, 2), int), classes=AB, axes=(Axis("fold", labels),))


def other_slices() -> Any:
    table = {"label": [0, 1] * 40, "pred": [0, 1] * 40, "country": ["NO"] * 80, "sex": ["f"] * 80}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base.json"
        karat.gate(table, by="country").save_baseline(path)
        return karat.gate(table, baseline=path, by="sex")


def monitored(**given: Any) -> Any:
    monitor = karat.Monitor(min={"accuracy": 0.5})
    monitor.add([0, 1], [0, 1])
    return monitor.add([0, 1], [0, 1], **given)


def of_ids_that_were_added() -> Any:
    monitor = karat.Monitor(min={"accuracy": 0.5})
    monitor.add([0, 1], [0, 1], ids=["ann", "bob"])
    return monitor.add([0, 1], [0, 1], ids=["bob", "cid"])


def of_a_state_that_changed() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.karat"
        karat.Monitor(min={"accuracy": 0.5}).save(path)
        first, second = karat.Monitor.load(path), karat.Monitor.load(path)
        for monitor in (first, second):
            monitor.add([0, 1], [0, 1])
            monitor.save(path)


def newer() -> bytes:
    data = bytearray(to_bytes(LEFT))
    struct.pack_into("<H", data, 8, 7)
    return bytes(data)


def branching() -> Any:
    golden = case(tp=8, fp=1, fn=4, tn=3, gives="8", source="arithmetic")

    def better_of_two(c: OneVsRest) -> Node:
        """Hits, or false alarms."""
        if c.tp > c.fp:
            return c.tp
        return c.fp

    from karat.metrics._record import _registered

    record = metric(cases=[golden], since="0.1")(better_of_two)
    _registered.remove(record)
    return trace(record, "plain", "zero", {})


def without_cases() -> Any:
    def hits(c: OneVsRest) -> Node:
        """Hits."""
        return c.tp

    return metric(since="0.1")(hits)


def outside() -> Any:
    """A target that is none of three classes."""
    torch = optional("torch")
    from karat.compat.torchmetrics import multiclass_accuracy

    return multiclass_accuracy(torch.tensor([0, 1, 2]), torch.tensor([0, 7, 2]), 3)


def asked_of_workers_without_karat() -> None:
    with _explained():
        raise RuntimeError("worker: ModuleNotFoundError: No module named 'karat'")


def gated(baseline: dict[str, Any]) -> Callable[[], object]:
    """A gate of two rows against other predictions."""
    new = {"label": [0, 1], "pred": [0, 1], "id": ["a", "b"]}
    return lambda: karat.gate(new, baseline=baseline)


def weighed_otherwise() -> None:
    """A gate of rows against predictions whose file weighs them otherwise."""
    new = {"label": [0, 1], "pred": [0, 1], "sample_weight": [1.0, 2.0]}
    karat.gate(new, baseline={**new, "sample_weight": [1.0, 3.0]})


def crowded() -> None:
    """More rows than are kept, of one class of three."""
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    stream.update(np.zeros(50_000, int), y_prob=np.tile([1.0, 0.0, 0.0], (50_000, 1)))


def of_many_classes() -> None:
    """More rows of 200 classes than are kept."""
    stream = karat.Stream(labels=range(200), reading=karat.Reading(max_memory=1 << 20))
    stream.update(np.arange(3_000) % 200, y_prob=np.eye(200)[np.arange(3_000) % 200])


def crowded_clusters() -> None:
    """More rows with scores and clusters than are kept."""
    n = 150_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        columns = {"label": [0, 1] * (n // 2), "prob": np.arange(n) / n, "user": range(n)}
        pd.DataFrame(columns).to_parquet(path)
        karat.evaluate(
            path, y_prob="prob", clusters="user", reading=karat.Reading(max_memory=1 << 20)
        )


def of_partitions() -> None:
    """Weak slices of rows that are not in memory."""
    frame = pd.DataFrame({"label": [0, 1], "pred": [0, 1]})
    karat.find_weak_slices(optional("dask.dataframe").from_pandas(frame, npartitions=2))


def labels_after_scores() -> None:
    """Rows of both kinds in one stream."""
    stream = karat.Stream()
    stream.update([0, 1], y_prob=[0.25, 0.75])
    stream.update([0, 1], [0, 1])


def scored_by(metric: str, learned: list[int]) -> None:
    """A scorer of an estimator that learned those classes."""
    estimator = SimpleNamespace(
        classes_=np.array(learned), predict_proba=lambda _: np.eye(len(learned))
    )
    karat.scorer(metric, labels=[0, 1, 2])(estimator, None, learned)


TRIGGERS: dict[str, Callable[[], object]] = {
    "K502": asked_of_workers_without_karat,
    "K503": lambda: list(joined([(0, 0, 2, b"")])),
    "K117": lambda: karat.evaluate([0, 1], [0, 1], labels=karat.Labels(names=["one"])),
    "K127": lambda: karat.f1(y_pred=[0, 1]),
    "K128": lambda: karat.evaluate([0, 1]),
    "K129": lambda: karat.roc_auc([0, 1], y_prob=[0.25, 0.75], y_score=[-1.0, 1.0]),
    "K319": lambda: karat.log_loss([0, 1], y_score=[-1.0, 1.0]),
    "K320": lambda: karat.evaluate([0, 1], y_score=[20.0, 70.0])["accuracy"],
    "K138": lambda: karat.roc_auc([0, 1], [0.25, 0.75]),
    "K139": lambda: karat.f1([0, 1], y_prob=[0.25, 0.75]),
    "K140": lambda: karat.evaluate([0, 1], [0, 1], y_prob=[0.25, 0.75], threshold=0.5),
    "K141": lambda: karat.evaluate(confusion=[[3, 1], [2, 4]], clusters=["ann", "bob"]),
    "K142": lambda: karat.evaluate(TABLE, "pred"),
    "K143": lambda: karat.evaluate([0, 1], [0, 1], weights="weight"),
    "K144": lambda: karat.evaluate([0, 1], [0, 1], reading=karat.Reading(nulls="drop")),
    "K149": lambda: karat.evaluate(
        confusion=pd.DataFrame(NAMED, index=[*NAMED]), labels=["b", "a"]
    ),
    "K150": lambda: karat.evaluate([0, 1], [0, 1], weights=karat.Frequency([1, 2.5])),
    "K156": lambda: karat.evaluate([0, 1], [0, 1], y_pred=[0, 1]),
    "K157": lambda: karat.evaluate(TABLE, y_true="label", y_pred="label"),
    "K158": lambda: karat.evaluate(TABLE, y_true=0.5),
    "K159": lambda: karat.curves.roc([0, 1], y_prob=[0, 1], classes=[1], average="micro"),
    "K160": lambda: karat.plot.roc(karat.evaluate([0, 1], [0, 1]), weights=[1, 2]),
    "K169": lambda: karat.rows_needed("accuracy", pilot=[[9, 1], [2, 8]]),
    "K170": lambda: karat.rows_needed("accuracy", pilot=None, half_width=0.05),
    "K178": lambda: karat.gate([0, 1], [1, 0], min={"accuracy": 0.9}).save_baseline("next.json"),
    "K260": lambda: karat.evaluate([0], [0], level=0.9, interval=karat.Interval(level=0.8)),
    "K261": lambda: karat.check([0, 1], [0, 1], design=karat.Looks()),
    "K262": lambda: karat.Labels(ignore=[-100]),
    "K263": lambda: karat.evaluate(
        ["a", "b", "c"], ["a", "b", "b"], design=karat.CaseControl(prevalence=0.02)
    ),
    "K264": lambda: karat.evaluate(
        [0, 1, 1],
        [0, 1, 0],
        weights=karat.Frequency([9, 1, 2]),
        design=karat.CaseControl(prevalence=0.02),
    ),
    "K179": lambda: karat.gate(TABLE, baseline=[0, 1], max_drop={"accuracy": 0.1}),
    "K184": lambda: karat.find_weak_slices([0, 1], [0, 1], loss=[0, 1], by={"sex": ["f", "m"]}),
    "K185": lambda: karat.find_weak_slices(loss=[0.5, -1], by={"sex": ["f", "m"]}),
    "K180": labels_after_scores,
    "K190": lambda: karat.roc_auc(["ok", "fraud"], y_prob=[0.25, 0.75]),
    "K191": lambda: karat.accuracy(["0", "1", "1"], ["0.0", "1.0", "1.0"]),
    "K192": lambda: karat.evaluate({"label": [0, 1, 1], "score": [0.25, 0.5, 0.75]}),
    "K219": lambda: karat.accuracy(np.eye(2), np.eye(2)),
    "K220": lambda: karat.f1(np.eye(2), np.eye(2)),
    "K224": lambda: karat.roc_auc([{0}, {1}], y_score=[{0: 0.5}, {1: 0.5}], average="macro"),
    "K225": lambda: karat.coverage_error([{0}, {1, 2}], y_score=[{0: 0.5}, {}]),
    "K227": lambda: karat.evaluate(["cat||dog"], ["cat"], labels=karat.Labels(separator="|")),
    "K228": lambda: karat.evaluate(
        {"true_cat": [1], "true_dog": [0], "pred_cat": [1]}, y_true="true_*", y_pred="pred_*"
    ),
    "K229": lambda: refuse_doubles(["1", "1.0"], [1, 1]),
    "K222": lambda: karat.evaluate(np.eye(2), np.eye(2), design=karat.CaseControl()),
    "K226": lambda: karat.objectives.multilabel([[0.5, 1.5], [1.5, 0.5]], [[1, 0, 1], [0, 0, 1]]),
    "K230": lambda: karat.objectives.multilabel([[0.5, 1.5], [1.5, 0.5]], [[1, 0], [0, 1.5]]),
    "K231": lambda: karat.objectives.LightGBMObjective("multilabel"),
    "K232": lambda: karat.evaluate([0, 1], [0, 1], reading=karat.Reading(keep_rows=-1)),
    "K233": lambda: karat.evaluate([0, 1], [0, 1]).rows(true=1),
    "K250": lambda: karat.evaluate([0, 1] * 4, [0, 1] * 4, design=karat.Folds([1] * 8)),
    "K251": lambda: karat.evaluate([0, 1] * 4, [0, 1] * 4, design=karat.Folds(TWICE)),
    "K252": lambda: karat.evaluate(
        [0, 1] * 4, [0, 1] * 4, design=karat.Folds(TWICE), ids=[0, 0, 1, 1] * 2
    ),
    "K253": lambda: karat.evaluate(
        [0, 1] * 4,
        [0, 1] * 4,
        design=karat.Folds({**TWICE, "repeat": [0] * 3 + [1] * 5}),
        ids=range(8),
    ),
    "K254": lambda: karat.evaluate(
        [0, 1] * 4,
        [0, 1] * 4,
        design=karat.Folds({"repeat": [0] * 4 + [1] * 4, "fold": [0] * 8}),
        ids=range(8),
    ),
    "K255": lambda: karat.evaluate(
        [0, 1] * 4,
        [0, 1] * 4,
        design=karat.Folds({"fold": [0, 1] * 4, "holdout": [None] * 4 + [1, 0] * 2}),
    ),
    "K256": lambda: karat.gate(
        {**TABLE, "fold": [0, 1]}, baseline={**TABLE, "fold": [1, 0]}, design=karat.Folds("fold")
    ),
    "K258": lambda: karat.evaluate(
        [0, 1, 1, 0] * 12, [0, 1] * 24, design=karat.Folds([0] * 24 + [1] * 24)
    ),
    "K316": lambda: karat.kappa_linear(["low", "medium", "high"], ["low", "high", "high"]),
    "K317": lambda: karat.evaluate(["2", "9", "10"], y_prob=np.eye(3)),
    "K318": lambda: karat.accuracy([0, 1, 2, -100], [0, 1, 1, 1]),
    "K424": lambda: karat.evaluate(confusion=[[3, 1, 4], [2, 5, 7], [5, 6, 11]]),
    "K427": lambda: karat.evaluate({"label": [0, 1], "pred": [0, 1], "count": [50, 35]}),
    "K257": lambda: karat.from_cross_validate({"test_score": [0.5, 0.6]}, [[0], [1]], [0, 1]),
    "K234": lambda: karat.evaluate(
        ["ok", "fraud"], ["ok", "ok"], reading=karat.Reading(keep_rows=20)
    ).rows(true="frod"),
    "K235": lambda: karat.evaluate([0] * 9, [1] * 9, reading=karat.Reading(keep_rows=2)).rows(
        limit=5
    ),
    "K237": lambda: karat.evaluate(
        [0, 1], [0, 1], design=karat.Looks(1000), interval=karat.Interval(method="bootstrap")
    ),
    "K238": lambda: karat.compare([0, 1], TWO_MODELS, design=karat.Looks(1000), paired=False),
    "K240": lambda: monitored(weights=[1.0, 2.0]),
    "K241": monitored,
    "K430": of_ids_that_were_added,
    "K431": lambda: karat.Monitor.load("nowhere.karat"),
    "K432": of_a_state_that_changed,
    "K221": lambda: karat.macro_f1([{"cat"}, {"cat", "dog"}], ["cat", "dog"]),
    "K194": lambda: karat.evaluate(["ok", "fraud"], ["ok", "fraud"])["f1"],
    "K215": lambda: karat.Stream().merge(cast("Any", [0, 1])),
    "K216": lambda: karat.Stream().all_reduce(),
    "K217": lambda: subtract(WEIGHTED, WEIGHTED),
    "K214": lambda: Bins.empty([0.0, 0.75, 0.25, 1.0]),
    "K310": lambda: karat.evaluate([0, 1], [0, 1], metrics=cast("Any", {"f1"})),
    "K311": lambda: GatheredInfluences.checked(karat.metrics.get("ks_statistic")),
    "K312": lambda: karat.scorer("prevalence"),
    "K313": lambda: karat.scorer("accuracy")(None, [[0], [1]], [0, 1]),
    "K314": lambda: scored_by("log_loss", [0, 1, 3]),
    "K451": lambda: karat.evaluate([0, 1], [0, 1], ids=False),
    "K452": lambda: karat.evaluate([0, 1], [0, 1], design=karat.Looks()).confidence.tail,
    "K421": lambda: karat.evaluate("rows.parquet", weights=cast("Any", [1, 2])),
    "K454": lambda: karat.evaluate(
        pd.DataFrame(TABLE), y_pred=pd.Series([0, 1], index=[5, 7], dtype=object)
    ),
    "K455": lambda: karat.Stream().update(karat.read(TABLE, clusters="label")),
    "K456": lambda: karat.read("-"),
    "K422": lambda: karat.evaluate(["rows.parquet", "SELECT 1 AS label, 1 AS pred"]),
    "K423": of_partitions,
    "K602": lambda: eval_metric([0, 1], np.eye(2), "Accuracy", group_id=cast("Any", [0, 0])),
    "K148": crowded_clusters,
    "K121": lambda: karat.f1([0, 1, 2], [0, 1, 2]),
    "K122": lambda: karat.f1([0, 1], [0, 1], average="median"),
    "K123": lambda: karat.f1(["cat"], ["cat"]),
    "K126": lambda: karat.evaluate([0, 1], [0, 1], sample_weight=[1, 2]),
    "K136": lambda: karat.evaluate([0, 1, 2], y_prob=np.eye(3), threshold=0.5),
    "K145": lambda: karat.evaluate([0, 1, 1], [0, 1, 0], clusters=["ann", "ann", "ann"]),
    "K413": lambda: karat.gate([0, 1], [0, 1]).save_baseline("no folder/base.json"),
    "K146": crowded,
    "K147": of_many_classes,
    "K151": lambda: karat.objectives.multiclass([0.5, 1.5], [0, 1]),
    "K152": lambda: karat.objectives.multiclass([[0.5, 1.5], [0.5, float("inf")]], [0, 1]),
    "K153": lambda: karat.objectives.multiclass([[0.5, 1.5], [1.5, 0.5]], [1, 2]),
    "K154": lambda: karat.objectives.LightGBMObjective("multiclass_one_vs_all", sigmoid=-1.0),
    "K155": lambda: karat.objectives.LightGBMObjective()(np.zeros(3), np.zeros(3)),
    "K161": lambda: karat.compare([0, 1], {"old": [0, 1]}),
    "K162": lambda: karat.compare([0, 1], np.array([[0.5, 0.5], [0.25, 0.75]])),
    "K163": lambda: karat.compare({"old": [0, 1], "other": [1, 0]}, TWO_MODELS),
    "K164": lambda: karat.compare([0, 1], TWO_MODELS, baseline="best"),
    "K165": lambda: karat.compare([0, 1], TWO_MODELS, margin=-0.01),
    "K166": lambda: karat.compare([0, 1], TWO_MODELS, metrics="roc_auc"),
    "K167": lambda: karat.rows_needed("accuracy", pilot=[[9, 1], [2, 8]], half_width=0.75),
    "K168": lambda: karat.compare([0, 1], TWO_MODELS)["accuracy", "old", "best"],
    "K171": gated({"label": [0, 1], "pred": [0, 1], "id": ["a", "a"]}),
    "K172": gated({"label": [0, 1], "pred": [0, 1], "id": ["a", "c"]}),
    "K173": gated({"label": [0, 0], "pred": [0, 1], "id": ["a", "b"]}),
    "K174": gated({"label": [0, 2], "pred": [0, 1], "id": ["a", "b"]}),
    "K175": gated({"label": [0, 1, 1], "pred": [0, 1, 1]}),
    "K176": lambda: karat.gate([0, 1], [0, 1], min={"accuracy": "high"}),
    "K177": weighed_otherwise,
    "K181": lambda: karat.evaluate([0, 1], [0, 1], by="country"),
    "K182": lambda: karat.evaluate([0, 1] * 501, [0, 1] * 501, by=[f"id {i}" for i in range(1002)]),
    "K183": lambda: karat.evaluate([0, 1], [0, 1], by={"sex": ["f", "m"]}).slices["sex"]["x"],
    "K189": other_slices,
    "K201": lambda: merge(LEFT, Cells.dense([[3, 1], [2, 4]], classes=BA)),
    "K202": lambda: merge(folds(1, 2), folds(1, 3)),
    "K203": lambda: merge(LEFT, WEIGHTED),
    "K204": lambda: karat.metrics.get("mutual_information").values(to_marginals(LEFT)),
    "K205": lambda: from_bytes(to_bytes(LEFT)[:-7]),
    "K206": lambda: from_bytes(newer()),
    "K207": MANY.matrix,
    "K208": lambda: subtract(LEFT, Cells.dense([[0, 0], [5, 0]], classes=AB)),
    "K210": lambda: karat.evaluate([0, 1], [0, 1])["roc_auc"],
    "K211": lambda: karat.evaluate([0, 1], y_prob=[0.5, 0.5])["roc_auc(max_fpr=0.5)"],
    "K212": lambda: karat.evaluate(confusion=[[0.5, 1], [1, 2.5]]).covariance(["accuracy"]),
    "K213": lambda: merge(*[Cells.dense([[2**62, 0], [0, 0]], classes=AB)] * 2),
    "K701": lambda: karat.plot.roc([0, 1], y_prob=[0.25, 0.75], ax=[1, 2]),
    "K702": lambda: karat.plot.roc({"old": karat.evaluate([0, 1], [0, 1]), "new": [0, 1]}),
    "K301": lambda: karat.metrics.get("macro_f2"),
    "K302": lambda: karat.f_beta([0, 1], [0, 1], beta=-1),
    "K303": lambda: karat.metrics.get("macro f1"),
    "K304": without_cases,
    "K305": branching,
    "K306": lambda: karat.metrics.get("macro_accuracy"),
    "K307": lambda: karat.evaluate([0, 1, 2], [0, 1, 2])["f1"],
    "K308": lambda: karat.evaluate([0, 1], [0, 1]).curves,
    "K601": lambda: eval_metric([0, 1], np.eye(2), "accuracy"),
    "K611": lambda: MulticlassConfusionMatrix(3).compute([0, 1, 2], [0, 3, 2]),
    "K621": outside,
    "K622": lambda: exec("from karat.compat.torchmetrics import MulticlassROC"),  # noqa: S102
    "K309": lambda: karat.curves.roc([0, 1], y_score=[0, 1], average=None)["cat"],
    "K315": lambda: karat.curves.roc([0, 1], y_score=[[1, 0], [0, 1]], average="micro").band(),
}
