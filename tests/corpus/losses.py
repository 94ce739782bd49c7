"""`karat.objectives`: losses with their derivatives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import digits


def calls() -> Iterator[Call]:
    many = digits(40, 4, 6)
    z, t, w = many["score"], many["label"], many["mass"]
    rows: dict[str, tuple[Any, ...]] = {
        "plain": (z, t),
        "weights": (z, t, w),
        "lists": (z.tolist(), t.tolist()),
        "float32": (z.astype(np.float32), t),
        "whole": (z.astype(np.int64), t),
        "large": (z * 1e6, t),
        "two classes": (z[:, :2], t % 2),
        "one row": (z[:1], t[:1]),
        "one column": (z[:, 0], t),
        "no such class": (z, t + 2),
        "not finite": (np.where(z == z[0, 0], np.inf, z), t),
        "a negative weight": (z, t, -w),
        "unlike lengths": (z, t[:-1]),
    }
    for name in ("multiclass", "multiclass_one_vs_all"):
        for kind, given in rows.items():
            for options in ({}, {"diagonal": True}, {"n_threads": 2}):
                if options.get("n_threads") and kind not in ("plain", "weights"):
                    continue
                yield Call(
                    f"{name}, {kind}, {options}",
                    "objectives",
                    "array",
                    lambda name=name, given=given, options=options: getattr(karat.objectives, name)(
                        *given, **options
                    ),
                )
        yield Call(
            f"LightGBM {name}", "objectives", "array", lambda name=name: _lightgbm(name, z, t, w)
        )
        yield Call(
            f"XGBoost {name}", "objectives", "array", lambda name=name: _xgboost(name, z, t, w)
        )
        yield Call(
            f"CatBoost {name}", "objectives", "array", lambda name=name: _catboost(name, z, t, w)
        )


def _lightgbm(name: str, z: Any, t: Any, w: Any) -> Any:
    objective = karat.objectives.LightGBMObjective(name)
    return [objective(t, z), objective(t, z, w)]


def _xgboost(name: str, z: Any, t: Any, w: Any) -> Any:
    objective = karat.objectives.XGBoostObjective(name)
    return [objective(t, z), objective(t, z, w)]


def _catboost(name: str, z: Any, t: Any, w: Any) -> Any:
    objective = karat.objectives.CatBoostObjective(name)
    return [
        objective.calc_ders_multi(row.tolist(), int(own), weight)
        for row, own, weight in zip(z[:6], t[:6], w[:6], strict=True)
    ]
