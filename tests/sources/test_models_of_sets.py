"""Comparisons and gates of rows with sets in tables and files: those of the rows in memory."""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import karat as library
from karat.data.pairing import pair_sets
from karat.data.sources.columns import TableRequest
from karat.data.sources.tables.rows import read_rows
from karat.data.table_sets import TableSets
from karat.errors import KaratError
from tests.cli.running import Karat

LABELS = list("abcd")
N = 90
RNG = np.random.default_rng(11)
TRUE = [[x for x in LABELS if RNG.random() < 0.4] for _ in range(N)]
OLD, NEW = (
    [[x for x in LABELS if (x in row) != (RNG.random() < odds)] for row in TRUE]
    for odds in (0.3, 0.1)
)
WEIGHTS = RNG.integers(1, 4, N).astype(float)
USERS = np.arange(N) // 2
ORDER = RNG.permutation(N)
SPLIT = ("--separator", "|")


def rows(pred: list[list[str]], kind: str = "lists", *, name: str = "pred") -> dict[str, Any]:
    beside = {"id": [f"r{i}" for i in range(N)], "sample_weight": WEIGHTS, "user": USERS}
    if kind == "wide":
        cells = {f"true_{x}": [int(x in row) for row in TRUE] for x in LABELS}
        cells |= {f"{name}_{x}": [int(x in row) for row in pred] for x in LABELS}
        return {**cells, **beside}
    sides = {"true": TRUE, name: pred}
    if kind == "text":
        return {**{side: ["|".join(row) for row in own] for side, own in sides.items()}, **beside}
    return {**sides, **beside}


def shuffled(table: dict[str, Any]) -> dict[str, Any]:
    return {name: [values[i] for i in ORDER] for name, values in table.items()}


@pytest.fixture
def karat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Karat:
    """The command, beside files of two models; the rows of the new one are in another order."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, pred in (("old", OLD), ("new", NEW)):
        change = shuffled if name == "new" else dict
        pq.write_table(pa.table(change(rows(pred))), f"{name}.parquet")
        pd.DataFrame(change(rows(pred))).to_json(f"{name}.jsonl", orient="records", lines=True)
        pd.DataFrame(change(rows(pred, "text"))).to_csv(f"{name}.csv", index=False)
        pd.DataFrame(change(rows(pred, "wide"))).to_csv(f"{name}_wide.csv", index=False)
    both = {**rows(OLD, "text", name="old"), "new": rows(NEW, "text")["pred"]}
    pd.DataFrame(both).to_csv("both.csv", index=False)
    both = {**rows(OLD, "wide", name="old"), **rows(NEW, "wide", name="new")}
    pd.DataFrame(both).to_csv("both_wide.csv", index=False)
    return Karat(capsys)


def compared(karat: Karat, *given: str) -> dict[str, Any]:
    ran = karat("compare", *given, "--format", "json")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


@pytest.mark.parametrize("beside", ["sample_weight", "user", "plain"])
def test_files_of_models_are_compared_as_rows_in_memory(karat: Karat, beside: str) -> None:
    given: dict[str, Any] = {
        "sample_weight": {"weights": WEIGHTS},
        "user": {"clusters": USERS},
    }.get(beside, {})
    options = {
        "sample_weight": ["--weights", "sample_weight"],
        "user": ["--weights", "", "--clusters", "user"],
    }
    added = options.get(beside, ["--weights", ""])
    metrics = ["subset_accuracy", "micro_f1", "samples_f1"]
    known = library.compare(TRUE, {"old": OLD, "new": NEW}, metrics=metrics, **given)
    for files in (
        ("old.parquet", "new.parquet"),
        ("old.jsonl", "new.jsonl"),
        ("old.csv", "new.csv", *SPLIT),
        ("old.parquet", "new.csv", *SPLIT),
        ("old_wide.csv", "new_wide.csv", "--true", "true_*", "--pred", "pred_*"),
    ):
        found = compared(karat, *files, *added, "--metrics", ",".join(metrics))
        wanted = json.loads(known.to_json().replace("_wide", ""))
        told = json.loads(json.dumps(found).replace("old_wide", "old").replace("new_wide", "new"))
        for part in ("models", "metrics", "values", "differences", "n"):
            assert told.get(part) == wanted.get(part), (files, part)
    # The control: other weights are another comparison.
    other = library.compare(TRUE, {"old": OLD, "new": NEW}, weights=WEIGHTS[::-1], metrics=metrics)
    assert json.loads(other.to_json())["differences"] != wanted["differences"]


def test_every_form_of_a_comparison_and_its_flips(karat: Karat) -> None:
    given = ("old.csv", "new.csv", *SPLIT, "--metrics", "samples_f1")
    assert "Rows were matched by their ids." in karat("compare", *given).err
    assert karat("compare", *given, "-o", "page.html").code == 0
    assert "samples_f1" in Path("page.html").read_text()
    assert karat("compare", *given, "--flips", "flips.csv").code == 0
    with Path("flips.csv").open() as file:
        first = next(csv.DictReader(file))
    place = int(first["id"][1:])
    assert first["true"] == "|".join(TRUE[place])
    assert {first["said_a"], first["said_b"]} == {"|".join(OLD[place]), "|".join(NEW[place])}


def test_strata_of_labels_are_shown(karat: Karat) -> None:
    given = ("old.csv", "new.csv", *SPLIT, "--metrics", "micro_f1", "--weights", "")
    strata = ("--label-strata", "head=a,b", "--label-strata", "tail=d")
    known = library.compare(
        TRUE, {"old": OLD, "new": NEW}, metrics="micro_f1", label_strata={"head": ["a", "b"]}
    ).strata["head"]["micro_f1"]
    found = compared(karat, *given, *strata)["strata"]
    assert set(found) == {"head", "tail"}
    # The files are matched by ids, in the order of the first.
    assert found["head"]["differences"][0]["difference"] == pytest.approx(known.difference)
    shown = karat("compare", *given, *strata).out
    assert "new against old  in head (2 labels)  1 better" in shown
    assert "in tail (1 label)" in shown
    assert karat("compare", *given, *strata, "-o", "page.html").code == 0
    assert "in tail (1 label)" in Path("page.html").read_text()
    for wrong, told in (("tail=z", "'z'"), ("tail", "tail=lynx,owl"), ("=a", "tail=lynx,owl")):
        ran = karat("compare", *given, "--label-strata", wrong)
        assert (ran.code, told in ran.err) == (2, True)
    numbers = {"true": ["1|2", "2", "1"] * 9, "pred": ["1", "2", "2"] * 9}
    pd.DataFrame(numbers).to_csv("one.csv", index=False)
    found = compared(karat, "one.csv", "one.csv", *SPLIT, "--label-strata", "few=2")
    assert list(found["strata"]) == ["few"]
    one = pd.DataFrame({"true": ["a", "b"] * 9, "pred": ["a", "a", "b"] * 6})
    one.to_csv("one.csv", index=False)
    ran = karat("compare", "one.csv", "one.csv", "--label-strata", "few=a")
    assert (ran.code, "K221" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "given",
    [
        ("both.csv", "--pred", "old,new", *SPLIT),
        ("both_wide.csv", "--pred", "old_*,new_*"),
        ("both_wide.csv", "--pred", "old_*,new_*", "--true", "true_*"),
    ],
)
def test_models_of_one_file_are_queries(karat: Karat, given: tuple[str, ...]) -> None:
    told = karat("compare", *given).err
    call = re.search(r"query: karat compare (.*)", told)
    assert call is not None
    found = compared(karat, *shlex.split(call[1]), "--weights", "", "--metrics", "micro_f1")
    known = library.compare(TRUE, {"old": OLD, "new": NEW}, metrics="micro_f1")["micro_f1"]
    assert found["differences"][0]["difference"] == known.difference
    in_python = re.search(r"karat\.compare\(table.*\)", told)
    if in_python is not None:
        table = pd.read_csv(given[0], keep_default_na=False)
        table["TRUTH"] = table["true"]
        read = eval(in_python[0], {"karat": library, "table": table})  # noqa: S307
        assert read["micro_f1"].difference == known.difference


def test_columns_of_every_table_are_compared() -> None:
    known = library.compare(TRUE, {"old": OLD, "new": NEW}, label_strata={"tail": ["c", "d"]})
    texts = {**rows(OLD, "text", name="old"), "new": rows(NEW, "text")["pred"]}
    for table, split in (
        (pd.DataFrame({"true": TRUE, "old": OLD, "new": NEW}), None),
        (pl.DataFrame({"true": TRUE, "old": OLD, "new": NEW}), None),
        (pd.DataFrame(texts), "|"),
    ):
        found = library.compare(
            table["true"],
            table[["old", "new"]],
            label_strata={"tail": ["c", "d"]},
            labels=library.Labels(separator=split),
        )
        assert found["macro_f1"] == known["macro_f1"]
        assert found.strata["tail"]["micro_f1"] == known.strata["tail"]["micro_f1"]
    with pytest.raises(KaratError, match="separator"):
        library.compare(TRUE, {"old": OLD, "new": NEW}, labels=library.Labels(separator="|"))


def outcome(result: Any) -> list[Any]:
    return [(x.rule, x.verdict, x.value, x.low, x.high, x.difference, x.p) for x in result.rules]


def assert_near(found: Any, known: Any) -> None:
    """The same rules with the same numbers; rows of files may be added up in another order."""
    for one, other in zip(outcome(found), outcome(known), strict=True):
        assert one[:2] == other[:2]
        for number, wanted in zip(one[2:], other[2:], strict=True):
            assert number == (wanted if wanted is None else pytest.approx(wanted, rel=1e-11))


def test_gates_of_tables_are_those_of_memory(karat: Karat) -> None:
    del karat
    rules: dict[str, Any] = {"min": {"micro_f1": 0.5}, "max_drop": {"macro_f1": 0.01}}
    known = library.gate(TRUE, NEW, baseline=OLD, weights=WEIGHTS, **rules)
    for table, baseline, given in (
        (rows(NEW), rows(OLD), {}),
        (pl.DataFrame(rows(NEW)), "old.parquet", {}),
        (pa.table(rows(NEW)), pd.DataFrame(rows(OLD)), {}),
        ("new.parquet", "old.parquet", {}),
        ("new.jsonl", "old.csv", {"labels": library.Labels(separator="|")}),
        ("new_wide.csv", "old_wide.csv", {}),
        ("new_wide.csv", "old_wide.csv", {"y_true": "true_*", "y_pred": "pred_*"}),
    ):
        found = library.gate(table, baseline=baseline, weights="sample_weight", **rules, **given)
        assert_near(found, known)
        assert found.is_paired
        assert found.mapping is not None
    apart = library.gate(rows(NEW), baseline=library.evaluate(TRUE, OLD), weights="", **rules)
    assert not apart.is_paired
    memory = library.gate(TRUE, NEW, baseline=library.evaluate(TRUE, OLD), **rules)
    assert outcome(apart) == outcome(memory)
    clustered = library.gate("new.parquet", weights="", clusters="user", min={"macro_f1": 0.5})
    memory = library.gate(TRUE, NEW, clusters=USERS, min={"macro_f1": 0.5})
    assert_near(clustered, memory)
    texts = library.gate(
        rows(NEW, "text")["true"],
        rows(NEW, "text")["pred"],
        baseline=rows(OLD, "text")["pred"],
        labels=library.Labels(separator="|"),
        weights=WEIGHTS,
        **rules,
    )
    assert outcome(texts) == outcome(known)


def test_scores_of_tables_decide_in_a_gate(tmp_path: Path) -> None:
    prob = np.where([[x in row for x in LABELS] for row in NEW], 0.8, 0.3)
    table = {"true": TRUE, **{f"proba_{x}": prob[:, i] for i, x in enumerate(LABELS)}}
    pq.write_table(pa.table(table), tmp_path / "scores.parquet")
    rule: dict[str, Any] = {"min": {"micro_f1": 0.5, "macro_roc_auc": 0.5}}
    known = library.gate(TRUE, y_prob=prob, labels=LABELS, **rule)
    for source in (table, tmp_path / "scores.parquet"):
        assert outcome(library.gate(source, **rule)) == outcome(known)
        assert outcome(library.gate(source, threshold=0.9, min={"micro_recall": 0.5})) == outcome(
            library.gate(TRUE, y_prob=prob, labels=LABELS, threshold=0.9, min={"micro_recall": 0.5})
        )


def test_baselines_on_the_command_line(karat: Karat) -> None:
    assert karat("gate", "old.csv", *SPLIT, "--update-baseline", "base.json").code == 0
    assert json.loads(Path("base.json").read_text())["schema"] == "karat.multilabel/2"
    passed = karat("gate", "new.csv", *SPLIT, "--baseline", "base.json", "--min", "micro_f1=0.5")
    assert (passed.code, "unpaired" in passed.out) == (0, True)
    assert karat("gate", "old.csv", *SPLIT, "--baseline", "new.csv").code == 1
    unsure = ("--no-worse-than", "micro_f1=0.001", "--baseline", "base.json")
    assert karat("gate", "old.csv", *SPLIT, *unsure).code == 3
    wrote = karat(
        *("gate", "new.csv", *SPLIT, "--baseline", "base.json", "--update-baseline", "base.json"),
        *("--junit", "junit.xml", "--markdown", "gate.md", "--format", "json"),
    )
    assert (wrote.code, json.loads(wrote.out)["updated_baseline"]) == (0, "base.json")
    assert karat("gate", "old.csv", *SPLIT, "--baseline", "base.json").code == 1


def test_rows_that_are_left_out_and_truths_that_differ(tmp_path: Path) -> None:
    lacking = {**rows(OLD), "pred": [None, *OLD[1:]]}
    short = {name: values[:-1] for name, values in rows(NEW).items()}
    other = {**rows(OLD), "true": [["a", "b", "c", "d"], *TRUE[1:-1], None]}
    wide = {**rows(OLD, "wide"), "true_a": [None, *(int("a" in row) for row in TRUE[1:])]}
    paths = {}
    for name, table in (("lacking", lacking), ("other", other)):
        paths[name] = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table(table), paths[name])
    for baseline in (lacking, paths["lacking"]):
        gate: dict[str, Any] = {"max_drop": {"micro_f1": 0.5}, "weights": ""}
        with pytest.raises(KaratError, match="K104"):
            library.gate(rows(NEW), baseline=baseline, **gate)
        with pytest.raises(KaratError, match="K172"):
            library.gate(
                rows(NEW), baseline=baseline, reading=library.Reading(nulls="drop"), **gate
            )
        gate |= {
            "reading": library.Reading(nulls="drop"),
            "rules": library.Rules(allow_mismatch=True),
        }
        found = library.gate(rows(NEW), baseline=baseline, **gate)
        assert found.rules[0].difference == pytest.approx(
            library.compare(TRUE[1:], {"old": OLD[1:], "new": NEW[1:]})["micro_f1"].difference
        )
        # By their places where there are no ids.
        by_order = library.gate(rows(NEW), baseline=baseline, ids="", **gate)
        assert by_order.rules[0].difference == pytest.approx(found.rules[0].difference)
        assert any("order" in note for note in by_order.notes)
    gate = {"max_drop": {"micro_f1": 0.5}}
    with pytest.raises(KaratError, match=r"K175.*\n.*90.*89"):
        library.gate(rows(NEW), baseline=short, ids="", **gate)
    for baseline in (other, paths["other"]):
        told = r"K173.*\n.*2 of 90 rows.*'r0'.*\['a', 'b', 'c', 'd'\]"
        with pytest.raises(KaratError, match=told):
            library.gate(rows(NEW), baseline=baseline, **gate)
    with pytest.raises(KaratError, match="K173"):
        library.gate(rows(NEW, "wide"), baseline=wide, **gate)
    doubled = {**rows(NEW), "id": ["r0", *rows(NEW)["id"][:-1]]}
    with pytest.raises(KaratError, match="K171"):
        library.gate(doubled, baseline=rows(OLD), **gate)


def test_pairs_by_id_have_one_order_one_axis_and_common_weights() -> None:
    one = {"id": [1, 2], "true": [["a"], ["b"]], "pred": [["a"], ["z"]], "user": ["x", "y"]}
    two = {"id": [2, 1], "true": [["b"], ["a"]], "pred": [["q"], []], "sample_weight": [2.0, 3.0]}
    columns = {"clusters": "user"}
    read = [
        read_rows(table, name, TableRequest(**given))
        for table, name, given in ((one, "one", columns), (two, "two", {}))
    ]
    tables = [each for each in read if isinstance(each, TableSets)]
    found = pair_sets(tables)
    first, second = found.models
    assert first.classes.labels == second.classes.labels == ("a", "b", "q", "z")
    assert [each.weights.tolist() for each in (first, second) if each.weights is not None] == [
        [3.0, 2.0],
        [3.0, 2.0],
    ]
    assert second.truth_at(0) == ["a"]
    assert second.rows.clusters is not None
    assert not first.differs(second).any()
    assert len(found.notes) == 1


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        (("compare", "old.csv", "one.csv", *SPLIT[:0]), "K104", "missing"),
        (("compare", "old.parquet", "one.csv"), "K221", "one has one class a row"),
        (("gate", "one.csv", "--baseline", "old.parquet"), "K221", "old.parquet sets"),
        (("gate", "old.parquet", "--baseline", "one.csv"), "K221", "one.csv has one class"),
        (("gate", "one.csv", "--baseline", "base.json"), "K221", "base.json sets"),
        (
            ("gate", "old.parquet", "--baseline", "one.json"),
            "K176",
            "not a report of rows with sets",
        ),
        (("gate", "old.parquet", "--by", "user", "--min", "micro_f1=0.1"), "K222", "--by"),
        (("gate", "old.parquet", "--min", "f1=0.1"), "K220", "one label"),
        (("gate", "old.parquet"), "K176", "no rule"),
        (
            ("compare", "old.parquet", "new.parquet", "--metrics", "roc_auc_ovr_macro"),
            "K166",
            "scores",
        ),
        (("compare", "old.parquet", "new.parquet", "--positive", "a"), "K222", "--positive"),
        (("compare", "old.parquet", "new.parquet", "--labels", "a,b"), "K109", "--labels"),
        (("compare", "old.parquet", "new.parquet", "--clusters", "none"), "K404", "'none'"),
        (("compare", "old.csv", "new.csv", "--separator", ""), "K227", "separator"),
    ],
)
def test_what_is_refused_names_what_to_do(
    karat: Karat, given: tuple[str, ...], code: str, told: str
) -> None:
    one = pd.DataFrame({"true": ["a", "b"] * 45, "pred": ["a", "a", "b"] * 30})
    one.to_csv("one.csv", index=False)
    Path("one.json").write_text(library.evaluate(one).to_json())
    Path("base.json").write_text(library.evaluate(TRUE, OLD).to_json())
    ran = karat(*given)
    assert ran.code == 2
    assert code in ran.err
    assert told in ran.err
