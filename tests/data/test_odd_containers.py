"""Containers that are nearly what is wanted: read where nothing is lost, else refused in words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import karat
from karat.data.sources.tables.frames import open_frame
from karat.errors import KaratError
from tests.optional import optional

pa = optional("pyarrow")
sparse = optional("scipy.sparse")
torch = optional("torch")

TRUE, PROB, WEIGHTS = [0, 1, 1, 0], [0.25, 0.75, 0.5, 0.75], [1.0, 2.0, 3.0, 4.0]
PAIRS = np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5], [0.25, 0.75]])


def failing(call: Callable[[], object]) -> KaratError:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize("n_same", [2, 3])
def test_columns_of_one_name_are_called_so(n_same: int) -> None:
    table = pa.table([[0.25, 0.75]] * n_same, names=["a"] * n_same)
    for call in (
        lambda: karat.roc_auc([0, 1], y_prob=table),
        lambda: open_frame(table).columns(["a"]),
    ):
        problem = failing(call)
        assert problem.code == "K405"
        assert "Several columns could be the one named 'a'." in str(problem)
        assert f"Candidates: {n_same} columns have that name." in str(problem)
        assert str(problem).endswith("Rename all but one.")


def test_a_name_that_two_columns_have_names_none_of_them() -> None:
    table = pa.table([[0, 1], [0, 1], [0, 1]], names=["label", "pred", "pred"])
    for named in ({}, {"y_pred": "pred"}):
        problem = failing(lambda named=named: karat.evaluate(table, **named))
        assert problem.code == "K405"
        assert str(problem).endswith("Rename all but one.")
    two = pa.table([[0, 1], [0, 1], [0, 1]], names=["label", "target", "pred"])
    assert "Name one: y_true='label'." in str(failing(lambda: karat.evaluate(two)))


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array"])
def test_sparse_matrices_are_refused_with_their_remedy(kind: str) -> None:
    matrix = getattr(sparse, kind)(PAIRS)
    for name in ("y_prob", "y_score"):
        problem = failing(lambda name=name: karat.evaluate(TRUE, **{name: matrix}))
        assert problem.code == "K130"
        assert f"It is a {kind}, which is sparse; give {name}.toarray()." in str(problem)
    assert karat.evaluate(TRUE, y_prob=matrix.toarray())["log_loss"] > 0
    weights = getattr(sparse, kind)(np.array([WEIGHTS]).T)
    problem = failing(lambda: karat.accuracy(TRUE, TRUE, weights=weights))
    assert problem.code == "K116"
    assert "toarray()" in str(problem)


@pytest.mark.parametrize("made", ["list_view", "large_list_view"])
def test_list_views_of_arrow_are_refused_by_their_name(made: str) -> None:
    views = pa.array(PAIRS.tolist(), getattr(pa, made)(pa.float64()))
    code = {"list_view": "+vl", "large_list_view": "+vL"}[made]
    for call in (
        lambda: karat.evaluate(TRUE, y_prob=views),
        lambda: karat.evaluate(TRUE, y_prob=pa.chunked_array([views[:2], views[2:]])),
        lambda: karat.evaluate(pa.table({"label": TRUE, "prob": views})),
        lambda: karat.evaluate(TRUE, y_prob=pa.table({"prob": views})),
    ):
        problem = failing(call)
        assert problem.code == "K130"
        assert f"It is a list view (Arrow format '{code}'); cast it to a list." in str(problem)
    assert failing(lambda: karat.evaluate(views, TRUE)).code == "K106"
    cast = pa.array(PAIRS.tolist(), pa.list_(pa.float64()))
    assert karat.log_loss(TRUE, y_prob=cast) == karat.log_loss(TRUE, y_prob=PAIRS)


def test_tensors_with_a_history_are_read_everywhere() -> None:
    weights = torch.tensor(WEIGHTS, requires_grad=True)
    expected = karat.roc_auc(TRUE, y_prob=PROB, weights=WEIGHTS)
    assert karat.roc_auc(TRUE, y_prob=PROB, weights=weights) == expected
    assert karat.accuracy(TRUE, [0, 1, 0, 0], weights=weights) == 0.7
    halved = weights.to(torch.bfloat16)
    assert karat.roc_auc(TRUE, y_prob=PROB, weights=halved) == expected
    scores = torch.tensor(PAIRS, requires_grad=True)
    for loss in (karat.objectives.multiclass, karat.objectives.multiclass_one_vs_all):
        plain = loss(PAIRS, TRUE, WEIGHTS)
        for made in (scores, scores.to(torch.bfloat16)):
            found = loss(made, torch.tensor(TRUE), weights)
            for part, other in zip(found, plain, strict=True):
                assert np.array_equal(part, other)
    assert scores.requires_grad
