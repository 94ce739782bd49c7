"""Values beside data: what a role holds is the same as a column of the data would be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.data.sources.tables import beside
from karat.errors import KaratError
from tests.grouping import grouped

RNG = np.random.default_rng(11)
N = 160
TRUTH = RNG.choice(["cat", "dog", "eel"], N)
PRED = np.where(RNG.random(N) < 0.7, TRUTH, "cat")
PROB = RNG.dirichlet([1, 1, 1], N)
VALUES: dict[str, Any] = {
    "y_true": TRUTH,
    "y_pred": PRED,
    "weights": RNG.integers(1, 5, N) / 2,
    "clusters": RNG.integers(0, 50, N),
    "by": RNG.choice(["no", "se"], N),
    "ids": np.arange(N) + 700,
    "folds": np.arange(N) % 4,
}
# No name is found by itself: what a call does not name is not read.
COLUMNS = {role: f"the {role}" for role in VALUES}
FRAME = pd.DataFrame({COLUMNS[role]: values for role, values in VALUES.items()})
PROBS = pd.DataFrame(PROB, columns=["c0_cat", "c0_dog", "c0_eel"])
TABLES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "pandas with an index": lambda frame: frame.set_axis(range(50, 50 + len(frame))),
    "polars": pl.from_pandas,
    "lazy polars": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": pa.Table.from_pandas,
    "arrow reader": lambda frame: pa.Table.from_pandas(frame).to_reader(),
    "dict": lambda frame: {name: frame[name].to_numpy() for name in frame},
}
CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "array": np.asarray,
    "series": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
}


NAMES = ("accuracy", "macro_f1", "subset_accuracy", "log_loss", "macro_roc_auc")


def numbers(found: Any) -> Any:
    """The numbers of a result, without the names of its columns."""
    if isinstance(found, karat.Report):
        here = [found[x] for x in NAMES if x in found]
        assert len(here) > 0
        of_folds = str(found.folds) if found.mapping.get("folds") else ""
        return [(x.value, x.low, x.high) for x in here], of_folds
    if isinstance(found, karat.GateResult):
        return [(rule.verdict, rule.value, rule.low, rule.high) for rule in found.rules]
    return str(found)


def calls(role: str) -> dict[str, Callable[..., Any]]:
    """Verb → a call of it whose role is one of these."""
    few = {"metrics": ["accuracy", "macro_f1"]}
    found: dict[str, Callable[..., Any]] = {
        "evaluate": lambda data, **of: karat.evaluate(data, **grouped({**of, **few})),
        "gate": lambda data, **of: karat.gate(data, **grouped(of), min={"accuracy": 0.5}),
        "check": lambda data, **of: karat.check(data, **grouped(of)).n_rows,
    }
    if role not in ("by", "folds"):
        found["Monitor.add"] = lambda data, **of: karat.Monitor(min={"accuracy": 0.5}).add(
            data, **of
        )
    return found


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("role", VALUES)
def test_values_are_what_their_column_would_be(role: str, table: str) -> None:
    named = {x: COLUMNS[x] for x in ("y_true", "y_pred")}
    if role != "ids":
        named["ids"] = ""
    for verb, call in calls(role).items():
        of_column = call(TABLES[table](FRAME), **{**named, role: COLUMNS[role]})
        rest = FRAME.drop(columns=COLUMNS[role])
        of_values = call(TABLES[table](rest), **{**named, role: VALUES[role]})
        assert numbers(of_values) == numbers(of_column), verb
    if role == "y_true":
        # A control: other values give other numbers.
        other = karat.evaluate(FRAME, y_true=VALUES["y_true"][::-1], y_pred=COLUMNS["y_pred"])
        assert numbers(other) != numbers(karat.evaluate(FRAME, y_true=TRUTH, y_pred=PRED))


@pytest.mark.parametrize("container", CONTAINERS)
def test_values_may_be_in_any_container(container: str) -> None:
    expected = numbers(karat.evaluate(TRUTH, PRED))
    values = CONTAINERS[container](PRED)
    assert numbers(karat.evaluate(FRAME, y_true=COLUMNS["y_true"], y_pred=values)) == expected
    both = karat.evaluate(FRAME, y_true=CONTAINERS[container](TRUTH), y_pred=values)
    assert numbers(both) == expected


def test_one_column_of_a_matrix_is_a_column() -> None:
    truth = {"y_true": TRUTH.reshape(-1, 1), "y_pred": PRED.reshape(-1, 1)}
    assert numbers(karat.evaluate(FRAME, **grouped(truth))) == numbers(karat.evaluate(TRUTH, PRED))
    two = (TRUTH == "cat") * 1
    found = karat.evaluate(FRAME, y_true=two, y_prob=PROB[:, :1])
    assert numbers(found) == numbers(karat.evaluate(two, y_prob=PROB[:, 0]))


@pytest.mark.parametrize("table", TABLES)
def test_scores_stand_beside_a_table(table: str) -> None:
    expected = numbers(karat.evaluate(TRUTH, y_prob=PROB))
    truth = {"y_true": COLUMNS["y_true"]}
    for values in (PROB, PROBS[["c0_eel", "c0_cat", "c0_dog"]], pl.from_pandas(PROBS)):
        found = karat.evaluate(TABLES[table](FRAME), y_prob=values.set_axis(range(50, 50 + N))
            if table == "pandas with an index" and isinstance(values, pd.DataFrame) else values,
            **grouped(truth))  # fmt: skip
        assert numbers(found) == expected
    found = karat.evaluate(TABLES[table](FRAME), y_score=PROB, **grouped(truth), level=None)
    assert numbers(found) == numbers(karat.evaluate(TRUTH, y_score=PROB, level=None))


def test_models_may_be_values_and_columns() -> None:
    frame = pd.DataFrame({"label": TRUTH, "old": PRED})
    other = np.where(np.arange(N) % 9 == 0, "dog", TRUTH)
    expected = karat.compare(TRUTH, {"old": PRED, "new": other})
    for found in (
        karat.compare(frame, y_pred={"old": "old", "new": other}),
        karat.compare(frame, y_pred={"old": PRED, "new": pd.Series(other)}),
        karat.compare(frame, y_pred=pd.DataFrame({"old": PRED, "new": other})),
        karat.compare(frame[["old"]], y_true=TRUTH, y_pred={"old": "old", "new": other}),
    ):
        assert [x.to_dict() for x in found.differences] == [
            x.to_dict() for x in expected.differences
        ]


def test_slices_are_searched_among_values() -> None:
    frame = pd.DataFrame({"label": TRUTH, "pred": PRED, "site": VALUES["by"]})
    expected = karat.find_weak_slices(frame, by="site", interval=karat.Interval(n_replicates=99))
    found = karat.find_weak_slices(
        frame[["label"]],
        y_pred=PRED,
        by={"site": VALUES["by"]},
        interval=karat.Interval(n_replicates=99),
    )
    assert found.to_dict() == expected.to_dict()
    loss = (TRUTH != PRED).astype(float)
    of_loss = karat.find_weak_slices(
        frame[["site"]], loss=loss, interval=karat.Interval(n_replicates=99)
    )
    assert of_loss.slices == expected.slices


def test_sets_of_labels_stand_beside_a_table() -> None:
    cells = RNG.integers(0, 2, (N, 3))
    scores = RNG.random((N, 3))
    frame = pd.DataFrame(cells, columns=["sea", "sky", "sun"])
    expected = karat.evaluate(y_true=frame, y_prob=scores, weights=VALUES["weights"])
    found = karat.evaluate(FRAME, y_true=frame, y_prob=scores, weights=COLUMNS["weights"], ids="")
    assert isinstance(found, karat.MultilabelReport)
    assert found.classes.labels == expected.classes.labels
    assert numbers(found) == numbers(expected)
    of_lists = [["sea"] if row[0] else ["sky", "sun"] for row in cells]
    found = karat.evaluate(FRAME, y_true=of_lists, y_pred=of_lists, ids="", weights="")
    assert numbers(found) == numbers(karat.evaluate(of_lists, of_lists))


def test_folds_of_a_dict_are_columns() -> None:
    folds = {"repeat": np.repeat([0, 1], N // 2), "fold": np.arange(N) % 4}
    ids = np.tile(np.arange(N // 2), 2)
    true = np.tile(TRUTH[: N // 2], 2)
    found = karat.evaluate(FRAME, y_true=true, y_pred=PRED, ids=ids, design=karat.Folds(folds))
    assert str(found.folds) == str(
        karat.evaluate(true, PRED, ids=ids, design=karat.Folds(folds)).folds
    )


SHIFTED = pd.Series(PRED, index=range(1, N + 1))
ROLES = sorted(VALUES)


@pytest.mark.parametrize("role", ROLES)
def test_values_of_other_rows_are_refused(role: str) -> None:
    named = {"y_true": COLUMNS["y_true"], "y_pred": COLUMNS["y_pred"]}
    with pytest.raises(KaratError, match="K102  The table and") as caught:
        karat.evaluate(FRAME, **grouped({**named, role: VALUES[role][:-1]}))
    assert f"{role} has {N - 1}".replace("by", "'by'") in str(caught.value)
    moved = pd.Series(VALUES[role], index=range(1, N + 1))
    with pytest.raises(KaratError, match=f"K454  .*{role}'? has another index") as caught:
        karat.evaluate(FRAME, **grouped({**named, role: moved}))
    assert "begins with [0, 1, 2]" in str(caught.value)
    # The same index in the same order is that of the table.
    same = karat.evaluate(
        FRAME.set_axis(moved.index), **grouped({**named, role: moved, "level": None})
    )
    assert same.n_rows == N


def test_without_its_check_a_moved_index_is_read_by_position(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(beside, "index_of", lambda values: None)
    assert karat.evaluate(FRAME, y_true=COLUMNS["y_true"], y_pred=SHIFTED).n_rows == N


@pytest.mark.parametrize("role", ROLES)
def test_values_beside_files_and_partitions_are_refused(role: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    FRAME.to_parquet(path)
    import duckdb

    relation = duckdb.connect().from_arrow(pa.Table.from_pandas(FRAME))
    sources = {"files": path, "a relation of DuckDB": relation}
    sources["files "] = f"SELECT * FROM '{path}'"
    named = {"y_true": COLUMNS["y_true"], "y_pred": COLUMNS["y_pred"]}
    for where, source in sources.items():
        with pytest.raises(KaratError, match="K421") as caught:
            karat.evaluate(source, **grouped({**named, role: VALUES[role]}))
        assert f"the rows are in {where.strip()}" in str(caught.value)
        assert "read the data into a table in memory" in str(caught.value)


def test_a_list_of_text_names_columns() -> None:
    with pytest.raises(KaratError, match="K158") as caught:
        karat.evaluate(FRAME, y_true=COLUMNS["y_true"], y_pred=list(PRED))
    assert "give values as an array or a Series" in str(caught.value)
    for role in ("weights", "clusters", "ids"):
        with pytest.raises(KaratError, match="K158"):
            karat.evaluate(FRAME, y_true=TRUTH, y_pred=PRED, **grouped({role: ["a"] * N}))


def test_an_indicator_frame_alone_is_data() -> None:
    frame = pd.DataFrame(RNG.integers(0, 2, (N, 3)), columns=["sea", "sky", "sun"])
    scores = RNG.random((N, 3))
    for call in (karat.evaluate, karat.find_weak_slices):
        with pytest.raises(KaratError, match="K406") as caught:
            call(frame, y_prob=scores)
        assert "y_true=table" in str(caught.value)
    truth = karat.evaluate(y_true=frame, y_prob=scores)
    assert truth.classes.labels == ("sea", "sky", "sun")
    # Two without a name are truth and predictions.
    assert karat.evaluate(frame, frame)["subset_accuracy"].value == 1.0
    with pytest.raises(KaratError, match="K128"):
        karat.evaluate(y_true=FRAME)


def test_the_mapping_of_a_report_says_what_is_a_value() -> None:
    report = karat.evaluate(FRAME, y_true=COLUMNS["y_true"], y_pred=PRED, weights="")
    assert report.mapping["y_true"] == COLUMNS["y_true"]
    assert report.mapping["y_pred"] == "y_pred (values)"
    with pytest.raises(KaratError, match="K113  weights"):
        karat.evaluate(FRAME, y_true=TRUTH, y_pred=PRED, weights=-VALUES["weights"])


def test_a_baseline_of_values_is_of_the_same_rows() -> None:
    frame = pd.DataFrame({"label": TRUTH, "pred": PRED})
    expected = karat.gate(TRUTH, TRUTH, baseline=PRED)
    assert numbers(karat.gate(frame, y_pred=TRUTH, baseline=PRED)) == numbers(expected)
    # A table has a column of its own.
    assert numbers(karat.gate(frame, y_pred=TRUTH, baseline=frame)) == numbers(expected)


def test_folds_may_be_a_column_and_their_repeats_values() -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 40)
    predicted = np.where(rng.random(40) < 0.7, truth, 1 - truth)
    rows, fold, repeat = (
        np.tile(np.arange(20), 2),
        np.tile(np.arange(20) % 4, 2),
        np.arange(40) // 20,
    )
    frame = pd.DataFrame({"id": rows, "y_true": truth, "y_pred": predicted, "part": fold})

    def measured(source: Any, design: karat.Folds) -> Any:
        report = karat.evaluate(source, ids="id", design=design)
        return report["accuracy"], report.folds["accuracy"].fold_mean

    whole = frame.assign(again=repeat)
    expected = measured(whole, karat.Folds("part", repeat="again"))
    assert measured(frame, karat.Folds("part", repeat=repeat)) == expected
    assert measured(whole, karat.Folds(fold, repeat="again")) == expected
    # A column of the table may be called as the part is.
    named = frame.rename(columns={"part": "repeat"})
    assert measured(named, karat.Folds("repeat", repeat=repeat)) == expected
    with pytest.raises(KaratError, match="repeat describe different numbers of rows"):
        karat.evaluate(frame, ids="id", design=karat.Folds("part", repeat=repeat[:9]))
