"""The loss of rows with several labels: values, derivatives, forms of targets, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat import _native
from karat.errors import KaratError
from karat.objectives import (
    CatBoostObjective,
    LightGBMObjective,
    XGBoostObjective,
    multiclass_one_vs_all,
    multilabel,
)
from tests.objectives import reference
from tests.optional import optional
from tests.same import assert_same

RELATIVE = 4e-15
"""Of e^z for |z| up to 1000, and of sums of a few such terms."""


def rows(n: int, k: int, seed: int = 0, scale: float = 3.0) -> tuple[Any, Any, Any, Any]:
    """Scores, an indicator, soft targets (0 and 1 among them) and weights."""
    rng = np.random.default_rng([seed, n, k])
    soft = rng.integers(0, 9, (n, k)) / 8
    return rng.normal(0, scale, (n, k)), soft.round(), soft, rng.lognormal(size=n)


def check_row(z: list[float], y: list[float], within: float = RELATIVE) -> None:
    """A row agrees with the definition; where y is p to many digits, to the size of its terms."""
    found = multilabel([z], [y], diagonal=True)
    loss, gradient, hessian = reference.multilabel(z, y)
    for value, wanted in ((found.loss[0], loss), (found.hessian[0], hessian)):
        np.testing.assert_allclose(value, wanted, within, 1e-307)
    is_hard = np.isin(y, (0.0, 1.0))
    # The terms that are subtracted are as large as the second derivative.
    slack = np.where(is_hard, 1e-307, within * np.array(hessian))
    difference = abs(found.gradient[0] - gradient)
    assert (difference <= within * abs(np.array(gradient)) + slack).all(), (z, y)


@pytest.mark.parametrize("scale", [0.1, 3.0, 30.0, 300.0])
def test_values_are_those_of_the_definition(scale: float) -> None:
    z, hard, soft, _ = rows(20, 4, scale=scale)
    for targets in (hard, soft):
        for row, truth in zip(z.tolist(), targets.tolist(), strict=True):
            check_row(row, truth)


def test_nothing_is_lost_at_the_ends() -> None:
    for z in (0.0, 5e-324, 1e-9, 36.0, 40.0, 500.0, 700.0):
        for y in (0.0, 1.0, 0.5, 1e-17, 1 - 2**-53):
            check_row([z, -z], [y, 1.0])
    most = float(np.finfo(float).max)
    found = multilabel([[most, -most], [most / 4, 1e300]], [[1, 1], [0, 0.5]], diagonal=True)
    assert all(np.isfinite(values).all() for values in found)
    assert_same(found.loss[0], most / 2)
    # Controls: another reference is found.
    for z, y in (([0.3, -0.2], [1.0, 0.25]), ([40.0, -2.0], [1.0, 0.0])):
        check_row(z, y)
        with pytest.raises(AssertionError):
            check_row(z, [0.99, y[1]] if y[0] == 1 else y, within=0.0)
    assert multilabel([[40.0, 0.0]], [[1, 0]], diagonal=True).gradient[0, 0] < 0
    assert 1 / (1 + np.exp(-40.0)) - 1 == 0


def test_one_label_a_row_is_one_class_against_the_rest() -> None:
    z, _, _, w = rows(3000, 7)
    t = np.arange(3000) % 7
    for options in ({"diagonal": True}, {}, {"n_threads": 2}):
        wanted = multiclass_one_vs_all(z, t, w, **options)
        for found, value in zip(multilabel(z, np.eye(7)[t], w, **options), wanted, strict=True):
            assert_same(found, value)


def test_derivatives_are_finite_differences_of_the_sum_over_the_labels() -> None:
    z, _, soft, w = rows(30, 3, 1)
    found, step = multilabel(z, soft, w), 1e-5
    for j in range(3):
        shift = step * np.eye(3)[j]
        up, down = multilabel(z + shift, soft, w), multilabel(z - shift, soft, w)
        slope = 3 * (up.loss - down.loss) / (2 * step)
        assert_same(slope, found.gradient[:, j], within=1e-8)
        bend = (up.gradient - down.gradient) / (2 * step)
        assert_same(bend, found.hessian[:, j], within=1e-8)
    with pytest.raises(AssertionError):
        assert_same(slope / 3, found.gradient[:, 2], within=1e-8)


def test_the_mean_of_the_losses_is_the_metric() -> None:
    z, hard, soft, w = rows(200, 5, 2)
    for weights, given in ((None, np.ones(200)), (w, w)):
        mean = multilabel(z, hard, weights, diagonal=True).loss.sum() / given.sum()
        metric = karat.binary_cross_entropy(hard.astype(int), y_logit=z, weights=weights)
        assert_same(metric, mean, within=1e-13)
    evaluate = optional("catboost.utils").eval_metric
    for name, targets in (("MultiLogloss", hard), ("MultiCrossEntropy", soft)):
        (value,) = evaluate(targets.T, z.T, name)
        assert_same(value, multilabel(z, targets, diagonal=True).loss.mean(), within=1e-13)


KINDS = ("?", "i1", "u1", ">i4", "i8", "f2", "f4", ">f8", "g")


def test_targets_of_any_form_are_read() -> None:
    z, hard, soft, w = rows(400, 6, 3)
    wanted = multilabel(z, hard, w)
    wide = np.zeros((1200, 13))
    wide[::3, 1::2] = hard
    forms: list[Any] = [hard.astype(kind) for kind in KINDS]
    forms += [hard.tolist(), np.asfortranarray(hard), wide[::3, 1::2], np.ma.array(hard)]
    sparse, pandas = optional("scipy.sparse"), optional("pandas")
    forms += [sparse.csr_matrix(hard), sparse.coo_array(hard), pandas.DataFrame(hard)]
    for form in forms:
        for value, expected in zip(multilabel(z, form, w), wanted, strict=True):
            assert_same(value, expected)
    assert_same(multilabel(z, soft.astype(np.float32)).loss, multilabel(z, soft).loss)
    assert_same(multilabel(z.astype(np.float32), soft).loss, multilabel(z, soft).loss, within=1e-6)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    z, _, soft, w = rows(40_001, 5, 4)
    alone = multilabel(z, soft, w, diagonal=True, n_threads=1)
    for value, expected in zip(
        multilabel(z, soft, w, diagonal=True, n_threads=3), alone, strict=True
    ):
        assert_same(value, expected)


def refused(call: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.25, 1.5, np.nextafter(1, 2)])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_first_target_that_is_none_is_named(value: float, n_threads: int) -> None:
    z, hard, _, w = rows(30_000, 4, 5)
    hard[[28_000, 17_003, 17_003], [0, 3, 2]] = value
    found = refused(lambda: multilabel(z, hard, w, diagonal=True, n_threads=n_threads))
    assert found.code == "K230"
    assert (found.context["row"], found.context["column"]) == (17_003, 2)
    assert (found.context["count"], found.context["n"]) == (3, 120_000)
    assert repr(found.context["value"]) == repr(float(value))
    # What is wrong with the scores comes first, what is wrong with the weights last.
    assert refused(lambda: multilabel(z, hard, -w, diagonal=True)).code == "K230"
    assert refused(lambda: multilabel(z, z > 0, -w, diagonal=True)).code == "K113"
    z[29_999, 0] = np.nan
    assert refused(lambda: multilabel(z, hard, -w, diagonal=True)).code == "K152"


Z = np.zeros((3, 2))


@pytest.mark.parametrize(
    ("code", "y"),
    [
        ("K226", [0, 1, 0]),
        ("K226", np.zeros((3, 3))),
        ("K226", np.zeros((3, 2, 1))),
        ("K226", [["a", "b"]] * 3),
        ("K226", [[1], [0, 1], []]),
        ("K226", [[1, None]] * 3),
        ("K226", np.zeros((3, 2), complex)),
        ("K230", np.ma.array(Z, mask=[[0, 0], [0, 1], [0, 0]])),
        ("K230", np.full((3, 2), 2)),
        ("K230", np.full((3, 2), -1, np.int64)),
        ("K230", np.full((3, 2), 2**40)),
        ("K102", np.zeros((2, 2))),
    ],
)
def test_shapes_and_kinds_of_targets(code: str, y: Any) -> None:
    assert refused(lambda: multilabel(Z, y)).code == code


def test_hosts_refuse_bad_targets() -> None:
    bad = np.array([[0.0, 1.0], [0.5, 1.25], [0.0, np.nan]])
    for start in (XGBoostObjective("multilabel"), LightGBMObjective("multilabel", targets=Z)):
        ask: Any = getattr(start, "base_score", None) or getattr(start, "init_score", None)
        found = refused(lambda ask=ask: ask(bad, 2))
        assert found.code == "K230"
        assert (found.context["row"], found.context["column"]) == (1, 1)
        assert refused(lambda ask=ask: ask(Z, 3)).code == "K226"
        assert refused(lambda ask=ask: ask(Z[:0], 2)).code == "K101"
        assert refused(lambda ask=ask: ask(Z, 2, [1, 2])).code == "K102"
        assert refused(lambda ask=ask: ask(Z, 2, [1, -2, 1])).code == "K113"
    xgboost = XGBoostObjective("multilabel")
    assert refused(lambda: xgboost(bad, Z)).code == "K230"
    assert refused(lambda: xgboost(np.zeros(3), Z)).code == "K226"
    assert "shape (n, k)" in str(refused(lambda: xgboost(np.zeros(3), np.zeros(3))))
    lightgbm = LightGBMObjective("multilabel", targets=Z)
    assert refused(lambda: lightgbm(np.zeros(4), np.zeros((4, 2)))).code == "K102"
    assert "num_class" in str(refused(lambda: lightgbm(np.zeros(3), np.zeros(3))))
    for code, targets in (("K230", bad), ("K226", Z[:, :1]), ("K226", [0, 1]), ("K226", None)):
        made = refused(lambda targets=targets: LightGBMObjective("multilabel", targets=targets))
        assert made.code == ("K231" if targets is None else code)
    assert refused(lambda: LightGBMObjective("multiclass", targets=Z)).code == "K231"
    row = CatBoostObjective("multilabel").calc_ders_multi
    for dtype in (np.float32, np.float64):
        assert refused(lambda dtype=dtype: row(Z[0], bad[1].astype(dtype), 1.0)).code == "K230"
        assert refused(lambda dtype=dtype: row(Z[0], np.zeros(3, dtype), 1.0)).code == "K226"
    assert refused(lambda: row(Z[0], 1.0, 1.0)).code == "K226"
    assert refused(lambda: row(np.array([0.0, np.inf]), [0, 1], 1.0)).code == "K152"


def test_the_kernels_read_only_what_they_understand() -> None:
    z = np.zeros((2, 3))
    for targets, problem in (
        (z.astype(int), TypeError),
        (z.astype(">f8"), TypeError),
        (z[:, :2], ValueError),
        (z[:1], ValueError),
        (z[..., None], TypeError),
    ):
        with pytest.raises(problem):
            _native.objective_rows(z, targets, None, True, True, 1)
    with pytest.raises(TypeError):
        _native.objective_rows(z, z, None, False, True, 1)
    for target, kind in ((z[0, :2], ValueError), (z, TypeError), ("1", TypeError)):
        with pytest.raises(kind):
            _native.objective_row(z[0], target, 1.0, True)
    with pytest.raises(TypeError):
        _native.objective_row(z[0], z[0], 1.0, False)
