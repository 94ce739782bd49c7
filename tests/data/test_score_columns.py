"""Which columns are scores, and of which class each is: by name, by pattern, by list."""

from __future__ import annotations

import re
from typing import Any

import pytest

from karat.data.labels.containers import encode
from karat.data.roles import ALIASES
from karat.data.scores.columns import ScoreColumns, find_score_columns
from karat.data.scores.order import ColumnNames, Placed, place_columns
from karat.errors import KaratError
from karat.errors.options import on_the_command_line
from tests.optional import optional

pd = optional("pandas")

GIVEN: Any = {"true": None, "pred": None, "weights": None}


def find(*columns: str, types: Any = None, given: Any = GIVEN, **named: Any) -> Any:
    return find_score_columns(columns, types, given, named)


def chosen(*columns: str, **options: Any) -> ScoreColumns:
    found = find(*columns, **options)[1]
    assert found is not None
    return found


def failing(*columns: str, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        find(*columns, **options)
    return caught.value


@pytest.mark.parametrize("role", ["prob", "score"])
def test_every_alias_is_found_without_a_prediction(role: Any) -> None:
    for alias in ALIASES[role]:
        found = chosen("id", "label", alias)
        assert (found.names, found.how, found.role) == ((alias,), "found", role)


@pytest.mark.parametrize(
    ("columns", "argument"),
    [
        (["proba_a", "proba_b"], "y_prob"),
        (["prob-0", "prob-1"], "y_prob"),
        ([".pred_a", ".pred_b"], "y_prob"),
        (["p_1", "p_2"], "y_prob"),
        (["Probability:Class=a", "Probability:Class=b"], "y_prob"),
        (["logit_0", "logit_1"], "y_logit"),
        (["score.a", "score.b"], "y_score"),
    ],
)
def test_a_set_of_columns_is_found_by_its_prefix(columns: list[str], argument: str) -> None:
    found = chosen("label", "y_pred", *columns)
    assert (found.names, found.argument) == (tuple(columns), argument)
    assert found.endings == tuple(name[-1] for name in columns)


def test_what_names_do_not_say_is_told_and_not_read() -> None:
    for columns, word in ((["pred_a", "pred_b"], "pred_* (2)"), (["confidence"], "confidence")):
        _, found, (note,) = find("label", "y_pred", *columns)
        assert found is None
        assert word in note
        assert "prob=" in note


@pytest.mark.parametrize(
    "columns",
    [
        ["score", "proba_a", "proba_b"],
        ["prob", "probability"],
        ["proba_a", "proba_b", "p_a", "p_b"],
        ["probs", "logits"],
    ],
)
def test_two_candidates_are_both_listed(columns: list[str]) -> None:
    problem = failing("label", "y_pred", *columns)
    assert problem.code == "K405"
    assert re.search(
        r"Name one: y_(prob|score)='[^']+'; an empty name leaves them out", str(problem)
    )
    with on_the_command_line():
        told = str(failing("label", "y_pred", *columns))
    assert re.search(r"Name one: --(prob|score) \S+; an empty name leaves them out", told)
    for name in (columns[0], columns[-1]):
        assert name in str(problem) or name[:-1] in str(problem)


def test_an_empty_name_leaves_a_role_out() -> None:
    columns = ("label", "y_pred", "score", "prob")
    assert chosen(*columns, score="").names == ("prob",)
    assert chosen(*columns, prob="").names == ("score",)
    assert find(*columns, prob="", score="")[1] is None


def test_types_that_cannot_be_scores_are_no_candidates() -> None:
    types = {"label": "text", "y_pred": "text", "score": "text", "prob": "list", "probs": "text"}
    assert chosen(*types, types=types).names == ("prob",)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (
            ["y_prob"],
            "A column of probabilities or scores was not read. 'y_prob', a column of text",
        ),
        (["score"], "A column of probabilities or scores was not read. 'score', a column of text"),
        (
            ["p_0", "p_1"],
            "Columns of probabilities or scores were not read. 'p_0', 'p_1', columns of text",
        ),
    ],
)
def test_scores_that_are_text_are_told(names: list[str], told: str) -> None:
    types = {"label": "text", "y_pred": "text", **dict.fromkeys(names, "text")}
    _, found, notes = find(*types, types=types)
    assert found is None
    assert notes == [
        f"{told} (0.5 is a number; 0,5 is text). Write the numbers with a decimal point."
    ]
    problem = failing("label", *names, types=types)
    assert problem.code == "K406"
    assert f"{', '.join(map(repr, names))} of text (0.5 is a number;" in str(problem)
    # Not where the caller said what they are, or that there are none.
    assert find(*types, types=types, prob="")[2] == []
    if len(names) == 1:
        assert find(*types, types=types, given={**GIVEN, "pred": names[0]})[2] == []


def test_a_column_of_text_beside_numbers_is_in_doubt() -> None:
    types = {"label": "text", "y_pred": "text", "score": "text", "prob": "real"}
    (found,) = find(*types, types=types)[2]
    assert "'score', a column of text" in found
    assert find(*types, types=types, score="")[2] == []


def test_columns_are_named_by_pattern_by_list_or_alone() -> None:
    columns = ("label", "y_pred", "q_a", "q_b", "q_c")
    found = chosen(*columns, prob="q_*")
    assert (found.names, found.how, found.endings) == (columns[2:], "pattern", ("a", "b", "c"))
    assert chosen(*columns, score="q_[ab]").names == ("q_a", "q_b")
    found = chosen(*columns, score=["q_b", "q_a"])
    assert (found.names, found.how, found.argument) == (("q_b", "q_a"), "listed", "y_score")
    assert chosen(*columns, prob="q_a").names == ("q_a",)
    assert chosen("label", "q*", "q_a", prob="q*").names == ("q*",)


def test_a_pattern_does_not_take_columns_of_other_roles() -> None:
    columns = ("label", "pred", "pred_label", "pred_cat", "pred_dog")
    given = {"true": None, "pred": "pred", "weights": None}
    assert chosen(*columns, prob="pred_*", given=given).names == ("pred_cat", "pred_dog")


def test_a_named_column_has_no_other_role() -> None:
    roles, found, _ = find("label", "prediction", prob="prediction")
    assert found.names == ("prediction",)
    assert roles.mapping["pred"] is None


@pytest.mark.parametrize(
    ("columns", "options", "code", "words"),
    [
        (["label", "p"], {"prob": "p", "score": "p"}, "K129", "one of y_prob= and y_score="),
        (["label", "p"], {"logit": "p", "score": "p"}, "K129", "one of y_logit= and y_score="),
        (["label", "p"], {"prob": "q"}, "K404", "the probabilities"),
        (["label", "p"], {"score": "q_*"}, "K404", "the scores"),
        (["label", "p_a", "p_b"], {"prob": ["p_a", "p_c"]}, "K404", "Nearest: 'p_b', 'p_a'"),
        (["label", "p_a", "p_b"], {"prob": ["p_a", "p_a"]}, "K157", "named twice"),
        (["label", "a", "a"], {"prob": "a"}, "K405", "2 columns named 'a'"),
        (["label", "p_a", "p_a"], {"prob": "p_*"}, "K405", "2 columns named 'p_a'"),
        (["label", "p"], {"prob": "label", "given": {**GIVEN, "true": "label"}}, "K157", "label"),
        (["label", "size"], {}, "K406", "y_pred=, y_prob=, y_logit= or y_score='NAME'"),
        (["p", "size"], {}, "K406", "true='NAME'"),
        (["label", "pred", "prediction", "p"], {}, "K405", "'pred', 'prediction'"),
    ],
)
def test_columns_that_cannot_be_are_refused(
    columns: list[str], options: Any, code: str, words: str
) -> None:
    problem = failing(*columns, **options)
    assert problem.code == code
    assert words in str(problem)


def place(true: Any, names: Any, pred: Any = None, **options: Any) -> Placed:
    guess = None if pred is None else encode(pred, "y_pred")
    k = options.pop("k", len(names))
    given = {
        name: options.pop(name) for name in ("labels", "positive", "is_single") if name in options
    }
    named = ColumnNames("y_prob", names, **options)
    return place_columns(encode(true, "y_true"), guess, k, named=named, **given)


def misplaced(true: Any, names: Any, pred: Any = None, **options: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        place(true, names, pred, **options)
    return caught.value


@pytest.mark.parametrize(
    ("true", "names", "classes", "order"),
    [
        (["cat", "dog"], ["p_dog", "p_cat"], ("cat", "dog"), (1, 0)),
        (["cat", "dog"], ["dog", "cat"], ("cat", "dog"), (1, 0)),
        (["cat", "car"], ["p_cat", "p_car"], ("car", "cat"), (1, 0)),
        (["cat", "dog"], ["cat_prob", "dog_prob"], ("cat", "dog"), None),
        (
            ["class_0", "class_1"],
            ["proba_class_1", "proba_class_0"],
            ("class_0", "class_1"),
            (1, 0),
        ),
        (["cat", "dog"], ["pdog", "pcat"], ("cat", "dog"), (1, 0)),
        ([10, 11], ["p11", "p10"], (10, 11), (1, 0)),
        ([0, 2], ["p_2", "p_10", "p_0", "p_1"], (0, 1, 2, 10), (2, 3, 0, 1)),
        ([1, -1], ["p_1", "p_-1"], (-1, 1), (1, 0)),
        ([0, 1], ["p_1.0", "p_0.0"], (0, 1), (1, 0)),
        ([0, 1], ["p_True", "p_False"], (0, 1), (1, 0)),
        ([True, False], ["p_true", "p_false"], (False, True), (1, 0)),
        (["007", "7"], ["p_7", "p_007"], ("007", "7"), (1, 0)),
        (["a"], ["p_b", "p_a"], ("a", "b"), (1, 0)),
    ],
)
def test_names_that_end_in_labels_decide(true: Any, names: Any, classes: Any, order: Any) -> None:
    found = place(true, names)
    assert found.classes.labels == classes
    assert found.order == order
    assert found.classes.is_declared
    assert place(true, names, how="found", endings=None) == found


def test_names_of_more_classes_than_occur_give_them_all() -> None:
    found = place([0, 1], [f"proba_{i}" for i in range(10)], pred=[9, 1])
    assert found.classes.labels == tuple(range(10))


def test_ordered_categories_keep_their_order() -> None:
    sizes = pd.Series(pd.Categorical(["s", "l"], categories=["s", "m", "l"], ordered=True))
    found = place(sizes, ["p_l", "p_m", "p_s"])
    assert (found.classes.labels, found.order) == (("s", "m", "l"), (2, 1, 0))


def test_declared_labels_order_columns_by_their_names() -> None:
    names = ["p_a", "p_b", "p_c"]
    labels = ["c", "a", "b"]
    for how in ("pattern", "found", "listed"):
        found = place(["a"], names, labels=labels, how=how)
        assert (found.classes.labels, found.order) == (("c", "a", "b"), (2, 0, 1))
    assert place(["a"], names, labels=["a", "b", "c"]).order is None


def test_names_that_may_end_in_labels_by_chance_must_be_listed_in_their_order() -> None:
    names, labels = ["pra", "prb", "prc"], ["c", "a", "b"]
    assert place(["a"], names, labels=["a", "b", "c"]).order is None
    problem = misplaced(["a"], names, labels=labels)
    assert problem.code == "K135"
    assert "Columns: 'pra', 'prb', 'prc'. Classes: 'c', 'a', 'b'." in str(problem)


@pytest.mark.parametrize(
    ("true", "names", "options", "words"),
    [
        ([0, 1, 10], ["p_0", "p_1"], {}, "No column for 10"),
        ([0, 1], ["p_0", "p_1"], {"pred": [2, 1]}, "No column for 2"),
        (["cat", "dog", "cow"], ["p_cat", "p_dog"], {}, "No column for 'cow'"),
        (["cat"], ["p_cat", "p_dog", "p_cow"], {"labels": ["cat", "dog"]}, "o class for 'p_cow'"),
        (["cat"], ["p_cat", "p_cow"], {"labels": ["cat", "dog"]}, "No column for 'dog'"),
        (["x", "y"], ["p_value", "p_adj"], {"how": "found"}, "'p_value', 'p_adj'"),
    ],
)
def test_names_of_some_classes_only_are_refused(
    true: Any, names: Any, options: Any, words: str
) -> None:
    problem = misplaced(true, names, **options)
    assert problem.code == "K137"
    assert words in str(problem)


def test_other_names_follow_the_order_of_the_classes() -> None:
    assert place(["x", "y"], ["q", "r"]).order is None
    assert place(["x", "y"], ["q", "r"], labels=["y", "x"]).classes.labels == ("y", "x")
    assert place(["x", "y"], ["a_q", "a_r"], how="pattern").order is None
    problem = misplaced(["x", "y"], ["q", "r", "s"])
    assert problem.code == "K134"
    assert "scores for 3 classes; the labels have 2" in str(problem)


@pytest.mark.parametrize("first", [0, 1])
def test_numbered_columns_follow_their_numbers(first: int) -> None:
    true = [f"class {i:02}" for i in range(12)]
    names = sorted(f"proba_{i}" for i in range(first, 12 + first))
    found = place(true, names, how="found")
    assert found.order is not None
    assert [names[i] for i in found.order] == [f"proba_{i}" for i in range(first, 12 + first)]


def test_a_single_column_is_of_the_positive_class() -> None:
    one: Any = {"k": 2, "is_single": True}
    assert place([0, 1], ["p"], **one).classes.positive == 1
    assert place(["no", "yes"], ["p"], positive="no", **one).classes.positive == 0
    assert misplaced(["no", "yes"], ["p"], **one).code == "K190"
    for ending, place_of in (("yes", 1), ("no", 0)):
        found = place(["no", "yes"], [f"p_{ending}"], endings=(ending,), **one)
        assert found.classes.positive == place_of
    found = place(["no", "yes"], ["p_no"], endings=("no",), positive="no", **one)
    assert found.classes.positive == 0
    problem = misplaced(["no", "yes"], ["p_no"], endings=("no",), positive="yes", **one)
    assert problem.code == "K137"
    assert "names the class 'no'; the positive class is 'yes'" in str(problem)


def test_one_observed_class_of_two_is_enough_where_the_other_is_known() -> None:
    assert place([1, 1], ["p"], k=2).classes.labels == (0, 1)
    assert place([False], ["p"], k=2).classes.labels == (False, True)
    assert place(["a"], ["p"], k=2, positive="b").classes.labels == ("a", "b")
    assert misplaced([5, 5], ["p"], k=2).code == "K134"
    assert misplaced(["a"], ["p"], k=2).code == "K134"


def test_columns_without_names_follow_the_classes() -> None:
    assert place([2, 0, 1], (), k=3).classes.labels == (0, 1, 2)
    assert place([2, 0, 1], ("probs",), k=3).order is None
    assert misplaced([2, 0, 1], (), k=4).code == "K134"
    assert place([2, 0, 1], (), k=4, labels=range(4)).classes.k == 4


def test_strings_against_numbers_are_told_first() -> None:
    assert misplaced([0, 1], ["p_0", "p_1"], pred=["0", "1"]).code == "K108"
