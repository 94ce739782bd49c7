"""Every number of another library that a record claims to equal, computed by that library."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import karat
from karat.compat.catboost import capabilities
from karat.metrics import Equal, Record, all_records, equal, get
from karat.metrics._equal import names_in
from tests.library_calls import WHERE, free_names_in, value_of
from tests.optional import optional
from tests.oracles.libraries import READ, WITHIN, adapted, takes_weights
from tests.oracles.problems import Problem, problems
from tests.same import assert_same

CLAIMS = [
    (record, claim, call)
    for record in all_records()
    for claim in record.equals
    for call in claim.calls
]
VALUES: dict[str, tuple[Any, ...]] = {
    "adjusted": (False, True),
    "beta": (0.5, 1.0, 2.0),
    "bins": (5, 15),
    "k": (1, 2),
    "max_fpr": (None, 0.4),
    "min_precision": (0.5, 0.75),
    "norm": ("l1", "l2"),
}
N_EACH = 12
MATRICES = ("cost", "disagreement")


@cache
def all_problems() -> tuple[Problem, ...]:
    return tuple(problems(N_EACH))


def matrix(k: int) -> Any:
    """float64[k, k]: 0 on the diagonal, whole numbers elsewhere, not symmetric."""
    found = np.random.default_rng(k).integers(1, 5, (k, k)).astype(np.float64)
    np.fill_diagonal(found, 0.0)
    return found


def bindings(record: Record, claim: Equal, call: str, k: int) -> Iterator[dict[str, Any]]:
    """Every choice of values for the bare names of a call, for k classes."""
    averages = claim.averages or (None, *record.averages)
    free = sorted(free_names_in(call))
    values = {**VALUES, "average": averages, **dict.fromkeys(MATRICES, (matrix(k),))}
    choices = [values[name] for name in free]
    for chosen in itertools.product(*choices):
        yield dict(zip(free, chosen, strict=True))


def fits(record: Record, claim: Equal, call: str, problem: Problem) -> bool:
    """Whether the claim says anything about a problem."""
    is_of_one = record.is_per_class and "average" not in {*claim.here, *free_names_in(call)}
    is_of_two = "two classes" in claim.where or is_of_one
    if is_of_two and problem.k != 2:
        return False
    has_weights = problem.weights is not None
    if has_weights and not takes_weights(claim.library, functions_in(call)):
        return False
    finds_classes = claim.library in ("CatBoost", "oneDAL", "torchmetrics")
    needs_both = finds_classes or "Binary" in call
    if is_of_two and not needs_both and len({*problem.y_true, *problem.y_pred}) < 2:
        return False
    return problem.holds(claim.where)


def functions_in(call: str) -> frozenset[str]:
    return frozenset(name for name in names_in(call) if name + "(" in call)


def ours(record: Record, claim: Equal, problem: Problem, params: dict[str, Any]) -> Any:
    given: dict[str, Any] = {**claim.here, **params}
    if problem.weights is not None:
        given["weights"] = problem.weights
    is_told = claim.library in ("CatBoost", "oneDAL", "torchmetrics")
    if problem.has_labels or is_told or not record.is_traced:
        given["labels"] = problem.labels
    function = getattr(karat, record.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        if record.is_traced:
            return function(problem.y_true, problem.y_pred, **given)
        if claim.given == "y_score":
            scores = (
                problem.margin
                if problem.k == 2 and "Multi" not in claim.calls[0]
                else problem.scores
            )
            return function(problem.y_true, y_score=scores, **given)
        return function(problem.y_true, y_prob=problem.prob, **given)


def theirs(claim: Equal, call: str, problem: Problem, params: dict[str, Any]) -> Any:
    read = READ[claim.library]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return value_of(call, lambda name, given: read(problem, name, given), params)


def check(record: Record, claim: Equal, call: str) -> int:
    """Compare on every problem; how many finite values were compared."""
    seen: list[float] = []
    for problem in all_problems():
        if not fits(record, claim, call, problem):
            continue
        for params in bindings(record, claim, call, problem.k):
            mine = np.asarray(ours(record, claim, problem, params), np.float64)
            other = np.asarray(theirs(claim, call, problem, params), np.float64)
            if "it is finite" in claim.where:
                other = np.where(np.isfinite(mine), other, mine)
            about = f"{record.name} {params} {call} k={problem.k} n={len(problem.y_true)}"
            assert_same(mine, other, within=WITHIN[claim.library], about=about)
            seen += [float(value) for value in np.ravel(mine) if np.isfinite(value)]
    # A claim that is never tried, or always 0, would prove nothing.
    assert len({round(value, 9) for value in seen}) >= 3, f"{call}: {len(seen)} values"
    return len(seen)


@pytest.mark.parametrize(
    ("record", "claim", "call"),
    CLAIMS,
    ids=[f"{record.name} {claim.library} {call}" for record, claim, call in CLAIMS],
)
def test_the_library_gives_the_number(record: Record, claim: Equal, call: str) -> None:
    assert check(record, claim, call) > 0


def test_the_area_by_trapezoids_is_that_of_scikit_learns_curve() -> None:
    module = optional("sklearn.metrics")
    tried = [p for p in all_problems() if p.k == 2 and p.holds("every class is true")]
    assert len(tried) >= 6
    for problem in tried:
        precision, recall, _ = module.precision_recall_curve(
            problem.y_true, problem.prob[:, 1], sample_weight=problem.weights
        )
        mine = karat.pr_auc_trapezoid(
            problem.y_true, y_prob=problem.prob, weights=problem.weights, labels=problem.labels
        )
        assert_same(mine, module.auc(recall, precision), within=1e-12)


def wrong(name: str, library: str, call: str, **more: Any) -> Any:
    """A claim that does not hold, of the kind that is easily believed."""
    return pytest.param(get(name).record, equal(library, call, **more), id=f"{name} {call}")


@pytest.mark.parametrize(
    ("record", "claim"),
    [
        wrong("precision", "scikit-learn", "recall_score(average=average)"),
        wrong("f1_of_macro_averages", "scikit-learn", "f1_score(average='macro')"),
        wrong("f1", "oneDAL", "MulticlassConfusionMatrix()['macroFscore']", average="macro"),
        wrong("accuracy", "oneDAL", "MulticlassConfusionMatrix()['averageAccuracy']"),
        wrong("accuracy", "torchmetrics", "MulticlassAccuracy()"),
        wrong("kappa_linear", "CatBoost", "WKappa()"),
        wrong("f1", "CatBoost", "TotalF1()", average="macro"),
        wrong("f_beta", "scikit-learn", "fbeta_score(beta=1.5, average=average)"),
        wrong("recall", "CatBoost", "Recall()", average=None),
        wrong(
            "expected_calibration_error", "torchmetrics", "MulticlassCalibrationError()", bins=10
        ),
        wrong("equal_error_rate", "torchmetrics", "BinaryEER()", where="every class is true"),
        wrong("mutual_information", "PyCM", "overall_stat['Mutual Information']"),
        wrong("roc_auc", "PyCM", "class_stat['AUC']", average=None, where="every class is true"),
        wrong("specificity", "imbalanced-learn", "specificity_score(average=average)"),
    ],
)
def test_a_wrong_claim_is_found(record: Record, claim: Equal) -> None:
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check(record, claim, claim.calls[0])


def test_a_number_that_is_a_little_off_is_found() -> None:
    record = get("accuracy").record
    for claim in record.equals:
        within = WITHIN[claim.library]
        shifted = f"{claim.calls[0]} * (1 + {10 * within})"
        with pytest.raises(AssertionError, match="Not equal to tolerance"):
            check(record, claim, shifted)


def test_a_claim_that_no_problem_fits_is_found() -> None:
    claim = equal("scikit-learn", "accuracy_score()", where="two classes, three or more classes")
    with pytest.raises(AssertionError, match="0 values"):
        check(get("accuracy").record, claim, claim.calls[0])


def test_every_claim_says_its_conditions_in_the_words_of_the_table() -> None:
    for record, claim, call in CLAIMS:
        assert claim.library in READ, record
        assert {part for part in claim.where.split(", ") if part} <= set(WHERE), record
        known = {"average", *(item.name for item in record.parameters)}
        assert free_names_in(call) <= known, (record, call)


def test_a_record_says_nothing_twice() -> None:
    said = [(record.name, claim.library, call) for record, claim, call in CLAIMS]
    assert len(said) == len(set(said))


ADAPTED = [
    (record, claim, call)
    for record, claim, call in CLAIMS
    if claim.library == "CatBoost"
    and names_in(call) <= {*capabilities(), "AUCMulticlass", "PRAUCMulticlass"}
]


@pytest.mark.parametrize(("record", "claim", "call"), ADAPTED, ids=[call for _, _, call in ADAPTED])
def test_the_adapter_gives_what_catboost_gives(record: Record, claim: Equal, call: str) -> None:
    n_values = 0
    for problem in all_problems():
        if problem.weights is not None or not fits(record, claim, call, problem):
            continue
        for params in bindings(record, claim, call, problem.k):
            read = lambda name, given: adapted(problem, name, given)  # noqa: B023, E731
            mine = np.asarray(value_of(call, read, params), np.float64)
            other = np.asarray(theirs(claim, call, problem, params), np.float64)
            assert_same(mine, other, within=WITHIN["CatBoost"], about=call)
            n_values += mine.size
    assert n_values > 0


def test_the_names_of_a_library_are_functions_that_are_called_and_items_that_are_texts() -> None:
    assert names_in("f(beta=beta)['x'][0] + 2 * g(h(1), a=b)") == {"f", "g", "h", "x"}
