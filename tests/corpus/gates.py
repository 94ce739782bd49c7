"""`karat.gate`: bounds, drops, baselines, slices, matched rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import karat
from tests.corpus.calls import Call
from tests.corpus.files import written
from tests.corpus.rows import animals, binary, other_models, pick, two_class_models
from tests.corpus.wanted import FAST
from tests.grouping import grouped

RULES: dict[str, dict[str, Any]] = {
    "min passes": {"min": {"accuracy": 0.5}},
    "min fails": {"min": {"accuracy": 0.95}},
    "two bounds": {"min": {"macro_f1": 0.6, "kappa": 0.9}},
    "max": {"max": {"error_rate": 0.3}},
    "low": {"min": {"accuracy": 0.7}, "rules": karat.Rules(evidence="low")},
    "level": {"min": {"accuracy": 0.7}, "rules": karat.Rules(evidence="low"), "level": 0.8},
    "by": {"min": {"accuracy": 0.75}, "by": "country"},
    "by few rows": {"min": {"accuracy": 0.75}, "by": "country", "rules": karat.Rules(min_n=65)},
    "strict": {
        "min": {"accuracy": 0.75},
        "by": "country",
        "min_n": 65,
        "strict_inconclusive": True,
    },
    "warn only": {"min": {"accuracy": 0.99}, "warn_only": True},
    "clusters": {
        "min": {"accuracy": 0.7},
        "rules": karat.Rules(evidence="low"),
        "clusters": "team",
    },
    "weights": {"min": {"accuracy": 0.7}, "weights": "mass"},
}
AGAINST: dict[str, dict[str, Any]] = {
    "plain": {},
    "max drop": {"max_drop": {"accuracy": 0.01, "macro_f1": 0.02}},
    "no worse": {"no_worse_than": {"accuracy": 0.05}},
    "no worse strictly": {
        "no_worse_than": {"accuracy": 0.001},
        "rules": karat.Rules(inconclusive="fail"),
    },
    "no adjustment": {"max_drop": {"accuracy": 0.0}, "rules": karat.Rules(adjust="none")},
    "by": {"max_drop": {"accuracy": 0.0}, "by": "sex"},
    "clusters": {"clusters": "team"},
    "weights": {"weights": "mass"},
    "min and drop": {"min": {"accuracy": 0.6}, "max_drop": {"kappa": 0.05}},
}


def _table(model: str, right: str = "labels") -> dict[str, Any]:
    shared = pick(animals(), "label", "mass", "team", "country", "sex")
    return {"id": animals()["key"], **shared, "pred": other_models()[right][model]}


def _lists(model: str) -> dict[str, Any]:
    return {name: values.tolist() for name, values in _table(model).items()}


KINDS = {
    "dict": _table,
    "pandas": lambda model: pd.DataFrame(_table(model)),
    "polars": lambda model: pl.DataFrame(_lists(model)),
    "arrow": lambda model: pa.table(_lists(model)),
    "parquet": lambda model: written("parquet", _table(model), f"gate-{model}"),
    "csv": lambda model: written("csv", _table(model), f"gate-{model}"),
}


def calls() -> Iterator[Call]:
    for kind, made in KINDS.items():
        for name, rules in RULES.items():
            if kind in ("dict", "parquet") or name in ("two bounds", "by", "weights"):
                yield _call(
                    f"{kind}, {name}",
                    kind,
                    lambda made=made, rules=rules: karat.gate(made("new"), **grouped(rules)),
                )
        for name, rules in AGAINST.items():
            if kind in ("pandas", "parquet") or name in ("plain", "by"):
                yield _call(
                    f"{kind} against a baseline, {name}",
                    kind,
                    lambda made=made, rules=rules: karat.gate(
                        made("new"), baseline=made("old"), **grouped(rules)
                    ),
                )
                yield _call(
                    f"{kind} worse than a baseline, {name}",
                    kind,
                    lambda made=made, rules=rules: karat.gate(
                        made("old"), baseline=made("new"), **grouped(rules)
                    ),
                )
    yield from _arrays()
    yield from _matched()
    yield from _stored()


def _call(name: str, source: str, run: Any) -> Call:
    return Call(name, "gate", source, run)


def _arrays() -> Iterator[Call]:
    two, pairs, text, models = binary(), two_class_models(), animals(), other_models()
    truth = two["label"]
    yield _call(
        "arrays",
        "array",
        lambda: karat.gate(text["label"], text["pred"], min={"accuracy": 0.5, "macro_f1": 0.9}),
    )
    yield _call(
        "probabilities",
        "array",
        lambda: karat.gate(
            truth, y_prob=two["p_yes"], min={"roc_auc": 0.7}, max={"log_loss": 0.6, "brier": 0.3}
        ),
    )
    yield _call(
        "scores",
        "array",
        lambda: karat.gate(
            truth, y_score=two["z"], min={"roc_auc": 0.7}, rules=karat.Rules(evidence="low")
        ),
    )
    yield _call(
        "threshold",
        "array",
        lambda: karat.gate(truth, y_prob=two["p_yes"], min={"recall": 0.7}, threshold=0.3),
    )
    yield _call(
        "positive", "array", lambda: karat.gate(truth, two["pred"], min={"recall": 0.7}, positive=0)
    )
    yield _call(
        "by values", "array", lambda: karat.gate(truth, two["pred"], min={"f1": 0.7}, by=two["sex"])
    )
    yield _call(
        "undefined metric",
        "array",
        lambda: karat.gate([0, 0, 1], [0, 0, 0], min={"precision": 0.5}),
    )
    yield _call(
        "undefined is nan",
        "array",
        lambda: karat.gate([0, 0, 1], [0, 0, 0], min={"macro_f1": 0.5}, undefined="nan"),
    )
    yield _call(
        "labels beside arrays",
        "array",
        lambda: karat.gate(
            text["label"], models["labels"]["new"], baseline=models["labels"]["old"]
        ),
    )
    yield _call(
        "probabilities beside arrays",
        "array",
        lambda: karat.gate(
            truth,
            y_prob=pairs["prob"]["new"],
            baseline=pairs["prob"]["old"],
            max_drop={"roc_auc": 0.0, "log_loss": 0.01},
        ),
    )
    yield _call(
        "a report",
        "report",
        lambda: karat.gate(
            karat.evaluate(text["label"], text["pred"]),
            min={"accuracy": 0.7},
            rules=karat.Rules(evidence="low"),
        ),
    )
    yield _call(
        "two reports", "report", lambda: karat.gate(_report("new"), baseline=_report("old"))
    )
    yield _call(
        "a report and its JSON", "report", lambda: karat.gate(_report("old"), baseline=_json("new"))
    )
    yield _call(
        "text",
        "array",
        lambda: str(
            karat.gate(
                text["label"],
                models["labels"]["new"],
                baseline=models["labels"]["old"],
                min={"accuracy": 0.5},
            )
        ),
    )
    yield _call(
        "truth",
        "array",
        lambda: bool(karat.gate(text["label"], text["pred"], min={"accuracy": 0.99})),
    )


def _report(model: str) -> Any:
    return karat.evaluate(animals()["label"], other_models()["labels"][model], **grouped(FAST))


def _json(model: str) -> str:
    path = Path(f"report-{model}.json")
    _report(model).to_json(path)
    return str(path)


def _matched() -> Iterator[Call]:
    order = np.random.default_rng(9).permutation(240)

    def shuffled(model: str, rows: Any = order) -> dict[str, Any]:
        return {name: values[rows] for name, values in _table(model).items()}

    yield _call(
        "rows in another order", "dict", lambda: karat.gate(_table("new"), baseline=shuffled("old"))
    )
    yield _call(
        "rows that are missing",
        "dict",
        lambda: karat.gate(_table("new"), baseline=shuffled("old", order[:200])),
    )
    yield _call(
        "rows that may be missing",
        "dict",
        lambda: karat.gate(
            _table("new"),
            baseline=shuffled("old", order[:200]),
            rules=karat.Rules(allow_mismatch=True),
        ),
    )
    yield _call(
        "named ids", "dict", lambda: karat.gate(_table("new"), baseline=shuffled("old"), ids="id")
    )
    yield _call(
        "no ids", "dict", lambda: karat.gate(_table("new"), baseline=shuffled("old"), ids="")
    )
    yield _call(
        "other truth",
        "dict",
        lambda: karat.gate(
            _table("new"), baseline={**_table("old"), "label": _table("old")["label"][::-1]}
        ),
    )
    yield _call(
        "no such ids", "dict", lambda: karat.gate(_table("new"), baseline=_table("old"), ids="key")
    )


def _stored() -> Iterator[Call]:
    for with_rows in (False, True):
        for name, rules in AGAINST.items():
            if name in ("plain", "max drop", "no worse", "weights"):
                yield _call(
                    f"a stored baseline, rows {with_rows}, {name}",
                    "baseline",
                    lambda w=with_rows, r=rules: _against(w, r),
                )
        yield _call(
            f"what a baseline holds, rows {with_rows}", "baseline", lambda w=with_rows: _held(w)
        )
    yield _call("a baseline that is not updated", "baseline", _not_updated)
    for fault in ("{", "[]", '{"schema": "karat.report/9"}', '{"schema": "karat.baseline/1"}'):
        yield _call(f"a damaged baseline {fault}", "baseline", lambda fault=fault: _damaged(fault))


def _against(with_rows: bool, rules: dict[str, Any]) -> Any:
    base = {k: v for k, v in rules.items() if k == "weights"}
    path = Path("stored.json")
    karat.gate(
        _table("old"),
        min={"accuracy": 0.1},
        **grouped({"reading": karat.Reading(keep_rows=with_rows), **base}),
    ).save_baseline(path)
    return karat.gate(_table("new"), baseline=path, **grouped(rules))


def _held(with_rows: bool) -> Any:
    path = Path("stored.json")
    karat.gate(
        _table("old"), min={"accuracy": 0.1}, reading=karat.Reading(keep_rows=with_rows)
    ).save_baseline(path)
    return json.loads(path.read_text())


def _not_updated() -> Any:
    path = Path("never.json")
    found = karat.gate(_table("old"), min={"accuracy": 0.99}).save_baseline(path)
    return {"gate": found, "is there": path.exists()}


def _damaged(text: str) -> Any:
    path = Path("damaged.json")
    path.write_text(text)
    return karat.gate(_table("new"), baseline=path)
