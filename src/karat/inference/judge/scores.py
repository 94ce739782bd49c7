"""Prediction-powered metrics of scores, from the influence of every row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import Confidence, Interval
from karat.inference.judge.labels import Powered
from karat.inference.judge.tuning import Both, Tuned
from karat.inference.score_intervals import measured_with_influence, score_interval
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import ScoredRows

Three = tuple[ScoredRows, ScoredRows, ScoredRows]
"""Gold rows by their gold labels, gold rows by the judge's, reference rows by the judge's."""


def powered_scores(
    metrics: Sequence[Metric],
    rows: Three,
    both: Both,
    confidence: Confidence,
    policy: Policy = "zero",
    clusters: npt.NDArray[np.int64] | None = None,
) -> dict[Metric, Powered]:
    """Return metrics of scores with their intervals.

    The interval is the ordinary one of the gold rows, around the value that the judge's labels
    improve, with a variance that is smaller by the gain.

    Args:
        metrics: metrics with an influence function, of one number each.
        clusters: int64[g], cluster of each gold row, from 0; None: rows are independent.
    """
    given = metrics, policy, confidence
    gold_values, intervals, of_gold = measured_with_influence(rows[0], *given, clusters)
    judge_values, _, of_judge = measured_with_influence(rows[1], *given)
    rest_values, _, of_rest = measured_with_influence(rows[2], *given)
    found = {}
    for metric in metrics:
        alone = float(gold_values[metric].value)
        interval = intervals.intervals.get(metric, Interval())
        judged, rest = (float(x[metric].value) for x in (judge_values, rest_values))
        tuned = Tuned(0.0, 1.0, math.nan)
        if all(map(math.isfinite, (alone, judged, rest))):
            tuned = both.tuned(of_gold(metric), of_judge(metric), of_rest(metric))
        if not tuned.weight or interval.sampling is None:
            tuned = replace(tuned, weight=0.0, gain=1.0)
            found[metric] = Powered(alone, interval, tuned, both.gold.n)
            continue
        value = alone + tuned.weight * (rest - judged)
        low, high = metric.range
        value = min(max(value, low), high)
        spread, gain = interval.sampling, tuned.gain
        narrower = replace(
            spread,
            variance=spread.variance / gain,
            shrunk=spread.shrunk / gain,
            n_effective=spread.n_effective * gain,
            n_informative=spread.n_informative * gain,
        )
        limits = score_interval(metric, value, narrower, confidence, spread.n_rest * gain)
        found[metric] = Powered(value, limits, tuned, both.gold.n * gain)
    return found
