"""What an option may be is a part of its record: checked first, the same at every verb."""

from __future__ import annotations

import copy
import pickle
from typing import Any, get_args

import numpy as np
import pytest

import karat
from karat.api.request.checks import Switch, Whole, Words, memory
from karat.api.request.record import Option
from karat.api.request.request import Request, all_options, options_of
from karat.inference.comparison.judging import Adjustment
from karat.inference.confidence import WeightKind
from karat.metrics._lift import Policy

VERBS = sorted({verb for item in all_options().values() for verb in item.verbs})
CHECKED = [
    (verb, item)
    for verb in VERBS
    for item in options_of(verb)
    if isinstance(item.check, Words | Whole | Switch) or item.check is memory
]
"""Those of one form; others have tests of their own: tests/errors/test_checks_of_options.py."""
SPELLED = {
    "n_permutations": "n_replicates=",
    "gold_is_random": " is_random=",
    "weights_are": "karat.Frequency(",
}
"""What parts of groups are called that have another name than their option."""
WRONG: tuple[Any, ...] = ("nonsense", -7, 2.5, object(), np.timedelta64(5), b"zero")


def test_there_are_checks() -> None:
    assert len({item.name for _, item in CHECKED}) >= 17
    assert len(CHECKED) > 30


@pytest.mark.parametrize(("verb", "item"), CHECKED, ids=lambda x: getattr(x, "name", x))
def test_a_wrong_value_is_refused_before_any_row_is_read(verb: str, item: Option) -> None:
    for value in WRONG:
        with pytest.raises(karat.KaratError) as caught:
            Request.of(verb, **{item.name: value})
        assert caught.value.code == "K122"
        assert SPELLED.get(item.name, item.name) in str(caught.value).splitlines()[0]
    assert getattr(Request.of(verb, **{item.name: item.default}), item.name) == item.default


@pytest.mark.parametrize(("verb", "item"), CHECKED, ids=lambda x: getattr(x, "name", x))
def test_a_value_is_kept_as_a_plain_one(verb: str, item: Option) -> None:
    if isinstance(item.check, Switch):
        assert getattr(Request.of(verb, **{item.name: np.True_}), item.name) is True
    elif isinstance(item.check, Words):
        text = next(word for word in item.check.words if word)
        kept = getattr(Request.of(verb, **{item.name: np.str_(text)}), item.name)
        assert (type(kept), kept) == (str, text)
    else:
        number = item.check.least if isinstance(item.check, Whole) else 1 << 21
        kept = getattr(Request.of(verb, **{item.name: np.int64(number)}), item.name)
        assert (type(kept), kept) == (int, number)


@pytest.mark.parametrize(
    ("name", "words"), [("undefined", Policy), ("adjust", Adjustment), ("weights_are", WeightKind)]
)
def test_words_are_those_of_the_type(name: str, words: Any) -> None:
    check = all_options()[name].check
    assert isinstance(check, Words)
    assert check.words == get_args(words)


def test_verbs_refuse_it_first() -> None:
    with pytest.raises(karat.KaratError, match=r"K122  undefined='x'"):
        karat.evaluate(object(), object(), undefined="x")
    with pytest.raises(karat.KaratError, match=r"K122  adjust='maxt'"):
        karat.gate(object(), object(), rules=karat.Rules(adjust="maxt"))
    with pytest.raises(karat.KaratError, match=r"K122  .*max_memory=5"):
        karat.Stream(reading=karat.Reading(max_memory=5))


@pytest.mark.parametrize("names", [("adjust", "warn_only"), ("warn_only", "adjust")])
def test_of_two_wrong_values_the_first_of_the_records_is_refused(names: tuple[str, str]) -> None:
    with pytest.raises(karat.KaratError, match=r"K122  adjust='x'"):
        Request.of("gate", **dict.fromkeys(names, "x"))


def test_records_are_values() -> None:
    for item in all_options().values():
        for same in (copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
            assert (same, hash(same)) == (item, hash(item))
