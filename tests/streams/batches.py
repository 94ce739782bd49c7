"""Rows that come in batches, streams that are merged in trees, and reports that are the same."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

import karat
from karat.api.report import Report
from tests.grouping import grouped
from tests.same import assert_same

WITHIN = 1e-12
KINDS = ("strings", "integers", "flags")
LABELS = {"strings": ["ant", "bee", "cat"], "integers": [7, -1, 3], "flags": [False, True]}


@dataclass
class Rows:
    """Columns of equal length by argument, and what evaluate and Stream are told of them."""

    columns: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(self.columns["y_true"])

    def take(self, part: Any) -> dict[str, Any]:
        taken = {name: column[part] for name, column in self.columns.items()}
        if self.options.get("weights_are") == "frequency":
            taken["weights"] = karat.Frequency(taken["weights"])
        return taken

    def evaluate(self) -> Report:
        return karat.evaluate(**grouped({**self.columns, **self.options}))

    def stream(self, **more: Any) -> karat.Stream:
        options = {name: x for name, x in self.options.items() if name != "weights_are"}
        return karat.Stream(**grouped({**options, **more}))

    def streamed(self, rng: np.random.Generator, n_parts: int, **more: Any) -> karat.Stream:
        """Shuffled, cut, given to several streams that are merged in some tree."""
        cuts = np.unique(rng.integers(1, self.n + 1, n_parts))
        batches = [part for part in np.split(rng.permutation(self.n), cuts) if len(part)]
        streams = [self.stream(**more) for _ in range(int(rng.integers(1, 4)))]
        for batch in batches:
            streams[int(rng.integers(len(streams)))].update(**self.take(batch))
        while len(streams) > 1:
            one, other = (streams.pop(int(rng.integers(len(streams)))) for _ in range(2))
            streams.append(again(one, rng).merge(again(other, rng)))
        return again(streams[0], rng)


def again(stream: karat.Stream, rng: np.random.Generator) -> karat.Stream:
    """The stream itself, or what its bytes or its pickle give."""
    made: list[Any] = [
        lambda: stream,
        lambda: karat.Stream.from_bytes(stream.to_bytes()),
        lambda: pickle.loads(pickle.dumps(stream)),
    ]
    return made[int(rng.integers(3))]()  # type: ignore[no-any-return]


@st.composite
def label_rows(draw: st.DrawFn) -> Rows:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind, n = draw(st.sampled_from(KINDS)), draw(st.integers(1, 40))
    labels = np.array(LABELS[kind][: draw(st.integers(2, 3))])
    columns = {name: rng.choice(labels, n) for name in ("y_true", "y_pred")}
    # Some label is in both: truth and predictions without a common one are refused.
    columns["y_pred"][0] = columns["y_true"][0]
    options = draw(common_options(labels))
    if draw(st.booleans()):
        columns["weights"] = weights_of(rng, n)
        columns["weights"][0] = 0.5
    return Rows(columns, options)


@st.composite
def score_rows(draw: st.DrawFn, max_n: int = 40) -> Rows:
    """Every class occurs, as the columns have to have their classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(KINDS))
    labels = np.array(LABELS[kind][: draw(st.integers(2, 3))])
    k = len(labels)
    n = draw(st.integers(k, max_n))
    y_true = rng.permutation(np.concatenate([labels, rng.choice(labels, n - k)]))
    is_prob = draw(st.booleans())
    values = np.round(rng.normal(size=(n, k)), draw(st.sampled_from((0, 1, 9))))
    if is_prob:
        values = np.exp(values)
        values /= values.sum(axis=1, keepdims=True)
    if k == 2 and draw(st.booleans()):
        values = values[:, 1]
    if draw(st.booleans()):
        values = values.astype(np.float32)
    columns = {"y_true": y_true, ("y_prob" if is_prob else "y_score"): values}
    options = draw(common_options(labels, has_scores=True))
    if draw(st.booleans()):
        columns["y_pred"] = rng.choice(labels, n)
    elif k == 2 and draw(st.booleans()):
        options["threshold"] = 0.375
    needs_positive = values.ndim == 1 or "threshold" in options
    if k == 2 and kind != "flags" and (needs_positive or draw(st.booleans())):
        options.setdefault("positive", labels[1])
    if draw(st.booleans()):
        columns["weights"] = weights_of(rng, n)
    return Rows(columns, options)


def weights_of(rng: np.random.Generator, n: int) -> Any:
    """Weights of which some are 0, but not all."""
    found = rng.integers(0, 9, n) * rng.integers(0, 2, n) / 8.0
    found[int(rng.integers(n))] = 0.5
    return found


@st.composite
def common_options(draw: st.DrawFn, labels: Any, *, has_scores: bool = False) -> dict[str, Any]:
    options: dict[str, Any] = {"n_replicates": 100}
    k = len(labels)
    if draw(st.booleans()):
        order = labels if k == 2 or not has_scores else np.sort(labels)
        options["labels"] = order.tolist()
        if draw(st.booleans()):
            options["class_names"] = [f"class {label}" for label in order.tolist()]
        if k == 2 and draw(st.booleans()):
            options["positive"] = labels[0]
    options["level"] = draw(st.sampled_from((0.95, 0.9, None)))
    if draw(st.booleans()):
        options["side"] = draw(st.sampled_from(("low", "high")))
    if draw(st.booleans()):
        options["method"] = "wald"
    options["undefined"] = draw(st.sampled_from(("zero", "exclude", "nan")))
    return options


def assert_reports(found: Report, wanted: Report, *, within: float = WITHIN) -> None:
    """The same classes, counts, values, intervals, reasons and curves."""
    assert found.n_rows == wanted.n_rows
    assert found.classes.labels == wanted.classes.labels
    assert [type(label) for label in found.labels] == [type(label) for label in wanted.labels]
    assert found.classes.display == wanted.classes.display
    assert found.classes.positive == wanted.classes.positive
    assert (found.scores, found.threshold) == (wanted.scores, wanted.threshold)
    exact = 0.0 if not found.cells.is_weighted else within
    assert found.cells.is_weighted == wanted.cells.is_weighted
    assert_same(found.cells.matrix(), wanted.cells.matrix(), within=exact)
    assert list(found.metrics) == list(wanted.metrics)
    for name, result in wanted.metrics.items():
        assert_results(found[name], result, within)
    for row, other in zip(found.per_class, wanted.per_class, strict=True):
        assert_rows(row, other, within)
    assert found.cautions == wanted.cautions


def assert_results(found: Any, wanted: Any, within: float) -> None:
    about = f"{found!r}, not {wanted!r}"
    for fact in ("name", "undefined", "definition", "level", "method", "exact", "bound", "n"):
        assert getattr(found, fact) == getattr(wanted, fact), f"{fact}: {about}"
    assert found.remark == wanted.remark, about
    assert_near(found.value, wanted.value, within, about)
    for fact in ("low", "high", "standard_error"):
        one, other = getattr(found, fact), getattr(wanted, fact)
        assert (one is None) == (other is None), f"{fact}: {about}"
        if one is not None:
            # A root of a difference of sums, and what logits and replicates make of it.
            assert_near(one, other, 1e-7 if within else 0.0, f"{fact}: {about}")


def assert_near(found: float, wanted: float, within: float, about: str) -> None:
    if math.isfinite(found) and math.isfinite(wanted):
        assert abs(found - wanted) <= within * max(1.0, abs(wanted)), about
    else:
        assert found == wanted or (math.isnan(found) and math.isnan(wanted)), about


def assert_rows(found: dict[str, Any], wanted: dict[str, Any], within: float) -> None:
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        if isinstance(value, float):
            assert_near(found[key], value, within, key)
        elif key == "intervals":
            assert found[key].keys() == value.keys()
        else:
            assert found[key] == value, key
