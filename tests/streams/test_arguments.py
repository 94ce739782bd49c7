"""A stream says what karat calls an argument of another library, as the functions do."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import karat
from karat.errors import UnknownArgumentError

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "Stream": (karat.Stream, {"n_jobs": 2}, "In karat it is reading=karat.Reading(n_threads=2)."),
    "Stream.update": (
        lambda **given: karat.Stream().update([0, 1], [0, 1], **given),
        {"sample_weight": [1, 1]},
        "In karat it is weights=.",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_another_library_is_named(name: str) -> None:
    call, given, advice = CALLS[name]
    with pytest.raises(UnknownArgumentError) as caught:
        call(**given)
    told = str(caught.value)
    assert told.startswith(
        f"K126  {name}() got an unexpected keyword argument '{next(iter(given))}'."
    )
    assert advice in told
    assert "self" not in told


def test_scores_without_a_name_are_refused_with_their_number() -> None:
    stream = karat.Stream(labels=[0, 1])
    update: Any = stream.update
    with pytest.raises(karat.KaratError, match=r"Stream\.update was given 3 arguments") as caught:
        update([0, 1], [0, 1], [0.2, 0.7])
    assert caught.value.code == "K138"
    assert stream.n_rows == 0


@pytest.mark.parametrize("name", ["threads", "thread_count", "num_threads"])
def test_threads_are_named(name: str) -> None:
    with pytest.raises(karat.KaratError, match="in karat it is n_threads="):
        karat.accuracy([0, 1], [0, 1], **{name: 2})


def test_the_signature_is_that_of_the_method() -> None:
    assert list(inspect.signature(karat.Stream).parameters)[:2] == ["labels", "positive"]
    assert "y_prob" in inspect.signature(karat.Stream.update).parameters
