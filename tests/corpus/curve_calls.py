"""Curves: the functions of `karat.curves`, and the curves of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits, odd
from tests.grouping import grouped

NAMES = ("roc", "precision_recall", "det", "gain", "lift", "cost", "net_benefit", "reliability")


def calls() -> Iterator[Call]:
    two, many, text = binary(), digits(), animals()
    prob = np.column_stack([text[f"proba_{name}"] for name in ("cat", "dog", "eel")])
    for name in NAMES:
        rows: dict[str, dict[str, Any]] = {
            "two probabilities": {"y_true": two["label"], "y_prob": two["p_yes"]},
            "weights": {"y_true": two["label"], "y_prob": two["p_yes"], "weights": two["mass"]},
            "positive": {"y_true": two["label"], "y_prob": two["p_yes"], "positive": 0},
            "three classes": {"y_true": text["label"], "y_prob": prob, "average": None},
            "one of three": {
                "y_true": text["label"],
                "y_prob": prob,
                "average": None,
                "classes": ["dog"],
            },
            "six classes": {
                "y_true": many["label"],
                "y_prob": many["prob"],
                "average": None,
                "classes": [0, 5],
            },
            "no average": {"y_true": text["label"], "y_prob": prob},
            "micro": {"y_true": text["label"], "y_prob": prob, "average": "micro"},
            "macro": {"y_true": text["label"], "y_prob": prob, "average": "macro"},
            "unknown class": {
                "y_true": text["label"],
                "y_prob": prob,
                "average": None,
                "classes": ["fox"],
            },
            "text": {
                "y_true": ["a", "b", "b", "a"],
                "y_prob": [0.25, 0.5, 0.75, 0.5],
                "positive": "b",
            },
            "one class": {"y_true": [1, 1], "y_prob": [0.25, 0.5], "labels": [0, 1]},
        }
        if name not in ("net_benefit", "reliability"):
            rows["scores"] = {"y_true": two["label"], "y_score": two["z"]}
            rows["limit"] = {"y_true": two["label"], "y_score": two["z"], "limit": 20}
            if name != "cost":
                rows["dropped"] = {
                    "y_true": two["label"],
                    "y_score": two["z"],
                    "drop_intermediate": True,
                }
        if name == "reliability":
            for option in ({"bins": 5}, {"scheme": "quantile"}, {"closed": "left"}, {"bins": 0}):
                rows[f"{option}"] = {"y_true": two["label"], "y_prob": two["p_yes"], **option}
        if name == "net_benefit":
            rows["thresholds"] = {
                "y_true": two["label"],
                "y_prob": two["p_yes"],
                "thresholds": [0.1, 0.25, 0.5],
            }
        for case in ("nine ties", "certain and wrong", "all the same"):
            rows[case] = {"y_true": odd()[case]["label"], "y_prob": odd()[case]["prob"]}
        for kind, given in rows.items():
            yield Call(
                f"{name}, {kind}",
                "curves",
                "array",
                lambda name=name, given=given: _points(getattr(karat.curves, name)(**given)),
            )
    for name in NAMES:
        for kind in ("two", "three", "two logits", "weighted"):
            yield Call(
                f"{name} of a report of {kind}",
                "curves",
                "report",
                lambda name=name, kind=kind: _of_report(name, kind),
            )


def _points(curve: Any) -> Any:
    """The curve, or those of each class."""
    if hasattr(curve, "items"):
        return {repr(label): own for label, own in curve.items()}
    return curve


def _of_report(name: str, kind: str) -> Any:
    two, text = binary(), animals()
    prob = np.column_stack([text[f"proba_{name}"] for name in ("cat", "dog", "eel")])
    rows: dict[str, dict[str, Any]] = {
        "two": {"y_true": two["label"], "y_prob": two["p_yes"]},
        "three": {"y_true": text["label"], "y_prob": prob},
        "two logits": {"y_true": two["label"], "y_logit": two["z"]},
        "weighted": {"y_true": two["label"], "y_prob": two["p_yes"], "weights": two["mass"]},
    }
    report = karat.evaluate(**grouped(rows[kind]), level=None)
    return _points(getattr(report.curves, name))
