"""What the labels of text files are: numbers, booleans or exactly the text."""

from __future__ import annotations

import pytest

from karat.data.sources.files.text_labels import (
    FractionsError,
    NotLabelsError,
    Reading,
    TextBesideNumbersError,
    labels_of_texts,
    missing_texts,
    of_csv,
    of_json,
)
from karat.tally import Label


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1", "0", "-2", "+3"], [1, 0, -2, 3]),
        ([" 1", "2 "], [1, 2]),
        (["1", "1.0", "2."], [1, 1, 2]),
        (["1e2", "5"], ["1e2", "5"]),
        (["1e+2", "5"], [100, 5]),
        (["250.0", "250.00", "251"], ["250.0", "250.00", "251"]),
        (["12345678901234567890"], [12345678901234567890]),
        (["True", "FALSE", "true"], [True, False, True]),
        (["True", "0", "1"], [1, 0, 1]),
        (["007", "7"], ["007", "7"]),
        (["1", "2", "cat"], ["1", "2", "cat"]),
        (["t", "f"], ["t", "f"]),
        (["yes", "no"], ["yes", "no"]),
        (["2026-01-01"], ["2026-01-01"]),
        (["true", "2"], ["true", "2"]),
        (["none", "cat"], ["none", "cat"]),
        (["inf", "1"], ["inf", "1"]),
        (["1_000"], ["1_000"]),
    ],
)
def test_labels_of_csv(texts: list[str], labels: list[Label]) -> None:
    found = of_csv(texts)
    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels]


@pytest.mark.parametrize("texts", [["1", "1.0", "2"], ["1", "true"], ["0", "0.0"]])
def test_two_forms_in_a_column_of_one_csv_are_two_labels(texts: list[str]) -> None:
    assert of_csv(texts, is_one_csv=True) == texts
    assert set(map(type, of_csv(texts))) == {int}
    each = [[text] for text in texts[:2]]
    assert of_csv(texts[:2], each, is_one_csv=True) == [int(texts[0])] * 2
    # Declared classes state what they are.
    assert of_csv(texts, kind="string") == texts


def test_decimals_are_codes_where_they_are_also_true() -> None:
    texts = ["401.9", "250.1", "250.2"]
    assert of_csv(texts, [texts[:2], texts[1:]]) == texts
    for sides in ([texts[:1], texts[1:]], [["1"], texts]):
        with pytest.raises(NotLabelsError):
            of_csv([*texts, "1"], sides)


@pytest.mark.parametrize(
    ("texts", "kind", "at_fault"),
    [
        (["1", "0.5", "2", "0.25"], FractionsError, ("0.5", "0.25")),
        (["1e+2", "1.5"], FractionsError, ("1.5",)),
    ],
)
def test_texts_that_are_no_labels(
    texts: list[str], kind: type[NotLabelsError], at_fault: tuple[str, ...]
) -> None:
    with pytest.raises(NotLabelsError) as caught:
        of_csv(texts)
    assert (type(caught.value), caught.value.texts) == (kind, at_fault)


def test_labels_of_json() -> None:
    found = of_json(["1", "1.0", "true", '"1"', '"caf\\u00e9"', '"café"'])
    assert found == [1, 1, True, "1", "café", "café"]
    assert [type(label) for label in found] == [int, int, bool, str, str, str]


@pytest.mark.parametrize(
    ("texts", "kind", "at_fault"),
    [
        (["1", "0.5", "1e999"], FractionsError, ("0.5", "1e999")),
        (["1", '{"a":1}'], NotLabelsError, ('{"a":1}',)),
        (["[1]"], NotLabelsError, ("[1]",)),
    ],
)
def test_json_that_is_no_label(
    texts: list[str], kind: type[NotLabelsError], at_fault: tuple[str, ...]
) -> None:
    with pytest.raises(NotLabelsError) as caught:
        of_json(texts)
    assert (type(caught.value), caught.value.texts) == (kind, at_fault)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["sa", 'j"a"', "ca"], ["a", "a", "a"]),
        (["s1", "c1"], ["1", "1"]),
        (["n1", "j1", "d1.0", "c1", "n1.0"], [1, 1, 1, 1, 1]),
        (["n9007199254740993.0", "c9007199254740993"], [9007199254740993] * 2),
        (["d1e+23"], [int(1e23)]),
        (["ntrue", "jtrue", "cfalse"], [True, True, False]),
        (["n0", "ctrue"], [0, True]),
    ],
)
def test_labels_of_several_formats(texts: list[str], labels: list[Label]) -> None:
    assert labels_of_texts(texts, "marked") == labels


@pytest.mark.parametrize(
    ("texts", "kind", "at_fault"),
    [
        (["n1", "cx"], TextBesideNumbersError, ("cx",)),
        (["j1", "c007"], TextBesideNumbersError, ("c007",)),
        (["n1.5", "c1"], FractionsError, ("n1.5",)),
        (["d0.5", "ntrue", "j0.25"], FractionsError, ("d0.5", "j0.25")),
        (["j[1]", "c1"], NotLabelsError, ("j[1]",)),
    ],
)
def test_several_formats_that_do_not_agree(
    texts: list[str], kind: type[NotLabelsError], at_fault: tuple[str, ...]
) -> None:
    with pytest.raises(NotLabelsError) as caught:
        labels_of_texts(texts, "marked")
    assert (type(caught.value), caught.value.texts) == (kind, at_fault)


@pytest.mark.parametrize(
    ("texts", "reading", "missing"),
    [
        (["a", "", " ", "NA", "nan", "N/A", "NULL", "None", "<NA>"], "csv", 8),
        (["a", "none", "nil", "na\u00efve", "nano"], "csv", 0),
        (["1", "none", "nil", "?"], "csv", 3),
        (["none", "nil"], "csv", 0),
        (["NA", "nan"], "csv", 2),
        (["NaN", '"NaN"', "1"], "json", 1),
        (["NaN", ""], "typed", 0),
        (["cNA", "sNA", "jNaN", "dnan", 'j"NaN"'], "marked", 3),
    ],
)
def test_texts_that_stand_for_a_missing_label(
    texts: list[str], reading: Reading, missing: int
) -> None:
    assert len(missing_texts(texts, reading, ())) == missing


def test_a_class_that_is_named_is_not_missing() -> None:
    assert missing_texts(["NA", "None", "EU"], "csv", ["NA", "EU"]) == {"None"}
    assert missing_texts(["cNA", "sEU"], "marked", ["NA", "EU"]) == set()
