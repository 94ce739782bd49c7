"""Cells of the table of what goes together for tables, files, batches, and the command line."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import karat
from karat.cli import main
from tests.corpus.calls import Call
from tests.corpus.cells import cells_of
from tests.corpus.files import written
from tests.corpus.more_rows import TOPICS, three_classes, topics, two_classes
from tests.grouping import grouped

QUICK: dict[str, Any] = {"n_replicates": 100}
ROLES: dict[str, dict[str, Any]] = {
    "two classes": {"y_true": "label", "y_pred": "pred"},
    "classes": {"y_true": "label", "y_pred": "pred"},
    "probabilities": {"y_true": "label", "y_prob": "p_*"},
    "sets of lists": {"y_true": "label_sets", "y_pred": "pred_sets"},
    "sets of texts": {
        "y_true": "label_text",
        "y_pred": "pred_text",
        "labels": karat.Labels(separator="|"),
    },
    "scores of sets": {"y_true": "true_*", "y_prob": "p_*"},
}
METRICS: dict[str, dict[str, Any]] = {
    "two classes": {"metrics": ["accuracy", "f1"]},
    "classes": {"metrics": ["accuracy", "macro_f1"]},
    "probabilities": {"metrics": ["accuracy", "log_loss"]},
    "sets of lists": {"metrics": ["subset_accuracy", "micro_f1"]},
    "sets of texts": {"metrics": ["subset_accuracy", "micro_f1"]},
    "scores of sets": {"metrics": ["micro_f1", "label_ranking_average_precision"]},
}
BOUNDS: dict[str, dict[str, Any]] = {
    "two classes": {"min": {"accuracy": 0.6}},
    "classes": {"min": {"accuracy": 0.6}},
    "probabilities": {"max": {"log_loss": 0.9}},
    "sets of lists": {"min": {"micro_f1": 0.6}},
    "sets of texts": {"min": {"micro_f1": 0.6}},
    "scores of sets": {"min": {"micro_f1": 0.6}},
}
DESIGNS: dict[str, dict[str, Any]] = {
    "gold and judge": {"gold": "gold", "judge": "judge"},
    "plain": {},
    "importance weights": {"weights": "mass"},
    "frequency weights": {"weights": "copies", "weights_are": "frequency"},
    "clusters": {"clusters": "team"},
    "case-control": {"sampling": "case-control"},
    "folds": {"folds": "fold"},
    "looks": {"anytime": 1000},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "bootstrap": {"method": "bootstrap"},
    "bayesian": {"method": "bayesian"},
    "by": {"by": "country"},
    "by a cross": {"by": ("country", "sex")},
    "little memory": {"reading": karat.Reading(max_memory=1 << 20)},
    "checkpoint": {"reading": karat.Reading(checkpoint="run.karat")},
    "exact": {"reading": karat.Reading(exact=True)},
    "ids": {"ids": "id"},
    "keep_rows": {"reading": karat.Reading(keep_rows=3)},
    "drop nulls": {"reading": karat.Reading(nulls="drop")},
    "threshold": {"threshold": 0.4},
    "level": {"level": None},
}
GATING: dict[str, dict[str, Any]] = {
    "by": {"by": "country"},
    "ids": {"ids": "id"},
    "threshold": {"threshold": 0.4},
    "write a baseline with rows": {
        "update_baseline": "base.json",
        "reading": karat.Reading(keep_rows=True),
    },
    "drop nulls": {"reading": karat.Reading(nulls="drop")},
}
SEARCHING: dict[str, dict[str, Any]] = {
    "by": {"by": ["country", "sex"]},
    "metric": {"metric": "accuracy"},
    "depth": {"depth": 1},
    "weak level": {"level": 0.5},
}
WEAK: dict[str, Any] = {"n_permutations": 99, "min_n": 10}


class Batches:
    """A source of two batches."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns
        self.column_names = tuple(columns)

    def read_batches(self, columns: Any) -> Iterator[dict[str, Any]]:
        for part in (slice(0, 25), slice(25, None)):
            yield {name: self.columns[name][part] for name in columns}


class Repeated:
    """A source whose batches are the same rows many times: more than one MiB holds."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = {k: v for k, v in columns.items() if isinstance(v, np.ndarray)}
        self.column_names = tuple(self.columns)

    def read_batches(self, columns: Any) -> Iterator[dict[str, Any]]:
        for _ in range(3):
            yield {name: np.tile(self.columns[name], 300) for name in columns}


def table_of(kind: str) -> dict[str, Any]:
    """The columns of a kind of rows."""
    if kind == "two classes":
        return dict(two_classes())
    if kind in ("classes", "probabilities"):
        return _spread(three_classes(), "p_", three_classes()["prob"], ("cat", "dog", "eel"))
    rows = topics()
    names = ("id", "mass", "copies", "team", "country", "sex", "age", "fold", "gold_weight")
    columns = {name: rows[name] for name in names}
    columns |= {"gold": rows["gold_sets"], "judge": rows["judge_sets"]}
    if kind == "scores of sets":
        columns = _spread(columns, "true_", rows["truth"], TOPICS)
        return _spread(columns, "p_", rows["prob"], TOPICS)
    ending = "sets" if kind == "sets of lists" else "text"
    return {
        **columns,
        **{f"{role}_{ending}": rows[f"{role}_{ending}"] for role in ("label", "pred")},
    }


def _spread(columns: dict[str, Any], prefix: str, matrix: Any, names: Any) -> dict[str, Any]:
    """The columns that are not matrices, and a column for each of this one."""
    kept = {k: v for k, v in columns.items() if not (isinstance(v, np.ndarray) and v.ndim == 2)}
    return {**kept, **{f"{prefix}{name}": matrix[:, i] for i, name in enumerate(names)}}


def _file(kind: str) -> str:
    return written("parquet", table_of(kind), f"cells-{kind.replace(' ', '-')}")


SOURCES: dict[str, Callable[[str], Any]] = {
    "dict": table_of,
    "parquet": _file,
    "batches": lambda kind: Batches(table_of(kind)),
}


BEYOND: dict[str, dict[str, Any]] = {
    "nothing else": {},
    "importance weights": {"weights": "mass"},
    "frequency weights": {"weights": karat.Frequency("copies")},
    "clusters": {"clusters": "team"},
    "case-control": {"design": karat.CaseControl()},
    "folds": {"design": karat.Folds("fold")},
    "looks": {"design": karat.Looks(1000)},
    "bootstrap": {"method": "bootstrap"},
    "by": {"by": "country"},
    "by and clusters": {"by": "country", "clusters": "team"},
    "ids": {"ids": "id"},
    "keep_rows": {"keep_rows": 3},
    "exact": {"exact": True},
    "threshold": {"threshold": 0.4},
}
"""Options of rows that exceed the memory."""
FEW = ("two classes", "probabilities", "sets of texts")
"""Kinds of rows in files, which take longer to read."""


def calls() -> Iterator[Call]:
    yield from _product("evaluate", OPTIONS, _evaluate, "dict", FEW)
    yield from _product("evaluate", OPTIONS, _evaluate, "batches", tuple(ROLES))
    yield from _product("evaluate", OPTIONS, _evaluate, "parquet", FEW)
    yield from _product("gate", GATING, _gate, "parquet", FEW)
    yield from _product("find_weak_slices", SEARCHING, _weak, "parquet", FEW)
    yield from _product("check", OPTIONS, _check, "batches", tuple(ROLES))
    yield from _beyond_memory()
    yield from _lines()


COUNTED: dict[str, dict[str, Any]] = {
    "two classes": {"metrics": ["accuracy", "f1"]},
    "probabilities": {"metrics": ["accuracy", "log_loss"]},
    "scores of sets": {"metrics": ["micro_f1", "subset_accuracy"]},
    "rankings of sets": {"metrics": ["label_ranking_average_precision"]},
}
"""Metrics of rows that exceed the memory; scores of sets are ranked only in memory."""


def _beyond_memory() -> Iterator[Call]:
    for name in COUNTED:
        kind = "scores of sets" if name == "rankings of sets" else name
        runs = {
            cell: lambda k=kind, n=name, o=option: karat.evaluate(
                Repeated(table_of(k)),
                **grouped(
                    {
                        "reading": karat.Reading(max_memory=1 << 20),
                        **ROLES[k],
                        **COUNTED[n],
                        **QUICK,
                        **o,
                    }
                ),
            )
            for cell, option in BEYOND.items()
        }
        yield Call(
            f"evaluate beyond memory, {name}", "evaluate", "batches", lambda r=runs: cells_of(r)
        )


def _product(
    verb: str, options: dict[str, Any], run: Callable[..., Any], source: str, kinds: tuple[str, ...]
) -> Iterator[Call]:
    """A call for each kind and design of a source.

    Its cells are the later designs, which are left out for files, and of plain and judged rows all
    options.
    """
    for kind in kinds:
        for at, (name, design) in enumerate(DESIGNS.items()):
            later = dict(itertools.islice(DESIGNS.items(), at + 1, None))
            later.pop("plain", None)
            cells: dict[str, dict[str, Any]] = {"nothing else": {}}
            if name in ("plain", "gold and judge"):
                cells |= options
            if source != "parquet":
                cells |= later
            runs = {
                cell: lambda k=kind, d=design, o=option: run(SOURCES[source](k), k, d, o)
                for cell, option in cells.items()
                if not option.keys() & design.keys()
            }
            yield Call(
                f"{verb} of {source}, {kind}, {name}", verb, source, lambda r=runs: cells_of(r)
            )


def _evaluate(rows: Any, kind: str, design: dict[str, Any], option: dict[str, Any]) -> Any:
    Path("run.karat").unlink(missing_ok=True)
    if "gold" in design:
        return _evaluate_judged(rows, kind, design, option)
    return karat.evaluate(
        rows, **grouped({**ROLES[kind], **METRICS[kind], **QUICK, **design, **option})
    )


OUTPUTS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": "pred"},
    "classes": {"y_pred": "pred"},
    "probabilities": {"y_prob": "p_*"},
    "sets of lists": {"y_pred": "pred_sets"},
    "sets of texts": {"y_pred": "pred_text", "labels": karat.Labels(separator="|")},
    "scores of sets": {"y_prob": "p_*"},
}
"""The roles of a model's output alone, beside gold labels."""


def _evaluate_judged(rows: Any, kind: str, design: Any, option: dict[str, Any]) -> Any:
    return karat.evaluate(
        rows, **grouped({**OUTPUTS[kind], **METRICS[kind], **QUICK, **design, **option})
    )


def _gate(rows: Any, kind: str, design: dict[str, Any], option: dict[str, Any]) -> Any:
    asked = {**ROLES[kind], **BOUNDS[kind], **design, **option}
    target = asked.pop("update_baseline", None)
    result = karat.gate(rows, **grouped(asked))
    return result if target is None else result.save_baseline(target)


def _weak(rows: Any, kind: str, design: dict[str, Any], option: dict[str, Any]) -> Any:
    return karat.find_weak_slices(
        rows, **grouped({**ROLES[kind], **WEAK, **design, **option}, ("min_n",))
    )


def _check(rows: Any, kind: str, design: dict[str, Any], option: dict[str, Any]) -> Any:
    return karat.check(rows, **grouped({**ROLES[kind], **design, **option}))


# The command line: arguments of each kind of rows, and options by name.
FILES: dict[str, list[str]] = {
    "two classes": ["--true", "label", "--pred", "pred"],
    "probabilities": ["--true", "label", "--prob", "p_*"],
    "sets of texts": ["--true", "label_text", "--pred", "pred_text", "--separator", "|"],
}
LINE_DESIGNS: dict[str, list[str]] = {
    "weights": ["--weights", "mass"],
    "clusters": ["--clusters", "team"],
    "case-control": ["--design", "case-control"],
    "folds": ["--folds", "fold"],
    "looks": ["--anytime", "1000"],
    "a judge": ["--true", "gold", "--judge", "judge"],
    "by": ["--by", "country"],
    "keep rows": ["--keep-rows", "3"],
    "errors": ["--errors", "errors.csv"],
    "checkpoint": ["--checkpoint", "run.karat"],
    "exact": ["--exact"],
    "bootstrap": ["--method", "bootstrap"],
    "threshold": ["--threshold", "0.4"],
    "positive": ["--positive", "1"],
    "nulls": ["--nulls", "drop"],
    "no level": ["--level", "none"],
    "page": ["--format", "html"],
}
COMPARED: dict[str, list[str]] = {
    "weights": ["--weights", "mass"],
    "clusters": ["--clusters", "team"],
    "folds": ["--folds", "fold"],
    "looks": ["--anytime", "1000"],
    "a judge": ["--true", "gold", "--judge", "judge"],
    "flips": ["--flips", "flips.csv"],
    "label strata": ["--label-strata", "head=sea,sky"],
    "maxt": ["--adjust", "maxt"],
    "threshold": ["--threshold", "0.4"],
    "mismatch": ["--allow-mismatch", "--ids", "id"],
}
GATED: dict[str, list[str]] = {
    "weights": ["--weights", "mass"],
    "clusters": ["--clusters", "team"],
    "folds": ["--folds", "fold"],
    "looks": ["--anytime", "1000"],
    "a judge": ["--true", "gold", "--judge", "judge"],
    "by": ["--by", "country"],
    "low evidence": ["--evidence", "low"],
    "threshold": ["--threshold", "0.4"],
}
WATCHED: dict[str, list[str]] = {
    "weights": ["--weights", "mass"],
    "clusters": ["--clusters", "team"],
    "folds": ["--folds", "fold"],
    "a judge": ["--true", "gold", "--judge", "judge"],
    "by": ["--by", "country"],
    "windows": ["--windows"],
    "threshold": ["--threshold", "0.4"],
}
RULES: dict[str, list[str]] = {
    "two classes": ["--min", "accuracy=0.6"],
    "probabilities": ["--max", "log_loss=0.9"],
    "sets of texts": ["--min", "micro_f1=0.6"],
}


def _lines() -> Iterator[Call]:
    """Lines of the command line: every option for each kind of rows."""
    for kind in FILES:
        metrics = ["--metrics", ",".join(METRICS[kind]["metrics"])]
        lines: dict[str, tuple[dict[str, list[str]], Callable[[list[str]], list[str]]]] = {
            "report": (
                LINE_DESIGNS,
                lambda more, k=kind, m=metrics: ["report", _file(k), *FILES[k], *m, *more],
            ),
            "compare": (
                COMPARED,
                lambda more, k=kind, m=metrics: [
                    *["compare", _file(k), _copy(k), *FILES[k], *m],
                    *more,
                ],
            ),
            "gate": (GATED, lambda more, k=kind: ["gate", _file(k), *FILES[k], *RULES[k], *more]),
            "monitor": (
                WATCHED,
                lambda more, k=kind: ["monitor", "m.karat", _file(k), *FILES[k], *RULES[k], *more],
            ),
        }
        for verb, (options, line) in lines.items():
            cells: dict[str, list[str]] = {"nothing else": [], **options}
            runs = {cell: lambda li=line, o=option: ran(li(o)) for cell, option in cells.items()}
            yield Call(
                f"karat {verb}, {kind}",
                f"karat {verb}",
                "command",
                lambda runs=runs: {cell: run() for cell, run in runs.items()},
            )


def _copy(kind: str) -> str:
    """A second file of the same rows."""
    return written("parquet", table_of(kind), f"cells-{kind.replace(' ', '-')}-2")


def ran(line: list[str]) -> Any:
    """The exit code of a line of the command line, its error codes and its doubts."""
    if line.count("--true") > 1:
        # The truth of a cell stands in place of that of its kind.
        at = line.index("--true")
        line = [*line[:at], *line[at + 2 :]]
    kept = ("run.karat", "m.karat", "errors.csv", "flips.csv")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(line)
    for name in kept:
        Path(name).unlink(missing_ok=True)
    codes = re.findall(r"\b[KD]\d{3}\b", err.getvalue())
    first = out.getvalue().splitlines()[:2]
    return {"exit code": code, "codes": sorted(set(codes)), "head": first}
