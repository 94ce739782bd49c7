"""Random calls of classification metrics on rows with sets of labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from tests.compat.sklearn_calls import Call, flag, zero_division
from tests.compat.sklearn_inputs import Drawer

Array = npt.NDArray[Any]


class SetDrawer(Drawer):
    """Draws the parts of one call on indicator matrices."""

    def __init__(self, seed: int | list[int]) -> None:
        super().__init__(seed)
        self.width = int(self.rng.choice([2, 3, 4, 7, 1], p=[0.3, 0.3, 0.2, 0.17, 0.03]))
        self.density = self.one(0.2, 0.5, 0.5, 0.8, 0.0)

    def marks(self) -> Array:
        """int64[n, width] of 0 and 1; whole rows and columns without a label are common."""
        found = self.rng.random((self.n, self.width)) < self.density
        found[:, self.rng.random(self.width) < 0.15] = self.chance(0.3)
        found[self.rng.random(self.n) < 0.15] = self.chance(0.3)
        return found.astype(np.int64)

    def pair(self) -> tuple[Any, Any]:
        true = self.marks()
        pred = np.where(self.rng.random(true.shape) < 0.6, true, self.marks())
        kind = self.one(*FORMS)
        other = self.one(*FORMS) if self.chance(0.3) else kind
        return self.changed(FORMS[kind](true)), self.changed(FORMS[other](pred))

    def truth_of_sets(self) -> tuple[Array, Any]:
        """A matrix of marks, and the same in a form that is not sparse, mostly."""
        true = self.marks()
        forms = FORMS if self.is_odd and self.chance(0.3) else DENSE
        return true, self.changed(FORMS[self.one(*forms)](true))

    def changed(self, values: Any) -> Any:
        """The values, sometimes of another shape, length or content."""
        if not self.is_odd or self.chance(0.6):
            return values
        return self.one(*CHANGES)(values, self)

    def scores_of_sets(self, marks: Array) -> Any:
        """float[n, width], with ties as often as not."""
        values = self.rng.random(marks.shape) + 0.4 * marks
        values = self.one(
            values, np.round(values, 1), np.round(values), np.full(values.shape, 0.5), values - 0.7,
            np.clip(values, 0, 1), np.round(np.clip(values, 0, 1), 1),
        )  # fmt: skip
        values = self.one(
            values, values, values, values.tolist(), values.astype(np.float32),
            np.asfortranarray(values), pd.DataFrame(values), (values * 3).astype(np.int64),
        )  # fmt: skip
        return self.changed(values)

    def columns(self) -> Any:
        """Labels to score: columns, or what is none."""
        if self.chance(0.6):
            return None
        every = list(range(self.width))
        odd = ([-1], [self.width], ["a"], [0.0], [True, False], [], None)
        drawn = self.one(
            every, every[::-1], every[:1], every[1:], every + every[:1], [0, 0],
            *(odd if self.is_odd else ()),
        )  # fmt: skip
        return self.one(drawn, np.array(drawn)) if drawn is not None else None


DENSE = (
    "int64", "int32", "uint8", "bool", "float", "float32", "list", "frame", "fortran", "strided",
    "frame of bools", "list of bools", "int64",
)  # fmt: skip


def stored_zeros(marks: Array) -> Any:
    rows, columns = np.indices(marks.shape).reshape(2, -1)
    kept = (marks.ravel() > 0) | (np.arange(marks.size) % 3 == 0)
    cells = marks.ravel()[kept], (rows[kept], columns[kept])
    return sparse.csr_array(cells, shape=marks.shape)


FORMS: dict[str, Callable[[Array], Any]] = {
    "int64": lambda marks: marks,
    "int32": lambda marks: marks.astype(np.int32),
    "uint8": lambda marks: marks.astype(np.uint8),
    "bool": lambda marks: marks > 0,
    "float": lambda marks: marks.astype(float),
    "float32": lambda marks: marks.astype(np.float32),
    "list": lambda marks: marks.tolist(),
    "list of bools": lambda marks: (marks > 0).tolist(),
    "frame": pd.DataFrame,
    "frame of bools": lambda marks: pd.DataFrame(marks > 0),
    "fortran": np.asfortranarray,
    "strided": lambda marks: np.repeat(marks, 2, axis=1)[:, ::2],
    "two": lambda marks: marks * 2,
    "minus": lambda marks: marks * 2 - 1,
    "one and two": lambda marks: marks + 1,
    "csr": sparse.csr_array,
    "csr of bools": lambda marks: sparse.csr_array(marks > 0),
    "csr matrix": sparse.csr_matrix,
    "csr of floats": lambda marks: sparse.csr_array(marks.astype(float)),
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "lil": sparse.lil_array,
    "csr of twos": lambda marks: sparse.csr_array(marks * 2),
    "stored zeros": stored_zeros,
    "coo with zeros": lambda marks: sparse.coo_array(stored_zeros(marks)),
}


def _with(values: Any, item: Any) -> Any:
    if sparse.issparse(values):
        changed = sparse.csr_array(values, dtype=float, copy=True)
        if changed.nnz:
            changed.data[-1] = item
        return changed
    changed = np.array(np.asarray(values), float)
    if changed.size:
        changed.flat[-1] = item
    return changed


def _rows(values: Any) -> Any:
    return values.tocsr() if sparse.issparse(values) else values


def _narrow(values: Any) -> Any:
    if isinstance(values, list):
        return [row[:-1] if isinstance(row, list) else row for row in values]
    if getattr(values, "ndim", 2) != 2:
        return values
    return getattr(values, "iloc", _rows(values))[:, :-1]


CHANGES: tuple[Callable[[Any, SetDrawer], Any], ...] = (
    lambda values, draw: _rows(values)[:-1],
    lambda values, draw: _rows(values)[:0],
    lambda values, draw: _narrow(values),
    lambda values, draw: _with(values, 7.0),
    lambda values, draw: _with(values, 0.5),
    lambda values, draw: _with(values, np.nan),
    lambda values, draw: _with(values, np.inf),
    lambda values, draw: np.arange(draw.n) % 2,
    lambda values, draw: np.arange(draw.n) % 3,
    lambda values, draw: (
        values if sparse.issparse(values) else np.asarray(_with(values, 1.0), object)
    ),
    lambda values, draw: np.array([["a", "b"]] * draw.n),
    lambda values, draw: [[0], [0, 1]] * draw.n,
    lambda values, draw: None,
    lambda values, draw: np.ones((draw.n, draw.width, 2)),
    lambda values, draw: np.zeros((draw.n, 0)),
)  # fmt: skip


def _average(draw: SetDrawer) -> Any:
    odd = ["binary", "mean", 3] if draw.is_odd else []
    return draw.one("macro", "micro", "weighted", "samples", "samples", None, *odd)


def rates(draw: SetDrawer, name: str) -> Call:
    given: dict[str, Any] = {"labels": draw.columns(), "sample_weight": draw.weights()}
    given["average"] = _average(draw)
    if draw.chance(0.15):
        given["pos_label"] = draw.one(1, 0, None, "a")
    if draw.chance(0.5):
        given["zero_division"] = zero_division(draw)
    if name == "fbeta_score" or (name.endswith("support") and draw.chance(0.5)):
        given["beta"] = draw.one(1, 2, 0.5, 0, np.inf, *((-1,) if draw.is_odd else ()))
    if name.endswith("support") and draw.chance(0.3):
        given["warn_for"] = draw.one(("recall",), ["f-score"], {"precision", "recall"}, ())
    return Call(name, draw.pair(), given)


def labels_only(draw: SetDrawer, name: str) -> Call:
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if name in ("accuracy_score", "zero_one_loss") and draw.chance(0.5):
        given["normalize"] = flag(draw)
    if name == "multilabel_confusion_matrix":
        given |= {"labels": draw.columns(), "samplewise": flag(draw)}
    return Call(name, draw.pair(), given)


def report(draw: SetDrawer, name: str) -> Call:
    given: dict[str, Any] = {"labels": draw.columns(), "sample_weight": draw.weights()}
    if draw.chance(0.4):
        given["output_dict"] = flag(draw)
    if draw.chance(0.4):
        given["digits"] = draw.one(0, 3, 5, 14)
    if draw.chance(0.4):
        given["zero_division"] = zero_division(draw)
    if draw.chance(0.3):
        names = ["one", "a name as long as this one", "drei", "4", "5", "6", "7"]
        given["target_names"] = draw.one(names[: draw.width], names, names[:1])
    return Call(name, draw.pair(), given)


def areas(draw: SetDrawer, name: str) -> Call:
    marks, true = draw.truth_of_sets()
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if draw.chance(0.85):
        given["average"] = _average(draw)
    if name == "roc_auc_score":
        if draw.chance(0.2):
            given["max_fpr"] = draw.one(0.5, 1, 1.0, 0.1, *((0, 2) if draw.is_odd else ()))
        if draw.chance(0.1):
            given["multi_class"] = draw.one("ovr", "ovo", "raise")
    elif draw.chance(0.1):
        given["pos_label"] = draw.one(1, 0, 2, True)
    return Call(name, (true, draw.scores_of_sets(marks)), given)


def of_probabilities(draw: SetDrawer, name: str) -> Call:
    marks, true = draw.truth_of_sets()
    values = np.clip(draw.rng.random(marks.shape) * 0.8 + 0.2 * marks, 0, 1)
    values = draw.one(values, np.round(values), np.round(values, 1), values.astype(np.float32))
    sums = np.maximum(values.sum(axis=1, keepdims=True), 1e-3)
    values = draw.one(values, values, values, values / sums, values.tolist(), values[:, 0])
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if draw.chance(0.15):
        given["labels"] = draw.one([*range(draw.width)], [0, 1], [1, 0], np.arange(draw.width))
    if name == "log_loss" and draw.chance(0.4):
        given["normalize"] = flag(draw)
    if name == "brier_score_loss" and draw.chance(0.4):
        given["scale_by_half"] = draw.one(True, False, "auto")
    return Call(name, (true, draw.changed(values)), given)


def within_rows(draw: SetDrawer, name: str) -> Call:
    marks, true = draw.truth_of_sets()
    if name in ("label_ranking_loss", "label_ranking_average_precision_score"):
        true = draw.changed(FORMS[draw.one(*FORMS)](marks))
    given: dict[str, Any] = {"sample_weight": draw.weights()}
    if "dcg" in name:
        gains = marks * draw.rng.integers(1, 4, marks.shape)
        true = draw.one(true, gains, gains * 0.7, gains.tolist(), pd.DataFrame(gains))
        true = draw.one(true, gains - 1) if draw.is_odd else true
        if draw.chance(0.5):
            given["k"] = draw.one(None, 1, 2, 3, 20, *((0, 1.5, "1") if draw.is_odd else ()))
        if draw.chance(0.4):
            given["ignore_ties"] = flag(draw)
        if name == "dcg_score" and draw.chance(0.4):
            given["log_base"] = draw.one(2, 10, 1.5, np.e, *((0, -1, "2") if draw.is_odd else ()))
    return Call(name, (true, draw.scores_of_sets(marks)), given)


FAMILIES: dict[Callable[[SetDrawer, str], Call], tuple[str, ...]] = {
    rates: (
        "precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score",
        "precision_recall_fscore_support",
    ),
    labels_only: (
        "accuracy_score", "balanced_accuracy_score", "hamming_loss", "matthews_corrcoef",
        "multilabel_confusion_matrix", "class_likelihood_ratios", "zero_one_loss",
        "confusion_matrix", "cohen_kappa_score",
    ),
    report: ("classification_report",),
    within_rows: (
        "coverage_error", "label_ranking_average_precision_score", "label_ranking_loss",
        "ndcg_score", "dcg_score",
    ),
    areas: ("roc_auc_score", "average_precision_score"),
    of_probabilities: ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"),
}  # fmt: skip

DRAWN: dict[str, Callable[[SetDrawer, str], Call]] = {
    name: made for made, names in FAMILIES.items() for name in names
}


def set_call_of(seed: int, number: int) -> Call:
    """One of the calls of a seed; every function has its turn."""
    names = sorted(DRAWN)
    name = names[number % len(names)]
    return DRAWN[name](SetDrawer([seed, number, 1]), name)
