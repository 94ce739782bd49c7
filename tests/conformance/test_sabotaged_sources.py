"""Sources with one defect each: the suite finds every one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

import karat
from karat.testing import FEATURES, Sample, SourceLaws, check_source, samples

Columns = dict[str, Any]
Defect = Callable[[Sample, Columns], Columns]


def edited(values: Any, row: int, value: Any) -> Any:
    """The column with one other value."""
    found = list(values)
    if found:
        found[row] = value
    return found


def without_last_row(sample: Sample, columns: Columns) -> Columns:
    return {name: values[:-1] if len(values) > 1 else values for name, values in columns.items()}


def with_a_row_twice(sample: Sample, columns: Columns) -> Columns:
    return {name: [*values[:1], *values] for name, values in columns.items()}


def truth_and_prediction_swapped(sample: Sample, columns: Columns) -> Columns:
    if "guess" not in columns:
        return columns
    return columns | {"fact": columns["guess"], "guess": columns["fact"]}


def weights_of_two_rows_swapped(sample: Sample, columns: Columns) -> Columns:
    if "mass" not in columns or len(columns["mass"]) < 2:
        return columns
    mass = list(columns["mass"])
    order = sorted(range(len(mass)), key=lambda i: (mass[i] is None, mass[i] or 0.0))
    mass[order[0]], mass[order[-1]] = mass[order[-1]], mass[order[0]]
    return columns | {"mass": mass}


def weights_of_one(sample: Sample, columns: Columns) -> Columns:
    return columns | {"mass": [1.0] * len(columns["mass"])} if "mass" in columns else columns


def a_cluster_lost(sample: Sample, columns: Columns) -> Columns:
    if "person" not in columns:
        return columns
    people = columns["person"]
    known = sorted({person for person in people if person is not None})
    if len(known) < 2:
        return columns
    return columns | {"person": [known[1] if x == known[0] else x for x in people]}


def scores_of_two_columns_swapped(sample: Sample, columns: Columns) -> Columns:
    if "s_2" not in columns:
        return columns
    return columns | {"s_1": columns["s_2"], "s_2": columns["s_1"]}


def scores_as_single_precision(sample: Sample, columns: Columns) -> Columns:
    return columns | {
        name: values.astype("f4")
        for name, values in columns.items()
        if name.startswith("s") and hasattr(values, "astype")
    }


def a_slice_renamed(sample: Sample, columns: Columns) -> Columns:
    if "year" not in columns:
        return columns
    return columns | {"year": [2031 if year == 2023 else year for year in columns["year"]]}


def missing_slices_as_text(sample: Sample, columns: Columns) -> Columns:
    if "site" not in columns:
        return columns
    return columns | {"site": ["None" if site is None else site for site in columns["site"]]}


def missing_labels_as_text(sample: Sample, columns: Columns) -> Columns:
    return columns | {
        name: ["None" if x is None else x for x in columns[name]]
        for name in ("fact", "guess")
        if name in columns and any(isinstance(x, str) for x in columns[name])
    }


def labels_stripped_of_zeros(sample: Sample, columns: Columns) -> Columns:
    return columns | {
        name: [x.lstrip("0") if isinstance(x, str) else x for x in columns[name]]
        for name in ("fact", "guess")
        if name in columns
    }


def booleans_as_numbers(sample: Sample, columns: Columns) -> Columns:
    return columns | {
        name: [int(x) if isinstance(x, bool) else x for x in columns[name]]
        for name in ("fact", "guess")
        if name in columns
    }


DEFECTS: dict[Defect, str] = {
    without_last_row: "labels",
    with_a_row_twice: "labels",
    truth_and_prediction_swapped: "labels",
    labels_stripped_of_zeros: "labels",
    booleans_as_numbers: "labels",
    weights_of_two_rows_swapped: "weights",
    weights_of_one: "weights",
    a_cluster_lost: "clusters",
    scores_of_two_columns_swapped: "scores",
    scores_as_single_precision: "scores",
    a_slice_renamed: "slices",
    missing_slices_as_text: "slices",
    missing_labels_as_text: "nulls",
}
"""Each defect of the rows, and a law that must find it."""


class Dict(SourceLaws):
    name = "dict of columns"
    batchings = (1,)

    def broken(self, sample: Sample, columns: Columns) -> Columns:
        return columns

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        columns = dict(sample.columns)
        return self.broken(sample, columns), sample.names


def test_without_a_defect_every_law_holds() -> None:
    assert check_source(Dict) == len(list(samples()))


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__)
def test_a_defect_of_the_rows_is_found(defect: Defect) -> None:
    broken = type(
        "Broken", (Dict,), {"broken": staticmethod(defect), "subjects": (DEFECTS[defect],)}
    )
    with pytest.raises(AssertionError, match=f"test_{DEFECTS[defect]}: "):
        check_source(broken)


IGNORED = {
    "labels": "classes",
    "class_names": "classes",
    "positive": "classes",
    "threshold": "scores",
    "weights_are": "weights",
    "nulls": "nulls",
    "level": "options",
    "method": "options",
    "side": "options",
    "sampling": "options",
    "undefined": "options",
}
"""Each option, and a law that must find that it is ignored."""


@pytest.mark.parametrize("option", IGNORED)
def test_an_ignored_option_is_found(option: str) -> None:
    class Deaf(Dict):
        subjects = (IGNORED[option],)

        def report(self, sample: Sample, n_batches: int) -> karat.Report:
            options = {name: value for name, value in sample.options.items() if name != option}
            return super().report(replace(sample, options=options), n_batches)

    with pytest.raises(AssertionError, match=f"test_{IGNORED[option]}: "):
        check_source(Deaf)


def test_a_batch_that_is_lost_is_found() -> None:
    class Lossy(SourceLaws):
        batchings = (3,)
        subjects = ("labels",)

        def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
            return dict(sample.parts(n_batches)[-1].columns), sample.names

    with pytest.raises(AssertionError, match=r"n_rows: 23, not 48"):
        check_source(Lossy)


def test_a_refusal_that_does_not_come_is_found() -> None:
    refusing = type(
        "Refusing", (Dict,), {"refuses": {"clusters": "K148"}, "subjects": ("clusters",)}
    )
    with pytest.raises(AssertionError, match="a report, not the error K148"):
        check_source(refusing)


def test_a_report_that_should_be_an_error_is_found() -> None:
    class Trusting(Dict):
        subjects = ("errors",)

        def report(self, sample: Sample, n_batches: int) -> karat.Report:
            return karat.evaluate([0, 1], [0, 1])

    with pytest.raises(AssertionError, match="a report, not the error K113"):
        check_source(Trusting)


def test_a_wrong_bound_is_found() -> None:
    class Overconfident(Dict):
        subjects = ("scores",)

        def report(self, sample: Sample, n_batches: int) -> karat.Report:
            found = super().report(sample, n_batches)
            described = found.to_dict()
            for result in described["metrics"].values():
                result.update(exact=False, bound=[result["value"] + 0.1, result["value"] + 0.2])
            found.to_dict = lambda: described  # type: ignore[method-assign]
            return found

    with pytest.raises(AssertionError, match="is below its bound"):
        check_source(Overconfident)


def test_the_features_are_those_of_the_samples() -> None:
    assert {*FEATURES} == {feature for sample in samples() for feature in sample.features}


class WithoutBooleans(SourceLaws):
    """As a database that keeps 0 and 1."""

    batchings = (1,)
    subjects = ("labels", "slices", "scores")

    def source(self, sample: Sample, n_batches: int) -> tuple[Any, Mapping[str, Any]]:
        columns = {
            name: [int(x) if isinstance(x, bool) else x for x in list(values)]
            for name, values in sample.columns.items()
        }
        return columns, sample.names


def test_what_a_source_cannot_represent_is_left_out_by_the_name_that_a_failure_tells() -> None:
    with pytest.raises(AssertionError, match=r"(?s)booleans.*features: booleans, "):
        check_source(WithoutBooleans)
    without = type("Without", (WithoutBooleans,), {"lacks": ("booleans",)})
    assert check_source(without) > 20


@pytest.mark.parametrize("facts", [{"lacks": ("boolean",)}, {"refuses": {"cluster": "K148"}}])
def test_a_feature_that_does_not_exist_is_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="are no features; features are"):
        check_source(type("Mistyped", (WithoutBooleans,), facts))


def test_a_subject_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="K122  subjects='label'"):
        check_source(type("Mistyped", (WithoutBooleans,), {"subjects": ("label",)}))
