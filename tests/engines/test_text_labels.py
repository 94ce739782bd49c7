"""What the labels of text files are: numbers, booleans or exactly the text."""

from __future__ import annotations

import pytest

from karat.engines.text_labels import NotLabelsError, of_csv, of_json
from karat.tally import Label


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1", "0", "-2", "+3"], [1, 0, -2, 3]),
        ([" 1", "2 "], [1, 2]),
        (["1", "1.0", "2."], [1, 1, 2]),
        (["1e2", "5"], [100, 5]),
        (["12345678901234567890"], [12345678901234567890]),
        (["True", "FALSE", "true"], [True, False, True]),
        (["True", "0", "1"], [1, 0, 1]),
        (["007", "7"], ["007", "7"]),
        (["1", "2", "cat"], ["1", "2", "cat"]),
        (["t", "f"], ["t", "f"]),
        (["yes", "no"], ["yes", "no"]),
        (["2026-01-01"], ["2026-01-01"]),
        (["", " "], ["", " "]),
        (["true", "2"], ["true", "2"]),
        (["nan", "cat"], ["nan", "cat"]),
        (["none", "na"], ["none", "na"]),
        (["inf", "1"], ["inf", "1"]),
        (["1_000"], ["1_000"]),
    ],
)
def test_labels_of_csv(texts: list[str], labels: list[Label]) -> None:
    found = of_csv(texts)
    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels]


@pytest.mark.parametrize(
    ("texts", "code", "at_fault"),
    [
        (["1", "0.5", "2", "0.25"], "K407", ("0.5", "0.25")),
        (["1", "NaN", "2", "N/A"], "K104", ("NaN", "N/A")),
    ],
)
def test_texts_that_are_no_labels(texts: list[str], code: str, at_fault: tuple[str, ...]) -> None:
    with pytest.raises(NotLabelsError) as caught:
        of_csv(texts)
    assert (caught.value.code, caught.value.texts) == (code, at_fault)


def test_labels_of_json() -> None:
    found = of_json(["1", "1.0", "true", '"1"', '"caf\\u00e9"', '"café"'])
    assert found == [1, 1, True, "1", "café", "café"]
    assert [type(label) for label in found] == [int, int, bool, str, str, str]


@pytest.mark.parametrize(
    ("texts", "code", "at_fault"),
    [
        (["1", "0.5", "1e999"], "K407", ("0.5", "1e999")),
        (["1", '{"a":1}'], "K106", ('{"a":1}',)),
        (["[1]"], "K106", ("[1]",)),
    ],
)
def test_json_that_is_no_label(texts: list[str], code: str, at_fault: tuple[str, ...]) -> None:
    with pytest.raises(NotLabelsError) as caught:
        of_json(texts)
    assert (caught.value.code, caught.value.texts) == (code, at_fault)
