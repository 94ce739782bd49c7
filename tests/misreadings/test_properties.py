"""Properties of everyday inputs hold, and each notices the fault that it was made for."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import karat
from karat.inference import rounding
from tests.misreadings.properties import PROPERTIES, findings, numbers

N_CASES = 6


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name: str) -> None:
    assert findings(name, N_CASES) == []


def _evaluate(change: Callable[[dict[str, Any]], Any]) -> Any:
    """The library with a report of changed arguments."""

    def evaluate(*given: Any, **columns: Any) -> Any:
        names = ("data",) if "y_true" in columns else ("y_true", "y_pred")
        columns = dict(zip(names, given, strict=False)) | columns
        change(columns)
        return karat.evaluate(columns.pop("data", None), **columns)

    return SimpleNamespace(
        **{**vars(karat), "evaluate": evaluate, "Stream": karat.Stream, "gate": karat.gate}
    )


def _adds_to_weights(columns: dict[str, Any]) -> None:
    columns["weights"] = columns["weights"] + 0.25


def _drops_the_first_row(columns: dict[str, Any]) -> None:
    for name in ("y_true", "y_prob", "y_score", "weights"):
        if columns.get(name) is not None:
            columns[name] = columns[name][1:]


def _takes_weights_by_name(columns: dict[str, Any]) -> None:
    frame = columns["data"]
    names = [name for name in ("weight", "w", "weights") if name in frame]
    columns["weights"] = names[0] if names else ""


def _ranks_by_one_column(columns: dict[str, Any]) -> None:
    columns["y_score"] = columns["y_score"][:, 1]
    columns["positive"] = columns["labels"][1]


def _compares_as_doubles(columns: dict[str, Any]) -> None:
    argument = "y_prob" if "y_prob" in columns else "y_score"
    columns[argument] = columns[argument] + (columns[argument].dtype == np.float32) * 1e-5 * (
        argument == "y_score"
    )
    if "threshold" in columns and columns[argument].dtype == np.float32:
        columns["threshold"] = min(1.0, columns["threshold"] + 1e-3)


def _reads_other_columns(columns: dict[str, Any]) -> None:
    for name in ("y_prob", "y_score"):
        if name in columns:
            columns[name] = columns[name][:, ::-1]
    if "y_pred" in columns:
        columns["y_pred"] = columns["y_pred"][::-1].copy()
        columns["y_pred"][:3] = columns["y_true"][0]


def _draws_by_models() -> Any:
    """The library with p-values that hang on the place of a model."""

    def compare(y_true: Any, models: Any, **given: Any) -> Any:
        found = karat.compare(y_true, models, **given)
        place = list(models).index("b")
        moved = [
            SimpleNamespace(
                **{x: getattr(one, x) for x in ("metric", "a", "b", "difference", "low", "high")},
                p=place,
            )
            for one in found.differences
        ]
        return SimpleNamespace(differences=moved)

    return SimpleNamespace(**{**vars(karat), "compare": compare})


def _takes_rounding_for_variance() -> Any:
    """The library without the bound on rounding."""

    def evaluate(**columns: Any) -> Any:
        with patch.object(rounding, "ROUNDING", 0.0):
            report = karat.evaluate(**columns)
            numbers(report)  # values of few rows are computed when they are read
        return report

    return SimpleNamespace(
        **{
            **vars(karat),
            "Stream": karat.Stream,
            "compare": karat.compare,
            "Monitor": karat.Monitor,
            "evaluate": evaluate,
        }
    )


SABOTAGE = {
    "scaling of weights": lambda: _evaluate(_adds_to_weights),
    "order of rows": lambda: _evaluate(_drops_the_first_row),
    "order of models": _draws_by_models,
    "names of columns without a role": lambda: _evaluate(_takes_weights_by_name),
    "the level of two scores": lambda: _evaluate(_ranks_by_one_column),
    "storage type": lambda: _evaluate(_compares_as_doubles),
    "one observed class": lambda: _evaluate(_reads_other_columns),
    "rows of which nothing varies": _takes_rounding_for_variance,
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_sabotage_is_seen(name: str) -> None:
    assert findings(name, N_CASES, SABOTAGE[name]())
