"""The rows behind a number: ids, kept rows, `Report.rows`, wrong rows, flips, and error files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.commands import _ran
from tests.corpus.files import written
from tests.corpus.more_rows import sets, three_classes, topics, two_classes
from tests.corpus.source_cells import Batches
from tests.grouping import grouped

TWO, THREE, SETS = two_classes(80, 71), three_classes(80, 73), topics(80, 75)
TRUTHS: dict[str, Any] = {
    "two classes": TWO["label"],
    "classes": THREE["label"],
    "probabilities": TWO["label"],
    "scores": TWO["label"],
    "probabilities of classes": THREE["label"],
}
OUTPUTS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": TWO["pred"], "metrics": ["accuracy"]},
    "classes": {"y_pred": THREE["pred"], "metrics": ["accuracy"]},
    "probabilities": {"y_prob": TWO["prob"], "metrics": ["accuracy"]},
    "scores": {"y_score": TWO["z"], "threshold": 1.0, "metrics": ["accuracy"]},
    "probabilities of classes": {"y_prob": THREE["prob"], "metrics": ["accuracy"]},
}
KEPT: dict[str, dict[str, Any]] = {
    "ids": {"ids": TWO["id"]},
    "ids of a list": {"ids": list(range(100, 180))},
    "ids of text": {"ids": [f"row {i}" for i in range(80)], "reading": karat.Reading(keep_rows=2)},
    "keep_rows": {"reading": karat.Reading(keep_rows=4)},
    "no rows": {"reading": karat.Reading(keep_rows=0)},
    "by": {"ids": TWO["id"], "by": {"country": TWO["country"]}},
    "by a cross": {
        "reading": karat.Reading(keep_rows=3),
        "by": {("country", "sex"): (TWO["country"], TWO["sex"])},
    },
    "by numbers": {"reading": karat.Reading(keep_rows=3), "by": {"age": TWO["age"]}},
    "weights": {"reading": karat.Reading(keep_rows=3), "weights": TWO["mass"]},
    "clusters": {"ids": TWO["id"], "clusters": TWO["team"]},
    "no level": {"reading": karat.Reading(keep_rows=3), "level": None},
    "class names": {
        "reading": karat.Reading(keep_rows=3),
        "labels": karat.Labels(names={0: "no", 1: "yes"}),
    },
    "repeated ids": {"ids": TWO["fold"]},
    "ids of one value": {"ids": ["same"] * 80},
    "null ids": {"ids": [None, *range(79)]},
    "short ids": {"ids": [1, 2, 3]},
    "a single id": {"ids": "id"},
    "float ids": {"ids": TWO["age"]},
    "negative keep_rows": {"reading": karat.Reading(keep_rows=-1)},
    "keep_rows of half": {"reading": karat.Reading(keep_rows=2.5)},
    "too many": {"reading": karat.Reading(keep_rows=10**9)},
}
LISTS: dict[str, Callable[[Any], Any]] = {
    "wrong": lambda report: report.rows(wrong=True),
    "all": lambda report: report.rows(),
    "limit": lambda report: report.rows(limit=2),
    "limit beyond": lambda report: report.rows(limit=500),
    "limit of none": lambda report: report.rows(limit=0),
    "true": lambda report: report.rows(true=report.classes.labels[0]),
    "pred": lambda report: report.rows(pred=report.classes.labels[1]),
    "cell": lambda report: report.rows(report.classes.labels[0], report.classes.labels[1]),
    "unknown class": lambda report: report.rows(true="no such class"),
    "slice": lambda report: report.rows(by={"country": "NO"}),
    "wrong in a slice": lambda report: report.rows(by={"country": "SE"}, wrong=True),
    "cross": lambda report: report.rows(by={"country": "NO", "sex": "f"}),
    "unknown slice": lambda report: report.rows(by={"country": "XX"}),
    "unknown column": lambda report: report.rows(by={"town": "NO"}),
    "bin": lambda report: report.rows(between=(0.4, 0.6)),
    "bins": lambda report: report.rows(between=(0.0, 1 / 3)),
    "edges of a bin": lambda report: report.rows(between=(1 / 3, 0.4), wrong=True),
    "edges in reverse": lambda report: report.rows(between=(0.8, 0.2)),
    "bin of a class": lambda report: report.rows(
        between=(0.4, 0.6), label=report.classes.labels[0]
    ),
    "class without a bin": lambda report: report.rows(label=report.classes.labels[0]),
}
SHOWN = ("ids", "keep_rows", "by")
"""Kept rows of which every list is recorded; of the others the wrong rows alone."""
QUERIED = ("two classes", "probabilities", "probabilities of classes")

NAMED: dict[str, dict[str, Any]] = {
    "by name": {"y_true": "label", "y_pred": "pred", "ids": "id"},
    "found": {"y_true": "label", "y_pred": "pred", "reading": karat.Reading(keep_rows=3)},
    "none": {"y_true": "label", "y_pred": "pred", "ids": "", "reading": karat.Reading(keep_rows=3)},
    "other column": {"y_true": "label", "y_pred": "pred", "ids": "team"},
    "no such column": {"y_true": "label", "y_pred": "pred", "ids": "key"},
    "null labels": {
        "y_true": "holes",
        "y_pred": "pred",
        "ids": "id",
        "reading": karat.Reading(nulls="drop"),
    },
    "numbers of rows left": {
        "y_true": "holes",
        "y_pred": "pred",
        "ids": "",
        "reading": karat.Reading(keep_rows=3, nulls="drop"),
    },
    "values": {"y_true": "label", "y_pred": "pred", "ids": [*range(80)]},
    "by": {"y_true": "label", "y_pred": "pred", "ids": "id", "by": "country"},
    "bins": {"y_true": "label", "y_prob": "prob", "y_pred": "", "ids": "id"},
    "threshold": {
        "y_true": "label",
        "y_prob": "prob",
        "y_pred": "",
        "reading": karat.Reading(keep_rows=2),
        "threshold": 0.3,
    },
    "checkpoint": {
        "y_true": "label",
        "y_pred": "pred",
        "ids": "id",
        "reading": karat.Reading(checkpoint="rows.karat"),
    },
    "little memory": {
        "y_true": "label",
        "y_prob": "prob",
        "y_pred": "",
        "reading": karat.Reading(max_memory=1 << 20),
    },
    "id of repeats": {"y_true": "label", "y_pred": "pred", "ids": "again"},
}


def table() -> dict[str, Any]:
    """Rows of two classes with ids, some of them repeated, and some labels missing."""
    names = ("id", "label", "pred", "prob", "team", "country", "age")
    columns = {name: TWO[name].tolist() for name in names}
    holes = [None if i in (4, 5, 33) else label for i, label in enumerate(columns["label"])]
    return {**columns, "holes": holes, "again": [f"a{i // 2}" for i in range(80)]}


SOURCES: dict[str, Callable[[], Any]] = {
    "dict": table,
    "pandas": lambda: pd.DataFrame(table()),
    "polars": lambda: pl.DataFrame(table()),
    "arrow": lambda: pa.table(table()),
    "batches": lambda: Batches(table()),
    "parquet": lambda: written("parquet", table(), "rows"),
    "csv": lambda: written("csv", table(), "rows"),
    "jsonl": lambda: written("jsonl", table(), "rows"),
    "parquet folder": lambda: written("parquet folder", table(), "rows"),
}
SHORTLY = ("polars", "arrow", "csv", "jsonl", "parquet folder")


def calls() -> Iterator[Call]:
    for kind in TRUTHS:
        for name, kept in KEPT.items():
            if kind in QUERIED or name in ("ids", "by", "keep_rows"):
                yield _call(f"{kind}, {name}", "array", lambda k=kind, o=kept: _listed(k, o))
        for name in SHOWN if kind in QUERIED else ("by",):
            for asks, listing in LISTS.items():
                yield _call(
                    f"rows of {kind}, {name}, {asks}",
                    "array",
                    lambda k=kind, o=KEPT[name], li=listing: _rows_in_short(
                        li(karat.evaluate(TRUTHS[k], **grouped({**OUTPUTS[k], **o})))
                    ),
                )
    for source, make in SOURCES.items():
        for name, options in NAMED.items():
            if source not in SHORTLY or name in ("by name", "none", "null labels"):
                yield _call(
                    f"{source}, {name}",
                    source,
                    lambda m=make, o=options: _report_in_short(
                        karat.evaluate(m(), **grouped(o), metrics=["accuracy"])
                    ),
                )
    yield from _sets()
    yield from _forms()
    yield from _flips()
    yield from _refused()
    yield from _lines()


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "rows", source, run)


def _listed(kind: str, options: dict[str, Any]) -> Any:
    return _report_in_short(karat.evaluate(TRUTHS[kind], **grouped({**OUTPUTS[kind], **options})))


def _report_in_short(report: Any) -> Any:
    return {"doubts": _doubts(report), **_rows_in_short(report.rows(wrong=True))}


def _doubts(report: Any) -> list[list[str]]:
    return [[doubt.code, doubt.noticed, doubt.evidence] for doubt in report.doubts]


def _rows_in_short(rows: Any) -> dict[str, Any]:
    return {
        "n": rows.n,
        "ids": rows.ids[:12],
        "length": len(rows),
        "columns": {name: kind.__name__ for name, kind in rows.columns.items()},
        "first": [dict(row) for row in rows[:3]],
    }


def _sets() -> Iterator[Call]:
    outputs: dict[str, dict[str, Any]] = {
        "sets": {"y_pred": SETS["pred_sets"]},
        "scores of sets": {"y_prob": SETS["prob"]},
    }
    truths = {"sets": SETS["label_sets"], "scores of sets": SETS["truth"]}
    lists: dict[str, Callable[[Any], Any]] = {
        "all": lambda report: report.wrong_rows(),
        "missed": lambda report: report.wrong_rows(missed=report.classes.labels[0]),
        "added": lambda report: report.wrong_rows(added=report.classes.labels[1]),
        "missed and added": lambda report: report.wrong_rows(
            report.classes.labels[0], report.classes.labels[1]
        ),
        "limit": lambda report: report.wrong_rows(limit=2),
        "unknown label": lambda report: report.wrong_rows(missed="no such label"),
        "from JSON": lambda report: karat.MultilabelReport.from_json(report.to_json()).wrong_rows(),
    }
    kept: dict[str, dict[str, Any]] = {
        "plain": {},
        "ids": {"ids": SETS["id"]},
        "keep_rows": {"reading": karat.Reading(keep_rows=2)},
        "weights": {"weights": SETS["mass"]},
        "repeated ids": {"ids": SETS["fold"]},
    }
    for kind, name in ((k, n) for k in truths for n in kept):
        for asks, listing in lists.items():
            if name in ("ids", "plain") or asks == "all":
                yield _call(
                    f"{kind}, {name}, {asks}",
                    "array",
                    lambda k=kind, o=kept[name], li=listing: _rows_in_short(
                        li(karat.evaluate(truths[k], **grouped({**outputs[k], **o})))
                    ),
                )
    unknown = [None if i % 7 == 0 else labels for i, labels in enumerate(SETS["label_sets"])]
    yield _call(
        "sets, unknown truth",
        "array",
        lambda: _rows_in_short(karat.evaluate(unknown, SETS["pred_sets"]).wrong_rows()),
    )


def _kept() -> Any:
    return karat.evaluate(
        TWO["label"],
        y_prob=TWO["prob"],
        ids=TWO["id"],
        by={"country": TWO["country"]},
        reading=karat.Reading(keep_rows=3),
        metrics=["accuracy", "roc_auc"],
    )


def _forms() -> Iterator[Call]:
    forms: dict[str, Callable[[Any], Any]] = {
        "text": str,
        "narrow text": lambda rows: rows.text(40),
        "markdown": lambda rows: rows.to_markdown(),
        "LaTeX": lambda rows: rows.to_latex(),
        "CSV": lambda rows: rows.to_csv(),
        "pandas": lambda rows: rows.to_frame("pandas"),
        "polars": lambda rows: rows.to_frame("polars"),
        "a slice of it": lambda rows: [dict(row) for row in rows[2:4]],
        "count and index": lambda rows: [rows.count(rows[0]), rows.index(rows[1])],
        "repr": repr,
    }
    for name, form in forms.items():
        yield _call(f"form: {name}", "report", lambda f=form: f(_kept().rows(wrong=True)))
        yield _call(
            f"form of sets: {name}",
            "report",
            lambda f=form: f(karat.evaluate(SETS["truth"], y_prob=SETS["prob"]).wrong_rows()),
        )
    yield _call("JSON of kept rows", "report", lambda: json.loads(_kept().to_json())["rows"])
    yield _call(
        "back from JSON",
        "report",
        lambda: _rows_in_short(karat.Report.from_json(_kept().to_json()).rows(wrong=True)),
    )
    yield _call("page of kept rows", "report", lambda: _kept().to_html())
    yield _call("text of kept rows", "report", lambda: str(_kept()))
    yield _call(
        "of a curve point",
        "report",
        lambda: _rows_in_short(_kept().rows(between=(2 / 3, 1.0), true=0)),
    )


def _flips() -> Iterator[Call]:
    models: dict[str, dict[str, Any]] = {
        "two classes": {"y_pred": {"old": TWO["old"], "new": TWO["pred"]}},
        "classes": {"y_pred": {"old": THREE["old"], "new": THREE["pred"]}},
        "probabilities": {"y_prob": {"old": TWO["old_prob"], "new": TWO["prob"]}},
        "probabilities of classes": {"y_prob": {"old": THREE["old_prob"], "new": THREE["prob"]}},
        "sets": {"y_pred": {"old": SETS["old_sets"], "new": SETS["pred_sets"]}},
    }
    truths = {**TRUTHS, "sets": SETS["label_sets"]}
    for kind, outputs in models.items():
        yield Call(
            f"flips of {kind}",
            "compare",
            "array",
            lambda k=kind, o=outputs: (
                karat.compare(
                    truths[k],
                    **grouped({"interval": karat.Interval(n_replicates=99), **o}, ("adjust",)),
                ).flips
            ),
        )
    three = {"old": TWO["old"], "new": TWO["pred"], "judge": TWO["judge"]}
    yield Call(
        "flips of three models",
        "compare",
        "array",
        lambda: {
            str(pair): [len(flips), flips.groups]
            for pair, flips in karat.compare(
                TWO["label"], three, interval=karat.Interval(n_replicates=99)
            ).flips.items()
        },
    )
    yield Call(
        "flips of weighted rows",
        "compare",
        "array",
        lambda: (
            karat.compare(
                TWO["label"],
                {"old": TWO["old"], "new": TWO["pred"]},
                weights=TWO["mass"],
                interval=karat.Interval(n_replicates=99),
            ).flips
        ),
    )
    yield Call(
        "flips of reports",
        "compare",
        "report",
        lambda: (
            karat.compare(
                {
                    "old": karat.evaluate(TWO["label"], TWO["old"]),
                    "new": karat.evaluate(TWO["label"], TWO["pred"]),
                }
            ).flips
        ),
    )


def _stream() -> Any:
    stream = karat.Stream(metrics=["accuracy"])
    stream.update(TWO["label"], TWO["pred"])
    return stream.report()


def _tensors() -> Any:
    import torch

    return karat.evaluate(
        torch.tensor(TWO["label"]), torch.tensor(TWO["pred"]), ids=TWO["id"], metrics=["accuracy"]
    )


def _refused() -> Iterator[Call]:
    yield _call("no rows were kept", "array", lambda: _without().rows())
    yield _call("no rows of a stream", "stream", lambda: _stream().rows())
    yield _call("rows of tensors of the host", "tensor", lambda: _rows_in_short(_tensors().rows()))
    yield _call(
        "rows of a confusion matrix",
        "confusion",
        lambda: karat.evaluate(confusion=[[20, 3], [4, 30]], reading=karat.Reading(keep_rows=3)),
    )
    yield _call(
        "no rows of JSON", "report", lambda: karat.Report.from_json(_without().to_json()).rows()
    )
    yield _call(
        "rows of a judge",
        "array",
        lambda: karat.evaluate(
            y_pred=TWO["pred"],
            y_true=TWO["gold"],
            design=karat.Judge(TWO["judge"]),
            reading=karat.Reading(keep_rows=3),
        ),
    )
    yield _call(
        "ids beside a judge",
        "array",
        lambda: karat.evaluate(
            y_pred=TWO["pred"], y_true=TWO["gold"], design=karat.Judge(TWO["judge"]), ids=TWO["id"]
        ),
    )
    yield _call(
        "rows of a partitioned table",
        "dask",
        lambda: karat.evaluate(_dask(), y_true="label", y_pred="pred", ids="id").rows(),
    )
    yield _call(
        "doubts about ids of a partitioned table",
        "dask",
        lambda: _doubts(karat.evaluate(_dask(), y_true="label", y_pred="pred", ids="id")),
    )
    yield _call(
        "kept rows of a partitioned table",
        "dask",
        lambda: karat.evaluate(
            _dask(), y_true="label", y_pred="pred", reading=karat.Reading(keep_rows=3)
        ).rows(),
    )
    yield _call(
        "rows of folds",
        "array",
        lambda: _rows_in_short(
            karat.evaluate(
                TWO["label"],
                TWO["pred"],
                design=karat.Folds(TWO["fold"]),
                ids=TWO["id"],
                metrics=["accuracy"],
            ).rows(wrong=True)
        ),
    )
    yield _call(
        "rows with looks",
        "array",
        lambda: _rows_in_short(
            karat.evaluate(
                TWO["label"],
                TWO["pred"],
                design=karat.Looks(1000),
                ids=TWO["id"],
                metrics=["accuracy"],
            ).rows(wrong=True)
        ),
    )
    yield _call(
        "ids of sets from a frame",
        "pandas",
        lambda: _rows_in_short(
            karat.evaluate(
                pd.DataFrame({"label": sets(SETS["truth"]), "pred": sets(SETS["pred"])}),
                ids=pd.Series(list(SETS["id"])),
            ).wrong_rows()
        ),
    )


def _without() -> Any:
    return karat.evaluate(TWO["label"], TWO["pred"], metrics=["accuracy"])


def _dask() -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(pd.DataFrame(table())[["id", "label", "pred"]], npartitions=2)


LINES = """
report listed.csv --true label --pred pred --errors errors.csv --metrics accuracy
report listed.csv --true label --pred pred --errors errors.csv --metrics accuracy --ids ''
report listed.csv --true label --pred pred --errors errors.csv --metrics accuracy --ids team
report listed.csv --true label --pred pred --errors errors.csv --metrics accuracy --by country
report listed.csv --true label --pred pred --errors errors.csv --metrics accuracy --weights age
report listed.csv --true label --prob prob --pred '' --errors errors.csv --metrics accuracy
report listed.csv --true label --prob prob --pred '' --threshold 0.3 --errors errors.csv
report listed.csv --true holes --pred pred --nulls drop --errors errors.csv --metrics accuracy
report listed.csv --true label --pred pred --errors listed.csv --metrics accuracy
report listed.csv --true label --pred pred --errors nowhere/errors.csv --metrics accuracy
report listed.csv --true label --pred pred --errors errors.txt --metrics accuracy
report listed.parquet --true label --pred pred --errors errors.csv --checkpoint c.karat
report listed.parquet --true label --pred pred --errors errors.csv --where "country = 'NO'"
report listed.parquet --true label --pred pred --errors errors.csv --format json --metrics accuracy
report listed.parquet --true label --pred pred --keep-rows 2 --format json --metrics accuracy
report listed.parquet --true label --pred pred --keep-rows 2 --metrics accuracy
report listed.parquet --true label --pred pred --keep-rows 0 --format json --metrics accuracy
report listed.parquet --true label --pred pred --keep-rows -1 --metrics accuracy
report listed.parquet --true label --pred pred --keep-rows 2 --ids again --metrics accuracy
report listed.parquet --true label --pred pred --keep-rows 2 --ids '' --format json --metrics f1
report listed.parquet --true label --pred pred --metrics accuracy --format html -o page.html
report listed.parquet --true label --pred pred --keep-rows 2 --checkpoint c.karat
report topics.csv --true label_text --pred pred_text --separator '|' --errors errors.csv
report topics.csv --true label_text --pred pred_text --separator '|' --keep-rows 2 --format json
report "SELECT * FROM 'listed.parquet'" --true label --pred pred --errors errors.csv --ids id
report listed.csv --true holes --judge label --pred pred --errors errors.csv
compare listed.csv other.csv --true label --pred pred --flips flips.csv --metrics accuracy
compare listed.csv other.csv --true label --pred pred --flips flips.csv --ids id --metrics accuracy
compare listed.csv other.csv --true label --pred pred --flips listed.csv --metrics accuracy
compare topics.csv topics2.csv --true label_text --pred pred_text --separator '|' --flips flips.csv
"""


def _lines() -> Iterator[Call]:
    for line in LINES.strip().splitlines():
        verb = f"karat {line.split(' ')[0]}"
        yield Call(line, verb, "command", lambda line=line: _line(line))


def _line(line: str) -> Any:
    if not Path("listed.csv").exists():
        texts = {name: SETS[name] for name in ("id", "label_text", "pred_text")}
        files = {
            "listed.csv": table(),
            "listed.parquet": table(),
            "other.csv": {**table(), "pred": TWO["old"].tolist()},
            "topics.csv": texts,
            "topics2.csv": {**texts, "pred_text": [*texts["label_text"][1:], "sea"]},
        }
        for name, columns in files.items():
            stem, _, ending = name.partition(".")
            Path(written(ending, columns, stem)).rename(name)
    return _ran(line)
