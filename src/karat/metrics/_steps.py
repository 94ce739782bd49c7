"""Walks over the thresholds of a class, best first: what is reached by then, and where most is."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from karat.metrics._views import ClassRanks, Floats
from karat.tally import Steps

__all__ = ["gain_of_share", "largest", "weight_within"]


def weight_within(c: ClassRanks, amount: float) -> float:
    """Weight of true positives among the `amount` best; rows that tie count in proportion."""
    found = 0.0
    for steps in c.steps():
        taken = np.concatenate([[steps.tps_before + steps.fps_before], steps.tps + steps.fps])
        found = float(np.interp(amount, taken, np.concatenate([[steps.tps_before], steps.tps])))
        if amount <= taken[-1]:
            break
    return found


def gain_of_share(c: ClassRanks, share: float) -> float:
    """Share of the rows of the class found among the best share of all rows."""
    if not c.n_pos:
        return math.nan
    last = deque(c.steps(), maxlen=1)[0]
    # Of the cumulated weights themselves, so that all rows are all of them to the last bit.
    n_pos, n_neg = float(last.tps[-1]), float(last.fps[-1])
    return weight_within(c, share * (n_pos + n_neg)) / n_pos


def largest(c: ClassRanks, gain: Callable[[Steps], Floats]) -> tuple[float, float]:
    """The largest gain of a threshold, and the highest threshold that has it."""
    most, best = -math.inf, math.nan
    for steps in c.steps():
        gains = gain(steps)
        place = int(np.argmax(gains))
        if gains[place] > most:
            most, best = float(gains[place]), float(steps.thresholds[place])
    return most, best
