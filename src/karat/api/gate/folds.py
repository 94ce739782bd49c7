"""Rules of a gate on means over folds, with intervals that include training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from karat.api.fold_models import folds_of_models
from karat.api.gate.evaluation import Evaluation
from karat.api.gate.spec import GateSpec
from karat.data.rows import Rows
from karat.designs.folds import MeanOfFolds
from karat.errors.together import refuse
from karat.metrics import Metric
from karat.results.fold_differences import FoldDifference
from karat.results.folds import COVERS, FoldResult
from karat.results.gate.verdicts import Case, Change, Measured, Settled

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


def cases_over_folds(
    run: Evaluation, cases: Sequence[Case], spec: GateSpec
) -> tuple[list[Case], tuple[str, ...]]:
    """Return the cases of all rows, measured as means over the folds of their rows, and notes.

    Errors:
        K237 a gate for every run; K251 repeats without ids or clusters; K256 the baseline has other
        folds.
    """
    if spec.anytime is not None:
        refuse("gate", "looks", {"folds": True})
    metrics = list(dict.fromkeys(case.rule.metric for case in cases))
    sides = _sides(run)
    models = folds_of_models(
        list(sides), list(sides.values()), metrics, spec.undefined, level=spec.level
    )
    results = {
        name: {str(metric): folds[metric] for metric in metrics} for name, folds in models.items()
    }
    notes = (NOTE,) if models["new"].axis.n_repeats == 1 else (NOTE, OF_REPEATS)
    return [_case(case, case.rule.metric, results, spec) for case in cases], notes


def _sides(run: Evaluation) -> dict[str, Rows]:
    """Return the rows that are to pass, and those of the baseline if they have folds."""
    if run.matched is None or run.matched[1].folds is None:
        assert isinstance(run.current, Rows)
        return {"new": run.current}
    return dict(zip(("new", "old"), run.matched, strict=True))


def _case(
    case: Case, metric: Metric, results: dict[str, dict[str, FoldResult]], spec: GateSpec
) -> Case:
    now = results["new"][str(metric)]
    n = 0 if case.measured is None else case.measured.n
    measured = Measured(now.fold_mean, now.low, now.high, n, now.undefined, now.remark)
    made = replace(case, rule=replace(case.rule, is_of_folds=True), measured=measured, change=None)
    if not case.rule.needs_baseline:
        return made
    if "old" not in results:
        return replace(made, settled=_NO_ROWS)
    then = results["old"][str(metric)]
    found = FoldDifference.of(("new", "old"), now, then, spec.level)
    is_same = case.change is not None and case.change.is_same
    beyond = None
    if found.low is not None:
        sign = 1.0 if metric.better == "lower" else -1.0
        drops = MeanOfFolds.of([sign * x for x in found.values], found.test_train_ratio)
        beyond = None if drops.is_constant else drops.p_above(case.rule.bound)
    change = Change(
        then.fold_mean,
        found.fold_mean,
        found.low,
        found.high,
        found.p,
        is_same=is_same,
        remark=found.undefined,
        p_beyond=beyond,
    )
    return replace(made, change=change)
