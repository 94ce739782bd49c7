"""Calls as other libraries write them: each says what karat calls what was meant."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import karat
from karat.errors import KaratError, UnknownArgumentError
from tests.optional import optional

TRUE, PRED, PROB = [0, 1, 1, 0], [0, 1, 0, 0], [0.1, 0.9, 0.4, 0.3]
WEIGHTS = [1, 2, 3, 4]
CURVES = ["roc", "precision_recall", "det", "gain", "lift", "reliability", "cost", "net_benefit"]


def failing(call: Any) -> KaratError:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sample_weight": WEIGHTS}, "in karat it is weights="),
        ({"pos_label": 1}, "in karat it is positive="),
        ({"zero_division": 0}, "in karat it is undefined="),
        ({"y_proba": PROB}, "in karat it is y_prob="),
        ({"n_jobs": 2}, "in karat it is n_threads="),
        ({"multi_class": "ovr"}, "roc_auc_ovr_macro, roc_auc_ovr_weighted, roc_auc_ovo_macro"),
        ({"multi_class": "ovr"}, "average= chooses"),
    ],
)
def test_a_metric_names_the_word_of_karat(given: dict[str, Any], told: str) -> None:
    for call in (
        lambda: karat.log_loss(TRUE, y_prob=PROB, **given),
        lambda: karat.roc_auc(TRUE, y_prob=PROB, **given),
        lambda: karat.f1(TRUE, PRED, **given),
    ):
        problem = failing(call)
        assert problem.code == "K302"
        assert f"There is no parameter '{next(iter(given))}': " in str(problem)
        assert told in str(problem)


def test_each_word_that_is_named_is_a_parameter() -> None:
    from karat.api.request.request import options_of
    from karat.errors.habits import _WORDS

    known = {item.name for item in options_of("evaluate")}
    known |= set(inspect.signature(karat.ece).parameters)
    assert set(_WORDS.values()) <= known
    assert not set(_WORDS) & known


CALLS: dict[str, Any] = {
    "evaluate": lambda **given: karat.evaluate(TRUE, PRED, **given),
    "confusion_matrix": lambda **given: karat.confusion_matrix(TRUE, PRED, **given),
    "roc_auc_pairs": lambda **given: karat.roc_auc_pairs(TRUE, y_prob=PROB, **given),
    **{
        name: lambda name=name, **given: getattr(karat.curves, name)(TRUE, y_prob=PROB, **given)
        for name in CURVES
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_another_library_is_a_type_error_that_names_ours(name: str) -> None:
    problem = failing(lambda: CALLS[name](sample_weight=WEIGHTS))
    assert isinstance(problem, UnknownArgumentError)
    assert isinstance(problem, TypeError)
    what, found, do = str(problem).splitlines()
    assert what == f"K126  {name}() got an unexpected keyword argument 'sample_weight'."
    assert found.strip().startswith("It takes y_true, ")
    assert do.strip() == "In karat it is weights=."


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("evaluate", {"pos_label": 1}, "In karat it is positive=."),
        ("roc", {"pos_label": 1}, "In karat it is positive=."),
        (
            "evaluate",
            {"target_names": ["a", "b"]},
            "In karat it is labels=karat.Labels(names=['a', 'b']).",
        ),
        ("evaluate", {"average": "macro"}, "karat.evaluate gives every average"),
        ("roc", {"multi_class": "ovr"}, "roc_auc_ovr_macro"),
        ("confusion_matrix", {"normalize": "true"}, "karat.confusion_matrix gives counts"),
        ("confusion_matrix", {"pos_label": 1}, "There is no such choice here: leave it out."),
        ("evaluate", {"metric": "f1"}, "Nearest: metrics="),
        ("evaluate", {"zzz": 1}, "Leave it out."),
        ("evaluate", {"data": [1]}, "without a name: karat.evaluate(data)."),
    ],
)
def test_what_to_do_about_an_unknown_argument(name: str, given: Any, told: str) -> None:
    problem = failing(lambda: CALLS[name](**given))
    assert problem.code == "K126"
    assert told in str(problem).splitlines()[-1]


VERBS_OF_DATA = ("evaluate", "compare", "gate", "find_weak_slices", "check")


@pytest.mark.parametrize("verb", VERBS_OF_DATA)
@pytest.mark.parametrize("name", ["data", "df", "frame"])
def test_data_by_name_is_answered_with_the_call_without(verb: str, name: str) -> None:
    problem = failing(lambda: getattr(karat, verb)(**{name: {"label": TRUE, "pred": PRED}}))
    wanted = f"Give a table or files first, without a name: karat.{verb}({name})."
    assert str(problem).splitlines()[-1].strip() == wanted
    named = failing(lambda: getattr(karat, verb)(predictions=PRED))
    assert "It is y_pred=, or the second argument" in str(named)


def test_only_what_takes_data_says_so() -> None:
    found = failing(lambda: karat.Monitor(min={"accuracy": 0.5}).add(data=TRUE))
    assert "without a name: monitor.add(data)." in str(found)
    assert "Give a table" not in str(failing(lambda: karat.f1(data=TRUE)))
    for verb in VERBS_OF_DATA:
        assert list(inspect.signature(getattr(karat, verb)).parameters)[:2] == [
            "data",
            "predictions",
        ]


def test_a_scorer_names_its_arguments() -> None:
    given: dict[str, Any] = {"pos_label": 1}
    assert "In karat it is positive=." in str(failing(lambda: karat.scorer("f1", **given)))


def test_signatures_are_shown_as_they_are_written() -> None:
    for function in (karat.evaluate, karat.confusion_matrix, karat.roc_auc_pairs, karat.scorer):
        kinds = {item.kind for item in inspect.signature(function).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert list(inspect.signature(karat.roc_auc_pairs).parameters)[:3] == [
        "y_true", "y_prob", "y_logit",
    ]  # fmt: skip


def test_scores_without_the_name_of_what_they_are() -> None:
    def told(function: Any, *given: Any) -> str:
        problem = failing(lambda: function(*given))
        assert problem.code == "K138"
        return str(problem)

    for function in (karat.roc_auc, karat.roc_auc_pairs, karat.curves.roc):
        assert "y_prob= for probabilities, y_logit= for logits, y_score= for any" in told(
            function, TRUE, PROB
        )
    assert "3 arguments without a name" in told(karat.evaluate, TRUE, PRED, PROB)
    assert "Columns of a table must be given by name" not in told(karat.roc_auc, TRUE, PROB)


def test_columns_of_a_table_without_a_name_of_their_role() -> None:
    table = {"label": TRUE, "guess": PRED}
    problem = failing(lambda: karat.evaluate(table, "label", "guess"))  # type: ignore[misc]
    assert problem.code == "K138"
    assert "karat.evaluate(table, y_true='label', y_pred='guess')" in str(problem)
    problem = failing(lambda: karat.evaluate(table, "guess"))
    assert problem.code == "K142"
    assert "y_pred='guess'" in str(problem)
    assert karat.evaluate(table, y_pred="guess").mapping["y_true"] == "label"


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("f2", "f_beta(beta=2)"),
        ("f05", "f_beta(beta=0.5)"),
        ("neg_log_loss", "log_loss"),
        ("neg_brier_score", "brier_score"),
    ],
)
def test_a_metric_whose_name_holds_its_parameter_or_its_sign(name: str, ours: str) -> None:
    problem = failing(lambda: karat.scorer(name))
    assert problem.code == "K301"
    assert f"Nearest: {ours}." in str(problem)
    karat.metrics.get(ours)


@pytest.mark.parametrize("name", ["neg_nothing", "f0", "neg_"])
def test_a_metric_that_is_none_by_any_name(name: str) -> None:
    assert "f_beta" not in str(failing(lambda: karat.scorer(name)))


def test_the_average_of_one_class_is_no_average() -> None:
    problem = failing(lambda: karat.f1(["a", "b"], ["a", "a"], average="binary"))
    assert problem.code == "K122"
    assert "leave it out: positive= names the class" in str(problem)


def test_names_of_commands_are_no_functions() -> None:
    for name, ours in (("columns", "karat.check"), ("report", "karat.evaluate")):
        with pytest.raises(AttributeError, match=f"It is {ours}\\."):
            getattr(karat, name)


def test_models_without_a_name() -> None:
    for more in ([PRED], [PRED, PRED]):
        problem = failing(lambda more=more: karat.compare(TRUE, PRED, *more))  # type: ignore[misc]
        assert problem.code == "K162"
        assert f"{2 + len(more)} arguments without a name" in str(problem)
        assert 'Pass models as a dict: {"name": predictions}' in str(problem)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("roc_curve", "karat.curves.roc"),
        ("precision_recall_curve", "karat.curves.precision_recall"),
        ("det_curve", "karat.curves.det"),
        ("calibration_curve", "karat.curves.reliability"),
        ("classification_report", "karat.evaluate"),
        ("precision_recall_fscore_support", "karat.evaluate(...).per_class"),
        ("class_likelihood_ratios", "karat.positive_likelihood_ratio"),
    ],
)
def test_a_function_of_scikit_learn_that_is_no_metric_is_found(name: str, ours: str) -> None:
    assert not hasattr(karat, name)
    with pytest.raises(AttributeError) as caught:
        getattr(karat, name)
    assert f"It is {ours}" in str(caught.value)
    assert f"karat.compat.sklearn.{name}." in str(caught.value)
    assert "K301" in str(caught.value)


def test_every_function_of_the_drop_in_is_found() -> None:
    from karat.compat import sklearn
    from karat.errors.habits import where_it_is

    own = {"install", "uninstall"}
    for name in set(sklearn.__all__) - own:
        assert hasattr(karat, name) or where_it_is(name), name
    for path in ("curves.roc", "curves.det", "curves.precision_recall", "curves.reliability"):
        module, _, function = path.partition(".")
        assert callable(getattr(getattr(karat, module), function))


def test_numbers_that_are_no_labels_may_be_scores() -> None:
    problem = failing(lambda: karat.evaluate(TRUE, PROB))
    assert problem.code == "K105"
    assert "give probabilities as y_prob=, logits as y_logit=, other scores as y_score=" in str(
        problem
    )


def test_every_missing_metric_of_thresholds_is_named() -> None:
    names = ["roc_auc", "f_beta_threshold", "informedness_threshold", "cost_threshold"]
    missing = ["max_f_beta", "max_informedness", "min_cost"]
    problem = failing(lambda: karat.evaluate(TRUE, y_prob=PROB, metrics=names).thresholds)
    assert problem.code == "K211"
    assert f"metrics=[{', '.join(map(repr, missing))}]" in str(problem)
    asked = [*names, *missing]
    assert set(karat.evaluate(TRUE, y_prob=PROB, metrics=asked).thresholds) == {
        "f1", "informedness", "cost",
    }  # fmt: skip
    three = karat.evaluate([0, 1, 2], y_prob=np.eye(3), metrics=["log_loss"])
    assert "Leave metrics= out" in str(failing(lambda: three.thresholds))


def test_the_metrics_of_calibration_that_can_be_named_are() -> None:
    asked = karat.evaluate(TRUE, y_prob=PROB, metrics=["roc_auc"])
    problem = failing(lambda: asked.calibration)
    assert problem.code == "K211"
    names = str(problem).partition("metrics=: ")[2].rstrip(".").replace("'", "").split(", ")
    again = karat.evaluate(TRUE, y_prob=PROB, metrics=names)
    assert set(again.calibration) == set(names)


def test_only_averages_that_the_report_holds_are_said_to_be_held() -> None:
    def told(**given: Any) -> str:
        problem = failing(lambda: karat.evaluate([0, 1, 2], **given)["roc_auc"])
        assert problem.code in ("K307", "K210")
        return str(problem).splitlines()[1].strip()

    assert told(y_prob=np.eye(3)) == (
        "This report holds roc_auc_ovr_macro, roc_auc_ovr_weighted; "
        "metrics= may also name roc_auc_ovr_micro."
    )
    assert told(y_prob=np.eye(3), metrics=["roc_auc_ovr_micro"]).startswith(
        "This report holds roc_auc_ovr_micro; metrics= may also name roc_auc_ovr_macro"
    )
    every = "roc_auc_ovr_macro, roc_auc_ovr_micro, roc_auc_ovr_weighted"
    none = f"Its averages, none of which this report holds, are {every}."
    assert told(y_prob=np.eye(3), metrics=["f1_macro"]) == none
    assert told(y_pred=[0, 1, 2]) == "It reads probabilities or scores, and there are none."


def test_a_prediction_without_a_column_is_told_of_the_columns() -> None:
    arrays = (list, np.array)
    for made in arrays:
        for scores, what in (("y_prob", "probabilities"), ("y_score", "scores")):
            problem = failing(
                lambda made=made, scores=scores: karat.evaluate(
                    [0, 1], made([0, 2]), **{scores: [0.1, 0.9]}
                )
            )
            assert problem.code == "K109"
            assert f"not among the classes of {scores}." in str(problem)
            assert "First at row 1: 2; 1 of 2 rows." in str(problem)
            assert f"The {what} have columns for the classes 0, 1 only." in str(problem)
            assert "labels=" not in str(problem)
    kinds = failing(lambda: karat.evaluate([0, 1], ["a", "b"], y_prob=[0.1, 0.9]))
    assert kinds.code == "K108"
    assert "labels=" not in str(kinds)
    declared = failing(lambda: karat.evaluate([0, 1], [0, 2], y_prob=[0.1, 0.9], labels=[0, 1]))
    assert "not among labels=." in str(declared)


def test_frames_of_predictions_name_the_columns_too() -> None:
    pd = optional("pandas")
    pred = pd.Series([0, 2])
    problem = failing(lambda: karat.evaluate([0, 1], pred, y_prob=[0.1, 0.9]))
    assert "The probabilities have columns for the classes 0, 1 only." in str(problem)


@pytest.mark.parametrize(
    ("name", "ours"),
    [("interval", ".low and .high, at .level"), ("std", ".standard_error"), ("upper", ".high")],
)
def test_attributes_of_a_result_by_other_names(name: str, ours: str) -> None:
    result = karat.evaluate(TRUE, PRED)["accuracy"]
    assert not hasattr(result, name)
    with pytest.raises(AttributeError) as caught:
        getattr(result, name)
    assert f"A result has no {name}: it has {ours}." in str(caught.value)
    with pytest.raises(AttributeError, match=r"A result has no zzz: see dir\(result\)"):
        _ = result.zzz  # type: ignore[attr-defined]


def test_files_are_compared_by_the_names_of_their_models() -> None:
    problem = failing(lambda: karat.compare("a.csv", "b.csv"))
    assert problem.code == "K128"
    assert "Give a dict of them: karat.compare({'old': old, 'new': new})." in str(problem)


@pytest.mark.parametrize("host", ["dict", "pandas", "polars"])
def test_a_table_as_the_truth_alone_belongs_in_the_first_place(host: str) -> None:
    columns = {"label": TRUE, "pred": PRED}
    table: Any = columns if host == "dict" else optional(host).DataFrame(columns)
    calls: dict[str, Any] = {
        "evaluate": karat.evaluate,
        "gate": karat.gate,
        "find_weak_slices": karat.find_weak_slices,
        "add": karat.Monitor(min={"accuracy": 0.1}).add,
        "update": karat.Stream().update,
    }
    for name, call in calls.items():
        problem = failing(lambda call=call: call(y_true=table))
        assert problem.code == "K128", name
        assert "Give a table of columns as first argument, without a name" in str(problem), name
    assert karat.evaluate(table).n_rows == len(TRUE)
