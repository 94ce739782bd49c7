"""What counts as a finding, with outcomes planted one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from fuzz.case import Case, Finding, run
from fuzz.source import Source
from fuzz.targets import load
from karat import _native
from tests.same import assert_same


def raising(error: Exception) -> Callable[[Case], None]:
    def body(case: Case) -> None:
        raise error

    return body


def changing(case: Case) -> None:
    """A call that writes into an array which is only to be read."""
    array = case.arrays.codes(9, 3)
    array[4] += 1


@pytest.fixture(autouse=True)
def same_instruction_set() -> Any:
    before = _native.isa()
    yield
    _native.use_isa(before)


@pytest.mark.parametrize(
    "error", [ValueError(), TypeError(), IndexError(), OverflowError(), MemoryError()]
)
def test_a_refusal_is_no_finding(error: Exception) -> None:
    run(raising(error), b"\0", _native)


@pytest.mark.parametrize("error", [SystemError(), RuntimeError(), KeyError(), RecursionError()])
def test_any_other_error_is_a_finding(error: Exception) -> None:
    with pytest.raises(Finding, match=type(error).__name__):
        run(raising(error), b"\0", _native)


def test_an_input_array_that_changed_is_a_finding() -> None:
    with pytest.raises(Finding, match="only to be read"):
        run(changing, b"\0", _native)


def test_a_wrong_answer_is_a_finding() -> None:
    class Wrong:
        """The module, but for one count too many."""

        isas, use_isa = staticmethod(_native.isas), staticmethod(_native.use_isa)

        @staticmethod
        def run_lengths(keys: Any) -> Any:
            found, rows = _native.run_lengths(keys)
            return found, rows + 1

    body = load()["run_lengths"]
    run(body, b"", _native)
    with pytest.raises(Finding, match="missing from the runs"):
        run(body, b"", Wrong)  # type: ignore[arg-type]


def test_bytes_that_are_missing_read_as_the_plain_choice() -> None:
    source = Source(b"")
    assert (source.byte(), source.flag(), source.rarely(8), source.spoiled) == (0, False, False, -1)
    assert source.pick(("plain", "other")) == "plain"
    assert source.integer(3, 9) == 3


def test_one_input_in_two_is_honest_and_the_others_spoil_an_argument() -> None:
    spoiled = [Source(bytes([first])).spoiled for first in range(256)]
    assert_same(np.bincount(np.array(spoiled) + 2)[1], 128)
    assert {-2, *range(10)} < set(spoiled)


# Made twice, a handle is a warning of nanobind's and the call a refusal.
@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", sorted(load()))
def test_every_target_calls_its_binding_on_the_empty_input(name: str) -> None:
    assert run(load()[name], b"", _native).n_reached == 1
