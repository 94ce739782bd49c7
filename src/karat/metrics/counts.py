"""The counts themselves: rows, or sums of weights."""

from __future__ import annotations

import math

from karat.metrics import Node, OneVsRest, Table, case, metric, total
from karat.metrics.fscores import THREE, THREE_ARITHMETIC
from karat.metrics.rates import LIVER_SOURCE, liver

_ANY = (0.0, math.inf)


@metric(
    aliases=("tp",),
    averages=("micro",),
    range=_ANY,
    better="higher",
    cases=[liver(gives="231", source=LIVER_SOURCE)],
    since="0.1",
)
def true_positives(c: OneVsRest) -> Node:
    """Rows of the class that were predicted as it."""
    return c.tp


@metric(
    aliases=("fp", "false_alarms"),
    averages=("micro",),
    range=_ANY,
    better="lower",
    perfect=0.0,
    cases=[liver(gives="32", source=LIVER_SOURCE)],
    since="0.1",
)
def false_positives(c: OneVsRest) -> Node:
    """Rows of another class that were predicted as this one."""
    return c.fp


@metric(
    aliases=("fn", "misses"),
    averages=("micro",),
    range=_ANY,
    better="lower",
    perfect=0.0,
    cases=[liver(gives="27", source=LIVER_SOURCE)],
    since="0.1",
)
def false_negatives(c: OneVsRest) -> Node:
    """Rows of the class that were predicted as another."""
    return c.fn


@metric(
    aliases=("tn", "correct_rejections"),
    averages=("micro",),
    range=_ANY,
    better="higher",
    cases=[liver(gives="54", source=LIVER_SOURCE)],
    since="0.1",
)
def true_negatives(c: OneVsRest) -> Node:
    """Rows of another class that were not predicted as this one."""
    return c.tn


@metric(
    aliases=("true_count",),
    averages=("micro",),
    range=_ANY,
    cases=[liver(gives="258", source=LIVER_SOURCE)],
    since="0.1",
)
def support(c: OneVsRest) -> Node:
    """Rows truly of the class."""
    return c.pos


@metric(
    averages=("micro",),
    range=_ANY,
    cases=[liver(gives="263", source=LIVER_SOURCE)],
    since="0.1",
)
def predicted_count(c: OneVsRest) -> Node:
    """Rows predicted as the class."""
    return c.pred_pos


@metric(
    range=_ANY,
    better="higher",
    cases=[case(cells=THREE, gives="71", source=THREE_ARITHMETIC)],
    since="0.1",
)
def correct_count(c: Table) -> Node:
    """Rows predicted as their true class."""
    return total(c.tp)
