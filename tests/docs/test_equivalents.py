"""The equivalence table is what its generator gives, and names all that the libraries have."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from karat.compat import onedal
from tests.architecture.tracked import ROOT
from tests.library_calls import keywords_in
from tests.optional import optional

_spec = importlib.util.spec_from_file_location("equivalents", ROOT / "docs" / "equivalents.py")
assert _spec is not None
assert _spec.loader is not None
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)

OF_DATA = {
    "y_true", "y_pred", "y1", "y2", "y_score", "y_proba", "pred_decision", "labels_true",
    "labels_pred", "actual_vector", "predict_vector", "kwargs", "self",
}  # fmt: skip


def names_of_scikit_learn() -> set[str]:
    module = optional("sklearn.metrics")
    families = ("_classification", "_ranking")
    found = {name: getattr(module, name) for name in module.__all__}
    return {
        name
        for name, function in found.items()
        if getattr(function, "__module__", "").endswith(families)
    }


def names_of_catboost() -> set[str]:
    module = optional("catboost.metrics")
    return {name for name in dir(module) if hasattr(getattr(module, name), "_valid_params")}


def names_of_onedal() -> set[str]:
    two = onedal.BinaryConfusionMatrix().compute([0, 1], [0, 1])
    several = onedal.MulticlassConfusionMatrix(n_classes=3).compute([0, 1], [0, 2])
    assert (len(two.metrics), len(several.metrics)) == (6, 8)
    return {*two.metrics, *several.metrics}


def names_of_pycm() -> set[str]:
    matrix = optional("pycm").ConfusionMatrix([0, 1, 2, 1], [0, 1, 1, 2])
    return {*matrix.class_stat, *matrix.overall_stat}


NAMES = {
    "scikit-learn": names_of_scikit_learn,
    "imbalanced-learn": lambda: set(optional("imblearn.metrics").__all__),
    "torchmetrics": lambda: set(optional("torchmetrics.classification").__all__),
    "CatBoost": names_of_catboost,
    "oneDAL": names_of_onedal,
    "PyCM": names_of_pycm,
}
AT_LEAST = {
    "scikit-learn": 35,
    "imbalanced-learn": 7,
    "torchmetrics": 105,
    "CatBoost": 65,
    "oneDAL": 14,
    "PyCM": 134,
}


def parameters(library: str, name: str) -> set[str]:
    """The parameters of a function or class of a library, without the data."""
    if library == "CatBoost":
        return set(getattr(optional("catboost.metrics"), name)._valid_params)
    module = {
        "scikit-learn": "sklearn.metrics",
        "imbalanced-learn": "imblearn.metrics",
        "torchmetrics": "torchmetrics.classification",
        "oneDAL": "karat.compat.onedal",
        "PyCM": "pycm",
    }[library]
    found = getattr(optional(module), name, None)
    return set() if found is None else {*inspect.signature(found).parameters} - OF_DATA


def test_the_page_is_what_its_generator_gives() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page(), "make tables"


@pytest.mark.parametrize("library", NAMES)
def test_every_name_has_an_equal_or_a_reason(library: str) -> None:
    names = NAMES[library]()
    assert len(names) >= AT_LEAST[library]
    missing = [
        name
        for name in sorted(names)
        if not table.has_equal(library, name) and not table.reason(library, name)
    ]
    assert missing == []


@pytest.mark.parametrize("library", NAMES)
def test_a_reason_is_given_for_names_that_exist_and_have_no_equal(library: str) -> None:
    bare = {table.bare_name(name) for name in NAMES[library]()}
    reasons = table.LIBRARIES[library]["elsewhere"]
    assert set(reasons) <= NAMES[library]() | bare
    assert [name for name in reasons if table.has_equal(library, name)] == []


def test_a_name_that_the_table_does_not_know_is_found() -> None:
    assert not table.has_equal("scikit-learn", "brand_new_score")
    assert not table.reason("scikit-learn", "brand_new_score")
    assert not table.reason("torchmetrics", "MulticlassBrandNew")


def called(library: str) -> Iterator[tuple[str, set[str]]]:
    """Every function that a claim calls, and the keywords that claims give it."""
    given: dict[str, set[str]] = {}
    for _, _, call in table.claims(library):
        for name, keywords in keywords_in(call).items():
            given.setdefault(name, set()).update(keywords)
    if library == "PyCM":
        given["ConfusionMatrix"] = set()
    yield from given.items()


@pytest.mark.parametrize("library", NAMES)
def test_every_parameter_is_in_a_claim_or_explained(library: str) -> None:
    told: dict[str, Any] = table.LIBRARIES[library]["parameters"]
    used: set[str] = set()
    missing = []
    for name, keywords in called(library):
        for parameter in sorted(parameters(library, name) - keywords):
            entry = {parameter, f"{name}.{parameter}"} & set(told)
            used |= entry
            missing += [f"{name}.{parameter}"] * (not entry)
    assert missing == []
    also = {parameter for name, _ in called(library) for parameter in parameters(library, name)}
    assert [entry for entry in told if entry not in used | also] == []
