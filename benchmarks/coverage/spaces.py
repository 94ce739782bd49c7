"""Boxes of designs, one for each family: what the search looks through, and what it found there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from benchmarks.coverage.labels import AGREEMENT, MEANS, ODD, OF_TWO, RATIOS, SHARES
from benchmarks.coverage.populations import (
    error_table,
    finite,
    rows_for,
    table_of,
    tables,
    unequal_clusters,
    weighted,
)
from benchmarks.coverage.scores import softmax
from benchmarks.coverage.study import Design

__all__ = ["FOUND", "SPACES", "Axis", "Place", "Space", "designs_found"]

FOUND: Final = Path(__file__).with_name("found.json")
"""The worst designs that the search has found: the study measures them too."""
_SIZE: Final = 60_000


class Axis(NamedTuple):
    """One number of a design.

    Attributes:
        low, high: its ends.
        is_log: whether places are even on a logarithmic scale.
    """

    low: float
    high: float
    is_log: bool = False

    def at(self, share: float) -> float:
        """The value at a share of the way."""
        if self.is_log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + (self.high - self.low) * share


Place: TypeAlias = Mapping[str, float]
"""One value for each axis."""


@dataclass(frozen=True)
class Space:
    """A box of designs.

    Attributes:
        name: of the box; that of the family where it has one box.
        axes: what a design is made of, by name.
        draw: makes the design of a place; what else is random of it comes from the generator.
    """

    name: str
    axes: Mapping[str, Axis]
    draw: Callable[[np.random.Generator, Place], Design]

    @property
    def family(self) -> str:
        """Of intervals that are studied together: what stands before a colon."""
        return self.name.partition(":")[0]

    def design(self, place: Place, seed: int) -> Design:
        """The design of a place, of which the seed draws what the place leaves open."""
        found = self.draw(np.random.default_rng(seed), place)
        told = ", ".join(f"{name} {value:.3g}" for name, value in place.items())
        return replace(found, name=f"{told} (seed {seed})")

    def about(self) -> str:
        """The box in words."""
        return ", ".join(f"{name} {one.low:g} to {one.high:g}" for name, one in self.axes.items())


def designs_found(family: str) -> Iterator[Design]:
    """The designs of a family that the search found."""
    spaces = {space.name: space for space in SPACES if space.family == family}
    for one in json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else ():
        if one["name"] in spaces:
            yield spaces[one["name"]].design(one["place"], one["seed"])


def _of_table(family: str, metrics: tuple[str, ...], table: np.ndarray, rarest: float) -> Design:
    source = tables(table, rows_for(table, rarest))
    return Design(family, "", metrics, {"confusion": table}, source)


def _of_two(family: str, metrics: tuple[str, ...]) -> Space:
    def draw(rng: np.random.Generator, at: Place) -> Design:
        del rng
        missed, alarms = at["positives missed"], at["false alarms"]
        table = table_of(at["prevalence"], 1.0 - missed, 1.0 - alarms)
        return _of_table(family, metrics, table, at["rows of the rarest class"])

    return Space(
        family,
        {
            "prevalence": Axis(0.03, 0.5, is_log=True),
            "positives missed": Axis(0.01, 0.5, is_log=True),
            "false alarms": Axis(0.01, 0.5, is_log=True),
            "rows of the rarest class": Axis(20, 200, is_log=True),
        },
        draw,
    )


def _of_classes(family: str, recall: Axis) -> Space:
    def draw(rng: np.random.Generator, at: Place) -> Design:
        k = round(at["classes"])
        shares = rng.gamma(at["evenness"], size=k) + 0.1
        each = 1.0 - (1.0 - at["recall"]) * rng.gamma(4.0, size=k) / 4.0
        table = error_table(rng, shares / shares.sum(), np.clip(each, 0.05, 0.999))
        return _of_table(family, MEANS, table, at["rows of the rarest class"])

    axes = {
        "classes": Axis(3, 15, is_log=True),
        "evenness": Axis(0.7, 20, is_log=True),
        "recall": recall,
        "rows of the rarest class": Axis(20, 100, is_log=True),
    }
    return Space(family, axes, draw)


def _rare(rng: np.random.Generator, at: Place) -> Design:
    k = round(at["classes"])
    shares = 1.0 / np.arange(1, k + 1) ** at["exponent"]
    table = error_table(rng, shares / shares.sum(), np.full(k, at["recall"]))
    return replace(
        _of_table("rare classes", MEANS, table, at["rows of the rarest class"]), is_small=True
    )


def _clusters(rng: np.random.Generator, at: Place) -> Design:
    k = round(at["classes"])
    table = error_table(rng, np.full(k, 1.0 / k), np.full(k, at["accuracy"]))
    source = unequal_clusters(
        table, round(at["clusters"]), at["size"], at["spread of sizes"], at["within"]
    )
    return Design("unequal clusters", "", ODD, {"confusion": table}, source)


def _weights(rng: np.random.Generator, at: Place) -> Design:
    k = round(at["classes"])
    table = error_table(rng, np.full(k, 1.0 / k), np.full(k, at["accuracy"]))
    goes_with = at["errors weigh twice"] >= 0.5
    source, population = weighted(
        table, round(at["rows"]), at["spread of weights"], goes_with=goes_with
    )
    return Design("weights, clusters, case-control", "", ODD, population, source)


def _of_column(metrics: tuple[str, ...]) -> Callable[[np.random.Generator, Place], Design]:
    return lambda rng, at: _areas(rng, at, metrics)


def _areas(rng: np.random.Generator, at: Place, metrics: tuple[str, ...]) -> Design:
    m = round(_SIZE * at["share positive"])
    positive = at["shift"] * (rng.random(m) >= at["hard positives"])
    positive = positive + at["spread of positives"] * rng.normal(size=m)
    scores = np.concatenate([rng.normal(size=_SIZE - m), positive])
    if at["width of levels"] >= 0.1:
        scores = np.floor(scores / at["width of levels"])
    y = np.repeat([0, 1], [_SIZE - m, m])
    n = round(at["positives"] / at["share positive"])
    source, population = finite({"y_true": y, "y_score": scores}, n, labels=[0, 1])
    return Design("areas of one column", "", metrics, population, source)


_LOSSES: Final = ("log_loss", "brier", "d2_log_loss", "d2_brier", "calibration_in_the_large")


def _losses(rng: np.random.Generator, at: Place) -> Design:
    y = (rng.random(_SIZE) < at["prevalence"]).astype(int)
    s = rng.normal(size=_SIZE) + at["shift"] * y
    odds = at["shift"] * s - at["shift"] ** 2 / 2.0
    odds += np.log(at["prevalence"] / (1.0 - at["prevalence"]))
    z = np.stack([np.zeros(_SIZE), odds + at["bias"]], axis=1)
    rows = {"y_true": y, "y_prob": softmax(z, at["sharpness"])}
    n = round(at["positives"] / at["prevalence"])
    source, population = finite(rows, n, labels=[0, 1])
    return Design("means", "", _LOSSES, population, source)


_COLUMN: Final = {
    "shift": Axis(0.3, 3.8),
    "spread of positives": Axis(0.4, 2.0),
    "hard positives": Axis(0.0, 0.12),
    "width of levels": Axis(0.0, 1.5),
    "share positive": Axis(0.05, 0.5, is_log=True),
    "positives": Axis(20, 120, is_log=True),
}
SPACES: Final = (
    _of_two("shares", SHARES),
    _of_two("agreement", tuple(dict.fromkeys((*OF_TWO, *AGREEMENT)))),
    _of_classes("means of classes", Axis(0.45, 0.97)),
    _of_two("ratios", RATIOS),
    Space(
        "weights, clusters, case-control",
        {
            "classes": Axis(2, 5),
            "accuracy": Axis(0.6, 0.97),
            "rows": Axis(150, 1500, is_log=True),
            "spread of weights": Axis(0.2, 1.2),
            "errors weigh twice": Axis(0, 1),
        },
        _weights,
    ),
    Space("areas of one column", _COLUMN, _of_column(("roc_auc", "average_precision"))),
    Space("areas of one column: straight lines", _COLUMN, _of_column(("pr_auc_trapezoid",))),
    Space(
        "means",
        {
            "shift": Axis(0.5, 3.5),
            "sharpness": Axis(0.5, 2.5),
            "bias": Axis(-1.0, 1.0),
            "prevalence": Axis(0.05, 0.5, is_log=True),
            "positives": Axis(20, 120, is_log=True),
        },
        _losses,
    ),
    _of_classes("means near 1", Axis(0.97, 0.995)),
    Space(
        "rare classes",
        {
            "classes": Axis(8, 40, is_log=True),
            "exponent": Axis(0.5, 1.5),
            "recall": Axis(0.5, 0.95),
            "rows of the rarest class": Axis(4, 20, is_log=True),
        },
        _rare,
    ),
    Space(
        "unequal clusters",
        {
            "classes": Axis(2, 5),
            "clusters": Axis(20, 120, is_log=True),
            "size": Axis(4, 20, is_log=True),
            "spread of sizes": Axis(0.0, 1.0),
            "accuracy": Axis(0.65, 0.97),
            "within": Axis(0.05, 0.5),
        },
        _clusters,
    ),
)
"""Every box, in the order of the page."""
