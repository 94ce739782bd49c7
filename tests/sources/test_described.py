"""`karat.read`: what it describes is what the same arguments of each verb say."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karat
from karat.api.request.request import options_of
from karat.errors import KaratError
from karat.errors.options import option
from tests.grouping import grouped
from tests.optional import optional

RNG = np.random.default_rng(3)
N = 120
TRUTH = RNG.choice(["cat", "dog"], N)
FRAME = pd.DataFrame(
    {
        "id": np.arange(N),
        "label": TRUTH,
        "p_cat": (p := RNG.random(N)),
        "p_dog": 1 - p,
        "guess": np.where(RNG.random(N) < 0.8, TRUTH, "cat"),
        "mass": RNG.integers(1, 4, N),
        "team": RNG.integers(0, 40, N),
        "site": RNG.choice(["no", "se"], N),
        "part": np.arange(N) % 4,
    }
)
OLD = FRAME.assign(guess=np.where(RNG.random(N) < 0.7, TRUTH, "dog"))
ROLES: dict[str, Any] = {
    "y_true": "label",
    "y_pred": "guess",
    "y_prob": "p_*",
    "y_score": ["p_cat", "p_dog"],
    "weights": "mass",
    "clusters": "team",
    "by": "site",
    "ids": "id",
    "folds": "part",
    "labels": ["dog", "cat"],
    "positive": "dog",
    "threshold": 0.4,
    "nulls": "drop",
}
BASE = {"y_true": "label", "y_pred": "guess", "positive": "cat"}
BOUND = {"accuracy": 0.5}
SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: FRAME,
    "polars": lambda _: pl.from_pandas(FRAME),
    "arrow": lambda _: pa.Table.from_pandas(FRAME),
    "dict": lambda _: {name: FRAME[name].to_numpy() for name in FRAME},
    "parquet": lambda folder: _written("to_parquet", folder / "rows.parquet"),
    "csv": lambda folder: _written("to_csv", folder / "rows.csv", index=False),
    "sql": lambda folder: f"SELECT * FROM '{_written('to_parquet', folder / 'r.parquet')}'",
}


def _written(how: str, path: Path, **options: Any) -> Path:
    getattr(FRAME, how)(path, **options)
    return path


def _streamed(data: Any, **roles: Any) -> karat.Report:
    stream = karat.Stream(positive="cat")
    stream.update(data, **grouped(roles))
    return stream.report()


VERBS: dict[str, Callable[..., Any]] = {
    "evaluate": lambda data, **of: karat.evaluate(data, **grouped(of)),
    "check": lambda data, **of: karat.check(data, **grouped(of)),
    "gate": lambda data, **of: karat.gate(data, **grouped(of), min=BOUND),
    "find_weak_slices": lambda data, **of: karat.find_weak_slices(
        data, **grouped({"interval": karat.Interval(n_replicates=99), **of}, ("min_n",))
    ),
    "Monitor.add": lambda data, **of: karat.Monitor(min=BOUND, positive="cat").add(
        data, **grouped(of)
    ),
    "Stream.update": _streamed,
}


def given(verb: str, name: str) -> dict[str, Any]:
    """The arguments of a call of a verb with one role or option of data."""
    takes = {item.name for item in options_of(verb)}
    named = {x: value for x, value in BASE.items() if x in takes}
    if name in ("y_prob", "y_score", "threshold"):
        del named["y_pred"]
        named["y_pred"] = ""
    if name == "threshold":
        named["y_prob"] = "p_*"
    return {**named, name: ROLES[name]}


@pytest.mark.parametrize("name", ROLES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_role_of_the_data_is_that_of_the_verb(verb: str, name: str) -> None:
    options = given(verb, name)
    if name not in {item.name for item in options_of(verb)}:
        data = karat.read(FRAME, **grouped(options))
        if name in ("by", "ids"):
            # They change no number.
            del options[name]
            assert str(VERBS[verb](data)) == str(VERBS[verb](FRAME, **options))
            return
        with pytest.raises(KaratError, match="K455  " + re.escape(option(name))):
            VERBS[verb](data)
        return
    expected = str(VERBS[verb](FRAME, **options))
    assert str(VERBS[verb](karat.read(FRAME, **grouped(options)))) == expected
    # What the data do not hold may be given to the verb.
    rest = {x: value for x, value in options.items() if x != name}
    data = karat.read(FRAME, **grouped(rest))
    assert str(VERBS[verb](data, **{name: ROLES[name]})) == expected
    spelled = option(name)
    with pytest.raises(KaratError, match=f"K156  {re.escape(spelled)} is given twice") as caught:
        VERBS[verb](karat.read(FRAME, **grouped(options)), **{name: ROLES[name]})
    assert f"karat.{verb} was given {spelled}, and so was karat.read" in str(caught.value)


def test_a_role_that_is_left_out_changes_the_result() -> None:
    """A control: what the pairs above compare depends on the roles."""
    data = karat.read(FRAME, **grouped(BASE))
    weighted = karat.read(FRAME, **grouped(BASE), weights="mass")
    assert str(karat.evaluate(weighted)) != str(karat.evaluate(data))


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_is_described_by_its_schema(kind: str, tmp_path: Path) -> None:
    source = SOURCES[kind](tmp_path)
    roles = {"y_true": "label", "y_prob": "p_*", "ids": "id", "by": ["site"]}
    data = karat.read(source, **grouped(roles), positive="cat")
    columns = {"y_true": "label", "y_prob": ("p_cat", "p_dog"), "ids": "id", "by": "site"}
    assert {x: data.columns[x] for x in columns} == columns
    expected = karat.evaluate(source, **grouped(roles), positive="cat")
    assert karat.evaluate(data).to_dict() == expected.to_dict()
    assert list(karat.evaluate(data).slices) == list(expected.slices)
    again = copy.deepcopy(data) if kind == "dict" else pickle.loads(pickle.dumps(data))
    assert again == data
    assert hash(again) == hash(data)
    assert karat.read(source, **grouped(roles)) != data
    assert karat.evaluate(again)["accuracy"].value == expected["accuracy"].value
    with pytest.raises(KaratError, match="K404  There is no column 'lable'"):
        karat.read(source, y_true="lable")
    with pytest.raises(KaratError, match="K404  There is no column 'q_"):
        karat.read(source, y_prob="q_*")


def test_no_rows_are_read(tmp_path: Path) -> None:
    class Column:
        dtype = np.dtype("int64")

        def __getitem__(self, _: Any) -> Any:
            raise AssertionError("a value was read")

        __array__ = __len__ = __iter__ = __getitem__

    data = karat.read({"label": Column(), "pred": Column()}, y_true="label")
    assert data.columns == {"y_true": "label", "y_pred": "pred"}
    # A query runs when the data are read, not when they are described.
    query = "SELECT 1 AS label, error('read') AS pred"
    assert karat.read(query, y_true="label").columns["y_pred"] == "pred"
    with pytest.raises(KaratError, match="read"):
        karat.evaluate(karat.read(query, y_true="label"))
    lazy = pl.from_pandas(FRAME).lazy().map_batches(_refuse, schema=pl.from_pandas(FRAME).schema)
    assert karat.read(lazy, y_true="label", y_pred="guess").columns["y_true"] == "label"


def _refuse(_: Any) -> Any:
    raise AssertionError("rows were read")


def test_the_representation_is_the_call(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    FRAME.to_parquet(path)
    data = karat.read(str(path), y_true="label", y_prob="p_*", labels=["cat", "dog"])
    assert eval(repr(data), {"karat": karat}) == data  # noqa: S307
    assert repr(karat.read(FRAME, y_true="label")) == "karat.read(<DataFrame>, y_true='label')"
    other = tmp_path / "other.parquet"
    FRAME.to_parquet(other)
    several = karat.read([path, other], y_true="label")
    assert eval(repr(several), {"karat": karat}).columns == several.columns  # noqa: S307
    with pytest.raises(AttributeError):
        data.source = "other"
    assert isinstance(data, karat.Data)


def test_tables_are_compared_by_their_content() -> None:
    data = karat.read(FRAME, y_true="label", weights=FRAME["mass"])
    assert karat.read(FRAME.copy(), y_true="label", weights=FRAME["mass"].copy()) == data
    assert karat.read(FRAME.assign(id=0), y_true="label", weights=FRAME["mass"]) != data
    assert karat.read(FRAME, y_true="label", weights=FRAME["mass"] + 1) != data
    assert data != "data"


def test_models_are_described_one_by_one() -> None:
    new, old = (
        karat.read(rows, **grouped(BASE)) for rows in (FRAME, OLD.sample(frac=1, random_state=1))
    )
    expected = karat.compare(TRUTH, {"new": FRAME["guess"], "old": OLD["guess"]}, positive="cat")
    found = karat.compare({"new": new, "old": old})
    assert [x.to_dict() for x in found.differences] == [x.to_dict() for x in expected.differences]
    other = OLD.rename(columns={"label": "reference", "guess": "answer"})
    named = karat.read(other, y_true="reference", y_pred="answer", positive="cat")
    mixed = karat.compare({"new": new, "old": named})
    assert [x.to_dict() for x in mixed.differences] == [x.to_dict() for x in found.differences]
    with pytest.raises(KaratError, match="K156  y_true="):
        karat.compare({"new": new, "old": named}, y_true="label")
    # A table beside data that are described.
    half = karat.compare({"new": new, "old": OLD[["id", "label", "p_cat", "p_dog"]]}, ids="id")
    assert half.is_paired


def test_models_of_one_table_are_described_together() -> None:
    both = FRAME.assign(old=OLD["guess"])
    models = {"new": "guess", "old": "old"}
    data = karat.read(both, y_true="label", y_pred=models)
    assert data.columns["y_pred"] == ("guess", "old")
    expected = karat.compare(both, y_true="label", y_pred=models)
    assert str(karat.compare(data)) == str(expected)
    with pytest.raises(KaratError, match="K404"):
        karat.read(both, y_pred={"a": "guess", "b": "gues"})


@pytest.mark.parametrize("is_values", [False, True])
def test_a_baseline_is_described_too(is_values: bool) -> None:
    now, before = karat.read(FRAME, **grouped(BASE)), karat.read(OLD, **grouped(BASE))
    expected = karat.gate(FRAME, **grouped(BASE), baseline=OLD)
    other = OLD.rename(columns={"guess": "answer", "label": "reference"})
    named = karat.read(other, y_true="reference", y_pred="answer")
    if is_values:
        named = karat.read(other[["id"]], y_true=OLD["label"], y_pred=OLD["guess"])
    for found in (
        karat.gate(now, baseline=before),
        karat.gate(FRAME, **grouped(BASE), baseline=before),
        karat.gate(now, baseline=named),
    ):
        assert [str(x) for x in found.rules] == [str(x) for x in expected.rules]
        assert found.is_paired
    monitor = karat.Monitor(max_drop={"accuracy": 0.5}, positive="cat")
    held = {"y_true": "label", "y_pred": "guess"}
    result = monitor.add(karat.read(FRAME, **grouped(held)), baseline=named)
    assert result.n == N
    arrays = karat.gate(TRUTH, FRAME["guess"], positive="cat", baseline=named)
    assert [str(x) for x in arrays.rules] == [str(x) for x in expected.rules]


def test_what_is_no_data_is_refused(tmp_path: Path) -> None:
    for value in (None, [1, 2, 3], np.eye(3), karat.evaluate([0, 1], [0, 1])):
        with pytest.raises(KaratError, match="K412"):
            karat.read(value)
    with pytest.raises(KaratError, match="K401"):
        karat.read(tmp_path / "rows.parquet")
    with pytest.raises(KaratError, match="K456"):
        karat.read("-")
    with pytest.raises(KaratError, match="K122  nulls"):
        karat.read(FRAME, reading=karat.Reading(nulls="skip"))
    with pytest.raises(KaratError, match="K126"):
        karat.read(FRAME, metrics="f1")
    with pytest.raises(KaratError, match="K157"):
        karat.evaluate(karat.read(FRAME, y_true="label", y_pred="label"))


def test_data_are_described_again_with_more() -> None:
    data = karat.read(karat.read(FRAME, y_true="label"), y_pred="guess")
    assert data == karat.read(FRAME, y_true="label", y_pred="guess")
    with pytest.raises(KaratError, match="K156"):
        karat.read(data, y_pred="guess")


def test_partitions_are_described(tmp_path: Path) -> None:
    dask = optional("dask.dataframe")
    table = dask.from_pandas(FRAME, npartitions=3)
    data = karat.read(table, y_true="label", y_pred="guess", positive="cat")
    expected = karat.evaluate(FRAME, y_true="label", y_pred="guess", positive="cat")
    assert karat.evaluate(data)["accuracy"].value == expected["accuracy"].value


# The examples of the specification, section 1.
def test_the_vocabulary_of_roles(tmp_path: Path) -> None:
    y_true, y_pred = FRAME["label"], FRAME["guess"]
    prob = FRAME[["p_cat", "p_dog"]].to_numpy()
    assert karat.evaluate(y_true, y_pred).n_rows == N
    assert karat.evaluate(y_true, y_prob=prob).scores == "probabilities"
    assert karat.evaluate(y_true == "dog", y_prob=prob[:, 1]).scores == "probabilities"
    report = karat.evaluate(
        FRAME, y_true="label", y_prob="p_*", weights="mass", clusters="team", by=["site"]
    )
    assert report.mapping["weights"] == "mass"
    for part in range(2):
        FRAME[part::2].to_parquet(tmp_path / f"{part}.parquet")
    pattern = str(tmp_path / "*.parquet")
    assert karat.evaluate(pattern, y_pred="guess").n_rows == N
    data = karat.read(pattern, y_true="label", y_prob="p_*", ids="id")
    assert karat.evaluate(data).n_rows == N
    assert karat.gate(data, baseline=OLD.drop(columns="guess"), positive="cat").is_paired
    assert (
        karat.find_weak_slices(data, interval=karat.Interval(n_replicates=99)).n_permutations == 99
    )
    assert karat.check(data).n_rows == N
    assert karat.Monitor(min=BOUND, positive="cat").add(data).n == N
    frame = FRAME.assign(pred_lr=FRAME["guess"], pred_nb=OLD["guess"])
    one = karat.compare(frame, y_true="label", y_pred={"lr": "pred_lr", "nb": "pred_nb"})
    lr, nb = (karat.read(rows, y_true="label", y_pred="guess") for rows in (FRAME, OLD))
    two = karat.compare({"lr": lr, "nb": nb})
    assert [x.to_dict() for x in one.differences] == [x.to_dict() for x in two.differences]


def test_text_with_a_separator_is_described() -> None:
    rows = pd.DataFrame({"label": ["a|b", "b", "a"], "pred": ["a", "b", "a|b"]})
    found = karat.evaluate(karat.read(rows, labels=karat.Labels(separator="|")))
    assert isinstance(found, karat.MultilabelReport)
    assert str(found) == str(karat.evaluate(rows, labels=karat.Labels(separator="|")))
    with pytest.raises(KaratError, match=r"K455  karat\.Labels\(separator=\)"):
        karat.Stream().update(karat.read(rows, labels=karat.Labels(separator="|")))


def test_a_pattern_of_scores_names_the_columns_that_evaluate_reads() -> None:
    rows = {"label": [0, 1, 1], "pred": [0, 1, 0], "p_0": [0.9, 0.2, 0.6], "p_1": [0.1, 0.8, 0.4]}
    for pattern in ("p*", "p_?"):
        data = karat.read(rows, y_true="label", y_prob=pattern)
        assert data.columns["y_prob"] == ("p_0", "p_1")
        evaluated = karat.evaluate(rows, y_true="label", y_prob=pattern)
        assert karat.evaluate(data)["log_loss"].value == evaluated["log_loss"].value
