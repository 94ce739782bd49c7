"""Columns of frames in partitions are refused wherever columns are taken: nothing orders them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.compat.catboost import eval_metric
from karat.data.sources.distributed.frames import distributed_host
from karat.errors import KaratError
from karat.metrics._registry import all_names, find
from tests.optional import optional

dd = optional("dask.dataframe")

RNG = np.random.default_rng(7)
LABELS = RNG.integers(0, 2, 40)
ROWS = pd.DataFrame(
    {
        "label": LABELS,
        "pred": LABELS,
        "prob": RNG.random(40),
        "other": RNG.random(40),
        "w": RNG.random(40),
        "user": RNG.integers(0, 9, 40),
        "row_id": np.arange(40),
    }
)
FRAME = dd.from_pandas(ROWS, npartitions=4, sort=False)
NAMES = sorted({name for name in dir(karat) if not name.startswith("_")} | {*all_names()})


def takes_columns(function: Any) -> bool:
    # A check lists what is wrong and raises nothing; reading takes data alone.
    is_verb = inspect.isfunction(function) and function not in (karat.check, karat.read)
    return is_verb and "y_true" in inspect.signature(function).parameters


ENTRIES: dict[str, Callable[..., Any]] = {
    name: getattr(karat, name) for name in NAMES if takes_columns(getattr(karat, name))
} | {
    f"curves.{name}": getattr(karat.curves, name)
    for name in karat.curves.__all__
    if takes_columns(getattr(karat.curves, name))
} | {"Stream.update": karat.Stream().update}  # fmt: skip


def check(*given: Any, **named: Any) -> None:
    """What a check finds is raised."""
    found = karat.check(*given, **named).problem
    if found is not None:
        raise found


ENTRIES["check"] = check


def refused(argument: str, call: Callable[..., object], *given: Any, **named: Any) -> None:
    with pytest.raises(KaratError) as caught:
        call(*given, **named)
    assert caught.value.code == "K416", caught.value
    assert str(caught.value).splitlines()[1].strip().startswith(f"{argument} is a ")


def test_the_entries_are_all_there() -> None:
    wanted = {"accuracy", "roc_auc", "evaluate", "compare", "gate", "confusion_matrix"}
    assert wanted <= ENTRIES.keys()
    assert len(ENTRIES) > 150


@pytest.mark.parametrize("name", ENTRIES)
def test_a_column_of_a_frame_in_partitions_is_refused(name: str) -> None:
    function = ENTRIES[name]
    takes = inspect.signature(function).parameters
    asked: dict[str, Any] = {"min": {"accuracy": 0.5}} if name == "gate" else {}
    square = [[0, 1], [1, 0]]
    defaults = {"costs": square, "disagreement": square, "min_precision": 0.5}
    asked |= {key: value for key, value in defaults.items() if key in takes}
    is_named = name == "compare"
    metric = find(name)
    is_of_sets = metric is not None and metric.record.is_only_of_sets
    truth: Any = np.eye(2, dtype=int)[LABELS] if is_of_sets else ROWS["label"]
    for argument, column in (("y_pred", "pred"), ("y_prob", "prob")):
        if argument not in takes:
            continue
        mine: Any = ROWS[column].to_numpy()
        theirs: Any = FRAME[column]
        if is_of_sets:
            mine, theirs = np.column_stack([1 - mine, mine]), FRAME[["prob", "other"]]
        if is_named:
            mine, theirs = {"a": mine, "b": mine}, {"a": theirs, "b": theirs}
        shown = f"{argument}['a']" if is_named and argument == "y_pred" else argument
        given = {**asked, argument: mine}
        refused("y_true", function, FRAME["label"], **given)
        refused("weights", function, truth, weights=FRAME["w"], **given)
        refused(shown, function, truth, **{**asked, argument: theirs})
        if argument == "y_pred":
            # A frame of one column is a column; a verb reads it as data, which has no order.
            if "data" in takes:
                with pytest.raises(KaratError, match="K421") as caught:
                    function(FRAME[["label"]], **given)
                assert "partitions" in str(caught.value)
            else:
                refused("y_true", function, FRAME[["label"]], **given)


OTHERS: dict[str, tuple[Callable[[], object], str]] = {
    "matrix of scores": (lambda: karat.brier(LABELS, y_prob=FRAME[["prob", "other"]]), "y_prob"),
    "dict of scores": (
        lambda: karat.brier(LABELS, y_prob={"a": FRAME["prob"], "b": FRAME["other"]}),
        "Column 'a'",
    ),
    "dict as table": (
        lambda: karat.evaluate({"label": FRAME["label"], "pred": FRAME["pred"]}),
        "Column 'label'",
    ),
    "table beside its weights": (lambda: karat.evaluate(ROWS, weights=FRAME["w"]), "weights"),
    "table beside its clusters": (lambda: karat.evaluate(ROWS, clusters=FRAME["user"]), "clusters"),
    "clusters": (lambda: karat.evaluate(LABELS, LABELS, clusters=FRAME["user"]), "clusters"),
    "table of models": (lambda: karat.compare(LABELS, FRAME[["pred", "label"]]), "y_pred"),
    "slices of a gate": (
        lambda: karat.gate(LABELS, LABELS, by=FRAME["user"], min={"accuracy": 1}), "by",
    ),
    "baseline of a gate": (lambda: karat.gate(LABELS, LABELS, baseline=FRAME["pred"]), "y_pred"),
    "objective": (
        lambda: karat.objectives.multiclass(FRAME[["prob", "other"]], FRAME["label"]), "z",
    ),
    "objective's labels": (
        lambda: karat.objectives.multiclass(ROWS[["prob", "other"]], FRAME["label"]), "t",
    ),
    "metric of CatBoost": (lambda: eval_metric(FRAME["label"], FRAME["prob"], "AUC"), "approx"),
    "an array of unknown length": (
        lambda: karat.accuracy(FRAME["label"].values, FRAME["pred"].values), "y_true",
    ),
    "an index": (lambda: karat.accuracy(FRAME.index, FRAME["pred"]), "y_true"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_it_is_refused_in_whatever_it_lies(name: str) -> None:
    call, argument = OTHERS[name]
    refused(argument, call)


def test_what_to_do_is_told_and_works() -> None:
    with pytest.raises(KaratError) as caught:
        karat.accuracy(FRAME["label"], FRAME["pred"])
    assert "karat.evaluate(frame, y_true='label', y_pred='pred')" in str(caught.value)
    assert "frame.compute()" in str(caught.value)
    assert karat.evaluate(FRAME, y_true="label", y_pred="pred").accuracy.value == 1.0
    rows = FRAME[["label", "pred"]].compute()
    assert karat.accuracy(rows["label"], rows["pred"]) == 1.0


@pytest.mark.parametrize("argument", ["y_prob", "y_score"])
def test_of_scores_the_name_of_their_column_is_asked_for(argument: str) -> None:
    """A column of Dask is no table, whose scores would be named anyway."""
    given = {argument: FRAME["prob"]}
    for call in (karat.evaluate, karat.roc_auc, karat.Stream().update):
        with pytest.raises(KaratError) as caught:
            call(FRAME["label"], **given)
        assert caught.value.code == "K416"
        assert "or y_prob='prob' for probabilities" in str(caught.value)
    found = karat.evaluate(
        FRAME, y_true="label", **{argument: "prob"}, weights="", metrics="roc_auc"
    )
    assert found.roc_auc.value == karat.roc_auc(ROWS["label"], **{argument: ROWS["prob"]})


def test_columns_of_one_frame_may_come_in_different_orders() -> None:
    """Why they are refused though both are columns of one frame."""
    many = pd.concat([ROWS] * 500, ignore_index=True)
    shuffled = dd.from_pandas(many, npartitions=16).shuffle("user", shuffle_method="disk")
    with pytest.raises(KaratError, match="Rows in partitions have no order"):
        karat.accuracy(shuffled["label"], shuffled["pred"])
    assert karat.evaluate(shuffled, y_true="label", y_pred="pred").accuracy.value == 1.0


def test_an_array_of_dask_has_an_order() -> None:
    array = optional("dask.array").from_array(LABELS, chunks=7)
    assert karat.accuracy(array, LABELS) == 1.0


def test_a_column_is_no_frame() -> None:
    assert distributed_host(FRAME) == "dask"
    assert distributed_host(FRAME["label"]) is None
    assert distributed_host(ROWS) is None


def test_a_gate_matches_rows_in_partitions_by_their_ids_alone() -> None:
    old = ROWS.assign(pred=1 - ROWS["pred"]).sort_values("prob")
    before = dd.from_pandas(old, npartitions=3, sort=False)
    found = karat.gate(FRAME, baseline=before, ids="row_id")
    assert bool(found)
    call = {"y_true": "label", "y_pred": "pred", "y_prob": "", "ids": ""}
    one, other = (frame[["label", "pred"]] for frame in (FRAME, before))
    for new, baseline, who in ((one, other, "the predictions"), (ROWS, other, "the baseline")):
        with pytest.raises(KaratError, match="ids='row_id'") as caught:
            karat.gate(new, baseline=baseline, **call)
        assert caught.value.code == "K416"
        assert f"{who} is a Dask DataFrame" in str(caught.value)


@pytest.mark.parametrize("given", ["weights", "clusters"])
def test_a_gate_takes_no_values_beside_rows_in_partitions(given: str) -> None:
    with pytest.raises(KaratError, match=rf"rows are in partitions.\n *{given}= is a ndarray"):
        karat.gate(FRAME, min={"accuracy": 0.5}, **{given: np.ones(40)})
