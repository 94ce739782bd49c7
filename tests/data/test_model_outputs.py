"""Probabilities as models return them: dicts by class, rows of pipelines, arrays of outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import karat
from karat.errors import KaratError
from tests.optional import optional
from tests.same import assert_same

torch = optional("torch")

N = 40
RNG = np.random.default_rng(11)
NAMES = ["ant", "bee", "cow"]
TRUTH = np.array(NAMES)[np.r_[0, 1, 2, RNG.integers(0, 3, N - 3)]]
PROB = RNG.dirichlet([1, 1, 1], N)
MARKS = np.vstack([np.eye(3, dtype=int), RNG.integers(0, 2, (N - 3, 3))])
MARKS[MARKS.sum(axis=1) == 0, 1] = 1
PRESENT = RNG.random((N, 3))


def by_rank(row: Any, names: Any = NAMES) -> list[tuple[Any, float]]:
    """Classes with their scores, best first, as pipelines list them."""
    return sorted(zip(names, row.tolist(), strict=True), key=lambda pair: -pair[1])


def pipeline(prob: Any, names: Any = NAMES) -> list[Any]:
    return [[{"label": x, "score": p} for x, p in by_rank(row, names)] for row in prob]


ROWS = [dict(zip(NAMES, row, strict=True)) for row in PROB.tolist()]
OF_CLASSES: dict[str, Callable[[], Any]] = {
    "a dict of columns": lambda: {name: PROB[:, i] for i, name in enumerate(NAMES)},
    "rows of dicts": lambda: [dict(zip(NAMES, row, strict=True)) for row in PROB.tolist()],
    "rows of dicts in any order": lambda: [dict(by_rank(row)) for row in PROB],
    "a Series of dicts": lambda: pd.Series([dict(by_rank(row)) for row in PROB]),
    "a tuple of dicts": lambda: tuple(dict(by_rank(row)) for row in PROB),
    "a pipeline with every class": lambda: pipeline(PROB),
    "structs of Polars": lambda: pl.Series(ROWS),
    "structs of Arrow": lambda: pa.array(ROWS),
    "structs of Arrow in chunks": lambda: pa.chunked_array([ROWS[:7], ROWS[7:]]),
    "a slice of structs": lambda: pa.array([*ROWS[:3], *ROWS])[3:],
    "structs of pandas": lambda: pd.Series(ROWS, dtype=pd.ArrowDtype(pa.array(ROWS).type)),
    "a pipeline in Polars": lambda: pl.Series(pipeline(PROB)),
    "a pipeline in Arrow": lambda: pa.array([*pipeline(PROB)[:3], *pipeline(PROB)])[3:],
}
VERBS: dict[str, Callable[[Any, Any], Any]] = {
    "log_loss": lambda true, prob: karat.log_loss(true, y_prob=prob),
    "roc_auc": lambda true, prob: karat.roc_auc_ovr_macro(true, y_prob=prob),
    "evaluate": lambda true, prob: karat.evaluate(true, y_prob=prob).to_json(),
    "compare": lambda true, prob: karat.compare(
        true, y_prob={"a": prob, "b": PROB[:, [1, 2, 0]]}, metrics=["log_loss", "accuracy"]
    ).to_json(),
    "gate": lambda true, prob: str(karat.gate(true, y_prob=prob, min={"accuracy": 0.2})),
    "check": lambda true, prob: str(karat.check(true, y_prob=prob)),
    "find_weak_slices": lambda true, prob: str(
        karat.find_weak_slices(true, y_prob=prob, by={"x": np.arange(N) % 3})
    ),
    "Stream": lambda true, prob: streamed(true, prob).to_json(),
    "curves": lambda true, prob: [
        curve.tpr for curve in karat.curves.roc(true, y_prob=prob, average=None).values()
    ],
}


def streamed(true: Any, prob: Any) -> Any:
    stream = karat.Stream(labels=NAMES, metrics=["log_loss", "accuracy"])
    for start in range(0, N, 15):
        rows = slice(start, start + 15)
        piece = {x: v[rows] for x, v in prob.items()} if isinstance(prob, dict) else prob[rows]
        stream.update(true[rows], y_prob=piece)
    return stream.report()


@pytest.mark.parametrize("form", OF_CLASSES)
@pytest.mark.parametrize("verb", VERBS)
def test_rows_by_class_are_the_matrix(verb: str, form: str) -> None:
    run = VERBS[verb]
    mine, theirs = run(TRUTH, OF_CLASSES[form]()), run(TRUTH, PROB)
    if isinstance(mine, str):
        # Names of columns declare classes, and no order.
        assert mine.replace('    "is_ordered": false,\n', "") == theirs
    else:
        assert_same(mine, theirs, within=0)


def test_rows_may_come_from_a_generator() -> None:
    for rows in (ROWS, pipeline(PROB), PROB.tolist()):
        assert karat.log_loss(TRUTH, y_prob=iter(rows)) == karat.log_loss(TRUTH, y_prob=PROB)
    sets = karat.evaluate(MARKS, y_prob=iter(pipeline(PRESENT, range(3))))
    assert sets.to_json() == karat.evaluate(MARKS, y_prob=PRESENT).to_json()


TABLES: dict[str, Callable[[Any], Any]] = {
    "a dict": lambda rows: {"y": TRUTH.tolist(), "probs": rows},
    "pandas": lambda rows: pd.DataFrame({"y": TRUTH, "probs": rows}),
    "Polars": lambda rows: pl.DataFrame({"y": TRUTH, "probs": rows}),
    "Arrow": lambda rows: pa.table({"y": TRUTH, "probs": rows}),
    "DuckDB": lambda rows: in_duckdb(pa.table({"y": TRUTH, "probs": rows})),
    "pandas of Arrow": lambda rows: pa.table({"y": TRUTH, "probs": rows}).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
}


def in_duckdb(table: Any) -> Any:
    return optional("duckdb").from_arrow(table)


@pytest.mark.parametrize("form", TABLES)
def test_a_column_of_a_table_names_the_classes(form: str) -> None:
    expected = karat.evaluate(TRUTH, y_prob=PROB)
    turned = [dict(reversed(row.items())) for row in ROWS]
    for rows in (turned, pipeline(PROB)):
        report = karat.evaluate(TABLES[form](rows), y_true="y", y_prob="probs")
        assert report.metrics == expected.metrics
        assert report.classes.labels == expected.classes.labels
        assert report.mapping["y_prob"] == ["probs"]


def test_a_struct_that_is_null_has_no_scores() -> None:
    rows = [*ROWS[:7], None, *ROWS[8:]]
    for make in (pl.Series, pa.array):
        with pytest.raises(KaratError, match=r"K131(?s:.*)row 7"):
            karat.log_loss(TRUTH, y_prob=make(rows))
    lists = [*pipeline(PROB)[:7], None, *pipeline(PROB)[8:]]
    for make in (pl.Series, pa.array):
        with pytest.raises(KaratError, match=r"K131(?s:.*)row 7: None"):
            karat.log_loss(TRUTH, y_prob=make(lists))
    dropped = karat.evaluate(
        pl.DataFrame({"y": [*TRUTH[:7], None, *TRUTH[8:]], "probs": rows}),
        y_true="y",
        y_prob="probs",
        reading=karat.Reading(nulls="drop"),
    )
    rest = np.arange(N) != 7
    expected = karat.log_loss(TRUTH[rest], y_prob=PROB[rest])
    assert dropped["log_loss"].value == pytest.approx(expected, abs=1e-15)


def test_files_of_structs_name_the_query_that_reads_them(tmp_path: Any) -> None:
    duckdb = optional("duckdb")
    expected = karat.log_loss(TRUTH, y_prob=PROB)
    names = {x: f"{x} or 'so" if x == "bee" else x for x in NAMES}
    true = [names[x] for x in TRUTH]
    for rows in (
        [{names[x]: p for x, p in row.items()} for row in ROWS],
        pipeline(PROB, [*names.values()]),
    ):
        table = duckdb.from_arrow(pa.table({"y_true": true, "my probs": rows}))
        for end in ("json", "parquet"):
            path = tmp_path / f"rows.{end}"
            table.query("t", f"COPY (FROM t) TO '{path}'")
            with pytest.raises(KaratError, match=r"K130.*my probs(?s:.*)by a query") as caught:
                karat.evaluate(path, y_prob="my probs")
            query = str(caught.value).partition("by a query: ")[2]
            assert karat.evaluate(query)["log_loss"].value == pytest.approx(expected, abs=1e-12)


def test_a_list_of_tensors_has_a_tensor_for_each_row() -> None:
    scores = RNG.normal(size=(N, 3))
    expected = karat.log_loss(TRUTH, y_logit=scores)
    rows = list(torch.tensor(scores, requires_grad=True))
    assert karat.log_loss(TRUTH, y_logit=rows) == expected
    half = torch.tensor(PROB).bfloat16()
    assert karat.log_loss(TRUTH, y_prob=list(half)) == karat.log_loss(TRUTH, y_prob=half)
    one = torch.rand(N)
    assert karat.roc_auc(MARKS[:, 0], y_prob=list(one)) == karat.roc_auc(MARKS[:, 0], y_prob=one)


def test_the_classes_may_be_declared_in_any_order() -> None:
    rows = OF_CLASSES["rows of dicts in any order"]()
    expected = karat.log_loss(TRUTH, y_prob=PROB)
    for labels in (NAMES, NAMES[::-1]):
        assert_same(karat.log_loss(TRUTH, y_prob=rows, labels=labels), expected, within=1e-15)
    more = [{**row, "elk": 0.0} for row in rows]
    assert_same(karat.log_loss(TRUTH, y_prob=more), expected, within=1e-15)


@pytest.mark.parametrize(
    "kinds", [(0, 1), (1, 2), (False, True), (-1, 1), (0.0, 1.0), ("no", "yes"), (np.int64(0), 1)]
)
def test_two_classes_of_any_kind(kinds: Any) -> None:
    codes, p = RNG.integers(0, 2, N), RNG.random(N)
    true = np.array(kinds)[codes]
    rows = [dict(by_rank(np.array([1 - x, x]), kinds)) for x in p]
    mine = karat.log_loss(true, y_prob=rows)
    assert_same(mine, karat.log_loss(codes, y_prob=p), within=1e-12)
    scores = [{kinds[0]: -x, kinds[1]: x} for x in p]
    mine = karat.roc_auc(true, y_score=scores, positive=kinds[1])
    assert_same(mine, karat.roc_auc(codes, y_score=p), within=1e-12)


def test_names_of_a_pipeline_may_end_in_the_class() -> None:
    codes = RNG.integers(0, 3, N)
    names = ["LABEL_0", "LABEL_1", "LABEL_2"]
    mine = karat.log_loss(codes, y_prob=pipeline(PROB, names))
    assert mine == karat.log_loss(codes, y_prob=PROB)


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "the best class alone": (
        TRUTH,
        [{"label": by_rank(row)[0][0], "score": by_rank(row)[0][1]} for row in PROB],
        r"top_k=None.*y_pred=\[row\['label'\] for row in output\]",
    ),
    "the best two classes": (
        TRUTH, [row[:2] for row in pipeline(PROB)], r"Row 0 has no score of '\w+'.*top_k=None",
    ),
    "one class in every row": (
        TRUTH, [[{"label": "ant", "score": 0.5}]] * N, r"the score of 'ant' alone.*top_k=None",
    ),
    "a row that is none": (
        TRUTH, [{"ant": 0.2, "bee": 0.3, "cow": 0.5}] * (N - 1) + [None], "K131.*row 39: None",
    ),
    "a class that is not there": (
        TRUTH, [{"ant": 0.2, "bee": 0.8}] * N, "No column for 'cow'",
    ),
    "other names": (
        TRUTH, pipeline(PROB, ["x", "y", "z"]), "other classes than there are.*id2label",
    ),
    "numbers that are no classes": (
        RNG.integers(1, 4, N), [dict(enumerate(row)) for row in PROB.tolist()], "No column for 3",
    ),
    "arrays of outputs": (
        TRUTH, [PROB[:, :2]] * 3, r"list of 3 arrays of shape \(40, 2\).*y_prob=P\[0\]",
    ),
    "an output with one column": (
        MARKS, [PROB[:, :1], *[np.full((N, 2), 0.5)] * 2], "Output 0 of y_prob .*It has 1 columns",
    ),
    "an output of three classes": (
        MARKS, [PROB, *[np.full((N, 2), 0.5)] * 2], "Output 0 of y_prob .*It has 3 columns",
    ),
    "an output that does not add up": (
        MARKS, [np.full((N, 2), 0.5), np.full((N, 2), 0.4), np.full((N, 2), 0.5)],
        "Output 1 .*absent and present, do not add up to 1: first at row 0, 0.8; 40 of 40 rows",
    ),
    "an output with a NaN": (
        MARKS, [np.full((N, 2), 0.5), np.full((N, 2), np.nan), np.full((N, 2), 0.5)],
        "K131.*Output 1 of y_prob.*row 0, column 0: nan; 40 of 40 rows",
    ),
    "outputs of text": (
        MARKS, [np.full((N, 2), "0.5")] * 3, "K130.*Output 0 of y_prob.*dtype is <U3",
    ),
    "sparse outputs": (
        MARKS, [scipy.sparse.csr_matrix(np.full((N, 2), 0.5))] * 3,
        r"K130.*Output 0.*csr_matrix.*y_prob=\[p\.toarray\(\) for p in P\]",
    ),
    "a class twice": (
        TRUTH, [[*row, {"label": "ant", "score": 0.0}] for row in pipeline(PROB)],
        "K196.*y_prob has a label twice.*row 0: 'ant'; 40 of 40 rows.*Give the score of each class",
    ),
    "a label twice": (
        MARKS, [[*row, {"label": 1, "score": 0.0}] for row in pipeline(PRESENT, range(3))],
        "K196.*row 0: 1; 40 of 40 rows",
    ),
    "a first row that is none": (
        TRUTH, [None, *[{"ant": 0.2, "bee": 0.3, "cow": 0.5}] * (N - 1)], "K131.*row 0: None; 1 of",
    ),
    "a Series with NaN first": (
        TRUTH, pd.Series([np.nan, *[{"ant": 0.2, "bee": 0.3, "cow": 0.5}] * (N - 1)]),
        "K131.*row 0: nan; 1 of",
    ),
    "the best class after rows with every class": (
        TRUTH, [*pipeline(PROB)[1:], {"label": "ant", "score": 0.5}],
        "Row 39 is {'label': 'ant', 'score': 0.5}: the score of one class.*top_k=None",
    ),
    "every class after the best one": (
        TRUTH, [{"label": "ant", "score": 0.5}, *pipeline(PROB)[1:]], "Row 0 is {.*top_k=None",
    ),
    "a row of another kind": (
        TRUTH, [*pipeline(PROB)[1:], 0.5], "Row 39 is 0.5; others have the score of each class",
    ),
    "empty dicts": (TRUTH, [{}] * N, "Rows have the score of no class"),
    "dicts that lack a class": (
        TRUTH, [{"ant": 0.2, "bee": 0.3, "cow": 0.5}] * (N - 1) + [{"ant": 0.2, "bee": 0.8}],
        "Row 39 has no score of 'cow'.\n *Give every row the score of every class",
    ),
    "dicts of one class": (
        TRUTH, [{"ant": 0.2}] * N, r"'ant' alone.\n.*y_prob=\[row\['ant'\] for row in rows\]",
    ),
    "structs of the best class": (
        TRUTH, pa.array([{"label": "ant", "score": 0.5}] * N), "the score of one class.*top_k=None",
    ),
    "lists of other structs": (
        TRUTH, pa.array([[{"name": "ant", "p": 0.5}]] * N), "lists of structs of 'name', 'p'",
    ),
    "batches of one length": (
        TRUTH, [PROB[:20], PROB[20:]], r"shape \(20, 3\), 40 rows.*y_prob=np.concatenate\(P\)",
    ),
    "batches of several lengths": (
        TRUTH, [PROB[:10], PROB[10:]],
        r"shape \(10, 3\) and the last of shape \(30, 3\), 40 .*join them: y_prob=np.concatenate",
    ),
    "batches of tensors": (
        TRUTH, [torch.tensor(PROB[:20]), torch.tensor(PROB[20:])], r"y_prob=torch.cat\(P\)",
    ),
    "batches of sets": (
        MARKS, [PRESENT[:20, :2], PRESENT[20:, :2]], r"join them: y_prob=np.concatenate\(P\)\.$",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", REFUSED)
def test_what_has_another_meaning_is_refused(form: str) -> None:
    true, prob, told = REFUSED[form]
    for run in (karat.evaluate, lambda t, y_prob: karat.Stream().update(t, y_prob=y_prob)):
        with pytest.raises(KaratError, match=f"(?s){told}"):
            run(true, y_prob=prob)


@pytest.mark.parametrize("verb", ["evaluate", "accuracy"])
def test_outputs_are_no_labels(verb: str) -> None:
    best = [row[0] for row in pipeline(PROB)]
    with pytest.raises(KaratError, match=r"y_pred=\[row\['label'\] for row in output\]"):
        getattr(karat, verb)(TRUTH, best)
    rows = OF_CLASSES["rows of dicts"]()
    with pytest.raises(KaratError, match="Probabilities of the classes are y_prob="):
        getattr(karat, verb)(TRUTH, rows)
    assert karat.accuracy(TRUTH, [row["label"] for row in best]) > 0


@pytest.mark.parametrize("verb", ["evaluate", "accuracy"])
@pytest.mark.parametrize("n_classes", [1, 3])
def test_the_advice_about_outputs_as_labels_works_on_them(verb: str, n_classes: int) -> None:
    output = [row[:n_classes] for row in pipeline(PROB)]
    with pytest.raises(KaratError, match="K106") as caught:
        getattr(karat, verb)(TRUTH, output)
    assert ("every class are y_prob=" in str(caught.value)) is (n_classes > 1)
    (advice,) = re.findall(r"y_pred=(\[.*\])\.$", str(caught.value))
    labels = eval(advice, {"output": output})  # noqa: S307
    assert karat.accuracy(TRUTH, labels) == karat.accuracy(TRUTH, y_prob_labels())


def y_prob_labels() -> Any:
    return np.array(NAMES)[PROB.argmax(axis=1)]


def forms_of_sets() -> Iterator[Any]:
    yield [np.column_stack([1 - p, p]) for p in PRESENT.T]
    yield tuple(np.column_stack([1 - p, p]) for p in PRESENT.T)
    yield [dict(by_rank(row, range(3))) for row in PRESENT]
    yield pipeline(PRESENT, range(3))
    yield [torch.tensor(np.column_stack([1 - p, p]), requires_grad=True) for p in PRESENT.T]
    yield [pd.DataFrame(np.column_stack([1 - p, p])) for p in PRESENT.T]
    yield pl.Series([{str(x): p for x, p in enumerate(row)} for row in PRESENT.tolist()])
    yield [list(by_rank(row, range(3))) for row in PRESENT]
    yield pa.array(pipeline(PRESENT, range(3)))


def test_outputs_of_half_precision_add_up_to_1_within_it() -> None:
    for half in (np.float16, torch.bfloat16):
        outputs = []
        for p in PRESENT.T:
            both = np.column_stack([1 - p, p])
            outputs.append(both.astype(half) if half is np.float16 else torch.tensor(both).to(half))
        mine = karat.log_loss(MARKS, y_prob=outputs)
        assert mine == pytest.approx(karat.log_loss(MARKS, y_prob=PRESENT), rel=0.02)


@pytest.mark.parametrize("form", range(9))
def test_sets_of_labels(form: int) -> None:
    given = [*forms_of_sets()][form]
    for name in ("log_loss", "macro_average_precision", "roc_auc_ovr_macro", "lwlrap"):
        function = getattr(karat, name)
        assert_same(function(MARKS, y_prob=given), function(MARKS, y_prob=PRESENT), within=1e-15)
    report = karat.evaluate(MARKS, y_prob=given)
    assert report.to_json() == karat.evaluate(MARKS, y_prob=PRESENT).to_json()
    stream, whole = karat.Stream(), karat.Stream()
    stream.update(MARKS, y_prob=given)
    whole.update(MARKS, y_prob=PRESENT)
    assert stream.report().to_json() == whole.report().to_json()


def test_rows_that_list_some_labels_stay_as_they_are() -> None:
    rows = [dict(by_rank(row, range(3))[:2]) for row in PRESENT]
    with pytest.raises(KaratError, match="K224"):
        karat.log_loss(MARKS, y_prob=rows)
    assert 0 < karat.ndcg(MARKS, y_prob=[dict(by_rank(row, range(3))) for row in PRESENT]) < 1


@pytest.mark.parametrize("is_whole_first", [True, False])
def test_a_stream_takes_batches_that_list_every_label_and_some(is_whole_first: bool) -> None:
    every = [dict(by_rank(row, range(3))) for row in PRESENT]
    some = [dict(by_rank(row, range(3))[:2]) for row in PRESENT]
    stream = karat.Stream(labels=range(3))
    for rows in (every, some) if is_whole_first else (some, every):
        stream.update(MARKS, y_prob=rows)
    whole = karat.evaluate(np.vstack([MARKS, MARKS]), y_prob=every + some, labels=range(3))
    assert stream.report()["ndcg"].value == pytest.approx(whole["ndcg"].value, abs=1e-12)
