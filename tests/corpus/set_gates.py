"""`karat.gate` on rows with sets of labels; the group `set_models` has these calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import karat
from tests.corpus.calls import Call
from tests.corpus.set_rows import (
    NAMES,
    beside,
    frame,
    list_table,
    lists,
    models_of,
    photo_models,
    photos,
    reports,
    scored_table,
    text_table,
    texts,
    wide_table,
    written,
)
from tests.grouping import grouped

RULES: dict[str, dict[str, Any]] = {
    "min passes": {"min": {"micro_f1": 0.5}},
    "min fails": {"min": {"macro_f1": 0.95}},
    "min and max": {
        "min": {"samples_f1": 0.5, "subset_accuracy": 0.4},
        "max": {"hamming_loss": 0.2},
    },
    "low": {"min": {"micro_f1": 0.75}, "rules": karat.Rules(evidence="low"), "level": 0.8},
    "undefined": {"min": {"samples_precision": 0.5}, "undefined": "exclude"},
    "labels": {"min": {"macro_f1": 0.6}, "labels": [*NAMES, "elk"]},
    "a metric of classes": {"min": {"accuracy": 0.5}},
    "no rules": {},
}
AGAINST: dict[str, dict[str, Any]] = {
    "plain": {},
    "max drop": {"max_drop": {"micro_f1": 0.01, "hamming_loss": 0.01}},
    "no worse": {"no_worse_than": {"micro_f1": 0.05}},
    "no worse strictly": {
        "no_worse_than": {"macro_f1": 0.0},
        "rules": karat.Rules(inconclusive="fail"),
    },
    "no adjustment": {
        "max_drop": {"micro_f1": 0.0, "samples_f1": 0.0},
        "rules": karat.Rules(adjust="none"),
    },
    "min and drop": {"min": {"micro_f1": 0.6}, "max_drop": {"macro_f1": 0.05}, "level": 0.9},
}
OF_TABLES: dict[str, dict[str, Any]] = {
    "weights": {"min": {"micro_f1": 0.7}, "weights": "mass"},
    "clusters": {
        "min": {"micro_f1": 0.7},
        "clusters": "team",
        "rules": karat.Rules(evidence="low"),
    },
    "columns": {"min": {"micro_f1": 0.7}, "y_true": "true", "y_pred": "pred", "ids": "id"},
    "by": {"min": {"micro_f1": 0.7}, "by": "sex"},
    "with rows": {"min": {"micro_f1": 0.7}, "reading": karat.Reading(keep_rows=True)},
    "folds": {"min": {"micro_f1": 0.7}, "design": karat.Folds("sex")},
    "anytime": {"min": {"subset_accuracy": 0.4}, "design": karat.Looks(500)},
}


def gate_calls() -> Iterator[Call]:
    yield from _gates()
    yield from _gates_of_tables()
    yield from _stored()


def _gate(name: str, run: Callable[[], Any], source: str = "list") -> Call:
    return Call(f"gate, {name}", "gate", source, run)


def _gates() -> Iterator[Call]:
    held, models = photos(), photo_models()
    truth, new, old = lists(held["true"]), models_of()["new"], models_of()["old"]
    for name, rules in RULES.items():
        yield _gate(f"lists, {name}", lambda r=rules: karat.gate(truth, new, **grouped(r)))
    for name, rules in AGAINST.items():
        yield _gate(
            f"lists against a baseline, {name}",
            lambda r=rules: karat.gate(truth, new, baseline=old, **grouped(r)),
        )
        yield _gate(
            f"lists worse than a baseline, {name}",
            lambda r=rules: karat.gate(truth, old, baseline=new, **grouped(r)),
        )
    cells = held["true"]
    yield _gate(
        "cells", lambda: karat.gate(cells, models["pred"]["new"], min={"macro_f1": 0.7}), "array"
    )
    yield _gate(
        "text",
        lambda: karat.gate(
            texts(cells),
            texts(models["pred"]["new"]),
            labels=karat.Labels(separator="|"),
            min={"micro_f1": 0.7},
        ),
    )
    yield _gate(
        "probabilities",
        lambda: karat.gate(
            cells,
            y_prob=models["prob"]["new"],
            min={"ndcg": 0.5, "mean_average_precision": 0.5},
            max={"binary_cross_entropy": 0.5},
        ),
        "array",
    )
    yield _gate(
        "probabilities, a threshold",
        lambda: karat.gate(
            cells, y_prob=models["prob"]["new"], threshold=0.25, min={"micro_recall": 0.9}
        ),
        "array",
    )
    yield _gate(
        "scores against a baseline",
        lambda: karat.gate(
            cells,
            y_score=models["score"]["new"],
            baseline=models["score"]["old"],
            max_drop={"ndcg": 0.0, "roc_auc_ovr_macro": 0.01},
            no_worse_than={"label_ranking_average_precision": 0.05},
        ),
        "array",
    )
    yield _gate(
        "weights and clusters",
        lambda: karat.gate(
            truth,
            new,
            baseline=old,
            weights=held["mass"],
            clusters=held["team"],
            max_drop={"micro_f1": 0.0},
        ),
    )
    yield _gate("by values", lambda: karat.gate(truth, new, min={"micro_f1": 0.7}, by=held["sex"]))
    yield _gate(
        "a report",
        lambda: karat.gate(
            reports()["new"], min={"micro_f1": 0.7}, rules=karat.Rules(evidence="low")
        ),
        "report",
    )
    yield _gate(
        "two reports", lambda: karat.gate(reports()["new"], baseline=reports()["old"]), "report"
    )
    yield _gate("a report and its JSON", _against_json, "report")
    yield _gate(
        "a report beside rows",
        lambda: karat.gate(truth, new, baseline=reports()["old"], max_drop={"macro_f1": 0.01}),
        "report",
    )
    yield _gate("as text", lambda: str(karat.gate(truth, old, baseline=new, min={"micro_f1": 0.5})))
    yield _gate(
        "as truth",
        lambda: [bool(karat.gate(truth, row, min={"micro_f1": 0.75})) for row in (old, new)],
    )
    yield _gate(
        "in other forms",
        lambda: _forms(karat.gate(truth, new, baseline=old, min={"macro_f1": 0.5})),
    )
    yield _gate("fewer rows of a baseline", lambda: karat.gate(truth, new, baseline=old[1:]))
    yield _gate(
        "a baseline of classes",
        lambda: karat.gate(truth, new, baseline=karat.evaluate([0, 1], [0, 1])),
    )


def _forms(gated: Any) -> dict[str, Any]:
    return {
        "json": gated.to_json(),
        "notes": gated.notes,
        "doubts": [str(doubt) for doubt in gated.doubts],
        "has sets": gated.has_sets,
        "verdict": gated.verdict,
        "repr": repr(gated),
    }


def _against_json() -> Any:
    path = Path("report-old.json")
    reports()["old"].to_json(path)
    return karat.gate(reports()["new"], baseline=path)


TABLES: dict[str, Callable[[str], Any]] = {
    "dict": list_table,
    "pandas": lambda model: frame("pandas", list_table(model)),
    "polars": lambda model: frame("polars", list_table(model)),
    "arrow": lambda model: frame("arrow", list_table(model)),
    "parquet": lambda model: written("parquet", list_table(model), f"gate-{model}"),
    "jsonl": lambda model: written("jsonl", list_table(model), f"gate-{model}"),
}


def _gates_of_tables() -> Iterator[Call]:
    for kind, table in TABLES.items():
        for name, rules in AGAINST.items():
            if kind == "parquet" or name == "plain":
                yield _gate(
                    f"{kind} against a baseline, {name}",
                    lambda t=table, r=rules: karat.gate(t("new"), baseline=t("old"), **grouped(r)),
                    kind,
                )
        for name, rules in OF_TABLES.items():
            if kind == "parquet" or (kind == "dict" and name in ("weights", "by")):
                yield _gate(
                    f"{kind}, {name}",
                    lambda t=table, r=rules: karat.gate(t("new"), **grouped(r)),
                    kind,
                )
    yield _gate(
        "csv of text against a baseline",
        lambda: karat.gate(
            written("csv", text_table("new"), "gate-new"),
            baseline=written("csv", text_table("old"), "gate-old"),
            labels=karat.Labels(separator="|"),
            weights="mass",
        ),
        "csv",
    )
    yield _gate(
        "csv of cells against a baseline",
        lambda: karat.gate(
            written("csv", wide_table("new"), "cells-new"),
            baseline=written("csv", wide_table("old"), "cells-old"),
            y_true="true_*",
            y_pred="pred_*",
            max_drop={"micro_f1": 0.0},
        ),
        "csv",
    )
    yield _gate(
        "probabilities of files",
        lambda: karat.gate(
            written("parquet", scored_table("prob", "new"), "prob-new"),
            baseline=written("parquet", scored_table("prob", "old"), "prob-old"),
            y_prob="proba_*",
            max_drop={"ndcg": 0.0, "micro_f1": 0.0},
        ),
        "parquet",
    )
    yield _gate(
        "rows in another order",
        lambda: karat.gate(_turned("new", 120), baseline=list_table("old")),
        "dict",
    )
    yield _gate(
        "rows that are missing",
        lambda: karat.gate(_turned("new", 90), baseline=list_table("old")),
        "dict",
    )
    yield _gate(
        "rows that may be missing",
        lambda: karat.gate(
            _turned("new", 90), baseline=list_table("old"), rules=karat.Rules(allow_mismatch=True)
        ),
        "dict",
    )
    yield _gate(
        "no ids", lambda: karat.gate(list_table("new"), baseline=list_table("old"), ids=""), "dict"
    )
    others = {**list_table("old"), "true": list_table("old")["true"][::-1]}
    yield _gate("other truth", lambda: karat.gate(list_table("new"), baseline=others), "dict")
    classes = {"id": beside()["id"], "true": beside()["sex"], "pred": beside()["sex"]}
    yield _gate(
        "a baseline table of classes",
        lambda: karat.gate(list_table("new"), baseline=classes),
        "dict",
    )


def _turned(model: str, n: int) -> dict[str, Any]:
    return {name: values[::-1][:n] for name, values in list_table(model).items()}


def _stored() -> Iterator[Call]:
    for name in ("plain", "max drop", "no worse"):
        yield _gate(
            f"a stored baseline, {name}", lambda r=AGAINST[name]: _against_stored(r), "baseline"
        )
    yield _gate("what a stored baseline holds", _held, "baseline")
    yield _gate("a report of classes as the baseline", _against_classes, "baseline")


def _store() -> Path:
    path = Path("stored-sets.json")
    karat.gate(list_table("old"), min={"micro_f1": 0.1}).save_baseline(path)
    return path


def _against_stored(rules: dict[str, Any]) -> Any:
    return karat.gate(list_table("new"), baseline=_store(), **grouped(rules))


def _held() -> Any:
    return json.loads(_store().read_text())


def _against_classes() -> Any:
    path = Path("classes.json")
    karat.evaluate([0, 1, 1], [0, 1, 0]).to_json(path)
    return karat.gate(list_table("new"), baseline=path)
