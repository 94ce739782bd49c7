"""Means over folds as the estimates of a gate, with intervals that include training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from karat.api.fold_models import folds_of_models
from karat.api.gate.evaluation import NAMES, Estimates
from karat.api.gate.spec import GateSpec
from karat.data.rows import Rows
from karat.errors.together import refuse
from karat.metrics import get
from karat.results.fold_differences import fold_differences
from karat.results.folds import COVERS, FoldResult
from karat.results.gate.verdicts import Change, Measured, Settled

NOTE: Final = (
    "Rules are judged on means over folds. Their intervals (Nadeau-Bengio) cover test rows and "
    "training sets, for models trained on as many rows as those of a fold."
)
OF_REPEATS: Final = f"Over several repeats, {COVERS['repeats']}."
_NO_ROWS: Final[Settled] = (
    "INCONCLUSIVE",
    "not compared: the baseline has no rows with the same folds",
    True,
)


def over_folds(spec: GateSpec, rows: Mapping[str, Rows], estimates: Estimates) -> Estimates:
    """The means over folds of the metrics that were measured on all rows.

    Args:
        rows: of the model that is to pass, and, matched with them, of the baseline if it has folds.

    Errors:
        K237 a gate for every run; K251 repeats without ids or clusters; K256 the baseline has other
        folds.
    """
    if spec.anytime is not None:
        refuse("gate", "looks", {"folds": True})
    metrics = [get(name) for name in {**estimates.values, **estimates.changes}]
    models = folds_of_models(
        list(rows), list(rows.values()), metrics, spec.undefined, level=spec.level
    )
    new, old = models["new"], models.get("old")
    changes = {
        name: (
            _mean(new[name], measured.n),
            change if old is None else _change(new[name], old[name], change, spec.level),
        )
        for name, (measured, change) in estimates.changes.items()
    }
    return Estimates(
        values={name: _mean(new[name], x.n) for name, x in estimates.values.items()},
        changes=changes,
        notes=(NOTE,) if new.axis.n_repeats == 1 else (NOTE, OF_REPEATS),
        uncompared=_NO_ROWS if old is None else None,
    )


def _mean(fold: FoldResult, n: int) -> Measured:
    limits = fold.fold_mean, fold.low, fold.high
    return Measured(*limits, n, fold.undefined, fold.remark, is_of_folds=True)


def _change(new: FoldResult, old: FoldResult, change: Change, level: float) -> Change:
    """The difference of two means, of models whose difference on all rows is known."""
    (difference,) = fold_differences(NAMES, [new, old], [(0, 1)], level, is_adjusted=False)
    p_beyond = None
    if difference.standard_error > 0.0:
        p_beyond = difference.p_of_drop
    return Change(
        old.fold_mean,
        difference.fold_mean,
        difference.low,
        difference.high,
        difference.p,
        is_same=change.is_same,
        remark=difference.undefined,
        p_beyond=p_beyond,
    )
