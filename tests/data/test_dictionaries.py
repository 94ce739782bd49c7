"""Arrow dictionaries: only the values that a row has are judged."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from karat.data.labels.containers import encode
from karat.errors import KaratError
from tests.optional import optional

pa = optional("pyarrow")

ODD: dict[str, tuple[Any, str]] = {
    "fraction": (lambda: pa.array([1.0, 0.5]), "K105"),
    "infinity": (lambda: pa.array([1.0, float("inf")]), "K105"),
    "nan": (lambda: pa.array([1.0, float("nan")]), "K104"),
    "decimal": (lambda: pa.array([Decimal("1.0"), Decimal("1.5")]), "K105"),
    "null": (lambda: pa.array([1, None]), "K104"),
    "bytes": (lambda: pa.array([b"1", b"\xff"]), "K106"),
}


def with_codes(values: Any, codes: list[int | None]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), values)


@pytest.mark.parametrize("name", ODD)
def test_a_value_that_no_row_has_does_not_matter(name: str) -> None:
    make, code = ODD[name]
    column = encode(with_codes(make(), [0, 0]), "y_true")
    assert column.seen() in ([1], ["1"])
    with pytest.raises(KaratError) as caught:
        encode(with_codes(make(), [0, 0, 1]), "y_true")
    assert caught.value.code == code
    if code == "K106":
        assert "Row 2 holds" in str(caught.value)
    else:
        assert caught.value.context["row"] == 2


@pytest.mark.parametrize("name", ODD)
def test_chunks_with_dictionaries_of_their_own(name: str) -> None:
    make, code = ODD[name]
    chunks = [with_codes(make(), [0]), with_codes(make()[:1], [0, 0])]
    assert encode(pa.chunked_array(chunks), "y_true").seen() in ([1], ["1"])
    with pytest.raises(KaratError, match=code):
        encode(pa.chunked_array([*chunks, with_codes(make(), [1])]), "y_true")


@pytest.mark.parametrize("values", [[dt.timedelta(1)], [[1]]])
def test_a_dictionary_of_another_type(values: list[Any]) -> None:
    with pytest.raises(KaratError, match="K104"):
        encode(with_codes(pa.array(values), [None]), "y_true")
    with pytest.raises(KaratError, match="K106"):
        encode(with_codes(pa.array(values), [0]), "y_true")
