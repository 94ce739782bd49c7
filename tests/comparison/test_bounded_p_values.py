"""A p-value that the number of replicates bounds is shown with <, wherever it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.inference.comparison.families import at_once
from karat.inference.p_values import LeastP, least_or_more, p_in_cell, p_of_replicates, p_text


def test_a_bound_is_rounded_up_and_any_other_p_value_to_the_nearest() -> None:
    for n in range(1, 400):
        p = p_of_replicates(0, n)
        for form in (".2g", ".3g", ".4f", ".2f"):
            shown = float(p_text(p, form).removeprefix("< "))
            assert p * (1 - 1e-9) <= shown
            assert p_text(float(p), form) == f"= {float(p):{form}}"
            digits = int(form[1])
            step = 10.0**-digits if form[2] == "f" else shown * 10.0 ** (1 - digits)
            assert shown < p + step


def test_only_the_smallest_p_value_that_replicates_show_is_a_bound() -> None:
    assert isinstance(p_of_replicates(0, 99), LeastP)
    assert not isinstance(p_of_replicates(1, 99), LeastP)
    assert not isinstance(least_or_more(1e-9, 0), LeastP)
    assert [p_in_cell(p, ".2f", "–") for p in (None, LeastP(0.5), 0.5)] == ["–", "<0.50", "0.50"]


def test_a_bound_of_one_slice_is_one_of_all_slices() -> None:
    assert isinstance(at_once(LeastP(0.01), 5), LeastP)
    assert not isinstance(at_once(0.01, 5), LeastP)
    assert at_once(LeastP(0.01), 5) == at_once(0.01, 5)


def test_differences_in_every_label_show_it() -> None:
    truth = [{"cat"}, {"dog"}, {"cat", "dog"}] * 20
    models = {"old": [{"cat"}, {"dog"}, {"cat"}] * 20, "new": truth}
    same, other = karat.compare(truth, models, interval=karat.Interval(n_replicates=499)).per_label(
        "recall"
    )
    assert (other.p, other.p_adjusted) == (0.002, 0.002)
    assert ", p < 0.002 (all labels at once): better" in str(other)
    assert ", p = 1 (all labels at once)" in str(same)
    assert "p &lt; 0.002" in other._repr_html_()
    assert other.to_dict()["p_adjusted"] == 0.002


def sliced() -> Any:
    rng = np.random.default_rng(0)
    country = np.repeat(["DE", "FR", "NO"], 200)
    true = rng.integers(0, 2, 600)
    wrong = rng.random(600) < np.repeat([0.1, 0.1, 0.5], 200)
    return karat.evaluate(true, np.where(wrong, 1 - true, true), by={"country": country})


def test_tests_of_slices_show_it_also_when_they_are_read_again() -> None:
    report = sliced()
    again = karat.Report.from_json(report.to_json())
    texts = []
    for one in (report, again):
        table = one.slices["country"]
        gap, test = table.gap("accuracy"), table.heterogeneity("accuracy")
        differences = [str(each) for each in table.difference("accuracy").values()]
        assert ", p < 0.001; equal slices" in str(gap)
        assert str(test) == "slices differ (p < 0.001)"
        assert any(", p < 0.001 (all slices at once)" in text for text in differences)
        assert "&lt;0.001" in table.difference("accuracy")._repr_html_()
        texts.append([str(gap), str(test), *differences])
    assert texts[0] == texts[1]
    assert again.slices["country"].gap("accuracy").p == pytest.approx(1 / 1001)


def test_weak_slices_show_it() -> None:
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 600)
    country = np.repeat(["DE", "FR", "NO"], 200)
    wrong = rng.random(600) < np.repeat([0.05, 0.05, 0.5], 200)
    pred = np.where(wrong, 1 - true, true)
    found = karat.find_weak_slices(true, pred, by={"country": country})
    least = 1 / (1 + found.n_permutations)
    assert [one.p for one in found] == [pytest.approx(least)]
    assert str(found).splitlines()[1].endswith(f"<{least:.2g}")
    assert f"&lt;{least:.2g}" in found._repr_html_()
    assert f"p &lt; {least:.2g}" in found._repr_html_()
    assert found.to_dict()["p"] == found.p
