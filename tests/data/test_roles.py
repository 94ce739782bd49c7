"""Column roles by name: every alias, every ambiguity, and what counts as explicit."""

from __future__ import annotations

from typing import Any

import pytest

from karat.data.roles import ALIASES, Roles, find_roles, normalized
from karat.errors import KaratError
from karat.errors.options import on_the_command_line


def failing(*args: Any, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        find_roles(*args, **options)
    return caught.value


def look(columns: list[str], **options: Any) -> Roles:
    return find_roles(columns, needs=(), **options)


@pytest.mark.parametrize("alias", ALIASES["true"])
def test_every_alias_of_the_truth_is_found(alias: str) -> None:
    assert find_roles(["id", alias, "y_pred"]).mapping["true"] == alias


@pytest.mark.parametrize("alias", [*ALIASES["pred"], ".pred_class", "pred-label", "Y Pred"])
def test_every_alias_of_the_prediction_is_found(alias: str) -> None:
    assert find_roles([alias, "target"]).mapping["pred"] == alias


@pytest.mark.parametrize(
    ("role", "alias"),
    [(role, alias) for role in ("weights", "score", "prob", "id", "fold", "group")
     for alias in ALIASES[role]],
)  # fmt: skip
def test_every_alias_of_the_other_roles_is_found(role: Any, alias: str) -> None:
    assert find_roles(["label", "pred", alias]).column(role) == alias


def test_no_name_stands_for_two_roles() -> None:
    names = [alias for aliases in ALIASES.values() for alias in aliases]
    assert len(names) == len(set(names))
    assert all(normalized(alias) == alias for alias in names)


@pytest.mark.parametrize("spelling", ["Y_TRUE", "y-true", "y true", "Y.True", " y_true "])
def test_case_and_separators_do_not_matter(spelling: str) -> None:
    assert find_roles([spelling, "y_pred"]).mapping["true"] == spelling


@pytest.mark.parametrize(
    "columns",
    [
        ["label", "target", "pred"],
        ["target", "label", "pred"],
        ["y_true", "class", "pred"],
        ["label", "LABEL", "pred"],
        ["label", "label", "pred"],
        ["y", "true", "pred"],
    ],
)
def test_two_columns_that_could_be_the_truth_are_both_named(columns: list[str]) -> None:
    problem = failing(columns)
    assert problem.code == "K405"
    for name in columns[:2]:
        assert repr(name) in str(problem)


def test_ambiguous_predictions_and_weights_are_refused() -> None:
    assert failing(["label", "pred", "prediction"]).code == "K405"
    assert failing(["label", "pred", "case_weight", "sample_weight"]).code == "K405"


def test_ambiguity_elsewhere_is_no_error_until_it_is_asked_for() -> None:
    roles = find_roles(["label", "pred", "user_id", "session"])
    assert roles.candidates["group"] == ("user_id", "session")
    with pytest.raises(KaratError) as caught:
        roles.column("group")
    assert caught.value.code == "K405"


def test_a_missing_role_lists_the_columns() -> None:
    problem = failing(["id", "label", "size"])
    assert problem.code == "K406"
    assert "'size'" in str(problem)
    assert "Name it: y_pred='NAME'." in str(problem)
    with on_the_command_line():
        assert "Name it: --pred NAME." in str(failing(["id", "label", "size"]))
    assert find_roles(["label", "score"], needs=("true",)).column("pred") is None


def test_explicit_names_win_and_leave_the_other_roles() -> None:
    roles = find_roles(["label", "target", "pred"], given={"true": "target", "pred": "label"})
    assert roles.mapping == {"true": "target", "pred": "label", "weights": None}
    assert roles.given == {"true", "pred"}
    roles = find_roles(["label", "target"], given={"pred": "target"})
    assert roles.mapping == {"true": "label", "pred": "target", "weights": None}


def test_an_explicit_name_may_be_any_column() -> None:
    given = {"true": "species", "pred": "guess", "weights": "importance"}
    roles = find_roles(["species", "guess", "importance", "label"], given=given)  # type: ignore[arg-type]
    assert roles.mapping == given


def test_an_empty_name_says_that_there_is_none() -> None:
    assert find_roles(["label", "pred", "weight"], given={"weights": ""}).mapping["weights"] is None


def test_an_unknown_name_offers_the_nearest() -> None:
    problem = failing(["label", "prediction"], given={"pred": "predicton"})
    assert problem.code == "K404"
    assert "Nearest: 'prediction'" in str(problem)
    assert isinstance(problem, KeyError)
    assert "none is similar" in str(failing(["label", "pred"], given={"true": "zzzzzz"}))


def test_one_column_cannot_be_named_twice() -> None:
    assert failing(["label", "pred"], given={"true": "label", "pred": "label"}).code == "K157"


def test_an_explicit_name_that_two_columns_have_is_ambiguous() -> None:
    assert failing(["a", "a", "pred"], given={"true": "a"}).code == "K405"


@pytest.mark.parametrize(
    ("columns", "true", "pred"),
    [
        (["class", "pred"], "class", "pred"),
        (["Class", "pred"], "Class", "pred"),
        (["CLASS", "prediction"], "CLASS", "prediction"),
        (["Label", "Class"], "Label", "Class"),
        (["SampleId", "Class", "target"], "target", "Class"),
        (["class", "Class"], "class", "Class"),
    ],
)
def test_class_is_the_truth_and_catboost_class_beside_a_truth_is_the_prediction(
    columns: list[str], true: str, pred: str
) -> None:
    mapping = find_roles(columns).mapping
    assert (mapping["true"], mapping["pred"]) == (true, pred)


@pytest.mark.parametrize(
    "columns", [["label", "class"], ["label", "class", "pred"], ["label", "Class", "pred"]]
)
def test_another_class_column_is_ambiguous(columns: list[str]) -> None:
    problem = failing(columns)
    assert problem.code == "K405"
    assert repr(columns[1]) in str(problem)


def test_catboost_class_is_the_prediction_when_the_truth_is_named() -> None:
    roles = find_roles(["species", "Class"], given={"true": "species"})
    assert roles.mapping["pred"] == "Class"
    roles = find_roles(["species", "Class"], given={"pred": "species"})
    assert roles.mapping["true"] == "Class"
    assert failing(["species", "class"], given={"true": "species"}).code == "K406"


def test_text_is_no_weight() -> None:
    names = ["label", "pred", "sample_weight", "case_weights"]
    types: Any = dict(zip(names, ["text", "text", "text", "real"], strict=True))
    assert find_roles(names, types).mapping["weights"] == "case_weights"


@pytest.mark.parametrize("name", ["weight", "weights", "w", "Weight"])
def test_a_name_of_a_feature_is_no_weight(name: str) -> None:
    assert find_roles(["label", "pred", name]).mapping["weights"] is None


def test_probability_columns_are_one_family() -> None:
    columns = ["id", "label", "pred", "proba_cat", "proba_dog", "proba_a b"]
    (family,) = look(columns).families
    assert (family.stem, family.labels) == ("proba_", ("cat", "dog", "a b"))
    assert family.columns == ("proba_cat", "proba_dog", "proba_a b")
    assert str(family) == "proba_* (3)"


@pytest.mark.parametrize(
    ("columns", "stem"),
    [
        (["prob_0", "prob_1"], "prob_"),
        (["probability-a", "probability-b"], "probability-"),
        (["score.a", "score.b"], "score."),
        (["p_1", "p_2"], "p_"),
        ([".pred_cat", ".pred_dog"], ".pred_"),
        (["pred_cat", "pred_dog"], "pred_"),
        (["logit_0", "logit_1"], "logit_"),
        (["class_0", "class_1"], "class_"),
        (["Probability:Class=cat", "Probability:Class=dog"], "Probability:Class="),
    ],
)
def test_every_prefix_of_probabilities_is_known(columns: list[str], stem: str) -> None:
    (family,) = look(["label", "y_pred", *columns]).families
    assert (family.stem, family.columns) == (stem, tuple(columns))


def test_single_columns_text_and_named_roles_are_no_family() -> None:
    assert look(["label", "p_cat"]).families == ()
    assert look(["label", "score_cat"]).families == ()
    assert look(["label", "proba_cat"], types={"proba_cat": "text"}).families == ()
    assert look(["p_a", "p_b"], types={"p_a": "text", "p_b": "text"}).families == ()
    assert look(["pred_label", "pred_proba", "label"]).families == ()


@pytest.mark.parametrize("stem", ["proba_", "prob_", "probability_", "PROBA."])
def test_a_probability_alone_is_one_of_the_class_that_it_names(stem: str) -> None:
    (family,) = look(["label", f"{stem}cat"]).families
    assert (family.stem, family.labels, family.columns) == (stem, ("cat",), (f"{stem}cat",))
    assert str(family) == f"{stem}cat"
    # Not beside a column that is called like the probabilities or the scores.
    assert look(["label", f"{stem}cat", "prob"]).families == ()
    assert look(["label", f"{stem}cat", "score"]).families == ()


def test_roles_say_what_each_column_is() -> None:
    roles = look(["label", "pred", "size", "fold"])
    assert [roles.role_of(name) for name in roles.columns] == ["true", "pred", None, "fold"]


def test_a_table_without_columns_says_so() -> None:
    problem = failing([])
    assert problem.code == "K406"
    assert "Columns: none." in str(problem)
