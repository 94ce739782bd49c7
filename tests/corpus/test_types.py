"""What public calls give is what their annotations promise, but for the recorded lies."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from tests.corpus.calls import CLUSTERS, GROUPS, Call
from tests.corpus.check import outcomes_of
from tests.corpus.typing_check.hints import Unknown, members
from tests.corpus.typing_check.lies import FILE, Lie, changes, read, write
from tests.corpus.typing_check.matching import is_of, what_came
from tests.corpus.typing_check.run import Findings, run_groups
from tests.corpus.typing_check.surface import classes, functions, method_promises, methods
from tests.corpus.typing_check.watch import Watch, watching
from tests.optional import optional

CHEAP = (*("functions", "losses", "sklearn_calls", "catboost_calls", "curve_calls", "set_streams"),)
"""Groups that take seconds."""
OTHERS = tuple(group for group in GROUPS if group not in {*CHEAP, *CLUSTERS})
TRUE, PRED = ["a", "b", "b", "a", "b"], ["a", "b", "a", "a", "b"]
QUIET = ("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning")
pytestmark = pytest.mark.filterwarnings(*QUIET)


@pytest.fixture(autouse=True)
def _hosts() -> None:
    for module in ("pandas", "polars", "pyarrow", "duckdb", "torch", "matplotlib", "click"):
        optional(module)
    for module in ("sklearn", "catboost"):
        optional(module)


def check(group: str) -> None:
    """The lies of a group are those recorded, and a type checker would take its calls."""
    findings = run_groups([group])
    lines = changes(read(), findings.lies, [group])
    assert not lines, "\n".join(lines)
    assert not findings.outside, "calls that no overload takes"


@pytest.mark.parametrize("group", CHEAP)
def test_the_lies_are_those_recorded(group: str) -> None:
    check(group)


@pytest.mark.parametrize("group", OTHERS)
def test_the_lies_of_other_groups_are_those_recorded(group: str) -> None:
    check(group)


def test_what_other_tests_kept_hides_no_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes_of("outputs")
    checked = run_groups(["outputs"]).names
    monkeypatch.setattr("tests.corpus.typing_check.run.forget_rows", lambda: None)
    hidden = checked - run_groups(["outputs"]).names
    assert "karat.evaluate" in hidden
    assert len(hidden) > 10


def test_the_watch_changes_no_outcome() -> None:
    findings = run_groups(["confusions"])
    plain = outcomes_of("confusions")
    assert {f"confusions/{name}" for name in plain} == set(findings.outcomes)
    for name, outcome in plain.items():
        # Texts, since NaN differs from itself.
        assert repr(outcome) == repr(findings.outcomes[f"confusions/{name}"])


def test_the_watch_is_taken_away() -> None:
    def places() -> list[Any]:
        owners = [vars(karat), vars(karat.tally), vars(karat.Report), vars(karat.Stream)]
        return [list(owner.items()) for owner in owners]

    functions()
    before = places()
    with watching():
        assert places() != before
    assert places() == before


def test_an_exception_passes_through() -> None:
    with watching() as watch:
        with pytest.raises(karat.KaratError):
            karat.f1(TRUE, PRED[1:], average="macro")
        assert not watch.is_inside
        karat.f1(TRUE, PRED, average="macro")
        assert [name for name in names_of(watch) if "_native" not in name] == ["karat.f1"]


def names_of(watch: Watch) -> list[str]:
    """The names of the functions that were called."""
    return [item.promises[0].name for item in watch.seen]


def pilot() -> Any:
    """A report of a few rows."""
    return karat.evaluate(TRUE * 8, PRED * 8, metrics=["accuracy"], positive="b")


def findings_of(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> Findings:
    """The findings of a group with this one call."""
    group = types.ModuleType("tests.corpus.sabotaged")
    group.calls = lambda: iter([Call("it", "evaluate", "lists", run)])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, group.__name__, group)
    return run_groups(["sabotaged"])


def public_lies(findings: Findings) -> dict[str, str]:
    """The lies of names that the package offers, with what came."""
    return {lie.name: lie.came for lie in findings.lies if "._" not in lie.name}


def test_honest_calls_are_no_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> Any:
        return [
            karat.f1(TRUE, PRED, average=None),
            karat.f1(TRUE, PRED, average="macro"),
            karat.confusion_matrix(TRUE, PRED),
            karat.rows_needed("accuracy", pilot=pilot(), half_width=0.1),
        ]

    findings = findings_of(monkeypatch, run)
    assert public_lies(findings) == {}
    assert findings.n_checks > 20
    assert "gave" in findings.outcomes["sabotaged/it"].skeleton


def test_a_wrong_value_of_a_function_is_a_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tallied:
        def matrix(self) -> list[list[int]]:
            return [[1]]

    monkeypatch.setattr("karat.api.functions.tallied", lambda *args, **kwargs: Tallied())
    findings = findings_of(monkeypatch, lambda: karat.confusion_matrix(TRUE, PRED))
    assert public_lies(findings) == {"karat.confusion_matrix": "list"}


def test_a_value_that_differs_from_the_stub_is_a_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    kind: Any = karat.metrics.Metric
    values = kind.values

    def narrow(self: Any, *args: Any, **kwargs: Any) -> Any:
        computed = values(self, *args, **kwargs)
        return replace(computed, value=np.asarray(computed.value, np.float32))

    monkeypatch.setattr(kind, "values", narrow)
    findings = findings_of(monkeypatch, lambda: karat.f1(TRUE, PRED, average=None))
    assert public_lies(findings)["karat.f1"] == "array of float32"


def test_a_wrong_value_of_a_method_is_a_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.api.streams.stream.Stream.to_bytes", wrong_bytes)
    findings = findings_of(monkeypatch, lambda: karat.Stream().to_bytes())
    assert public_lies(findings) == {"karat.Stream.to_bytes": "str"}


def wrong_bytes(self: Any) -> bytes:
    wrong: Any = "text"
    return wrong  # type: ignore[no-any-return]


def test_wrong_values_in_a_result_are_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    # A field of a dataclass, one of an item of the result, an attribute that is no field.
    def run() -> Any:
        result = karat.gate(TRUE * 8, PRED * 8, min={"accuracy": 0.1}, positive="b")
        object.__setattr__(result, "level", "high")
        object.__setattr__(result.rules[0], "reason", 7)
        needed: Any = karat.rows_needed("accuracy", pilot=pilot(), half_width=0.1)
        needed.low = "many"

    came = public_lies(findings_of(monkeypatch, run))
    wrong = {name.rpartition(".")[2]: kind for name, kind in came.items()}
    assert wrong == {"level": "str", "reason": "int", "low": "str"}


@pytest.mark.parametrize(
    ("value", "hint", "came"),
    [
        ([1, "a"], list[int], "str in list"),
        ({"a": [1, 2.5]}, dict[str, list[int]], "float in list in dict"),
        (np.zeros(2), np.ndarray[Any, np.dtype[np.int64]], "array of float64"),
        (np.int64(1), int | None, "numpy.int64"),
        ((1, "a"), tuple[int, int], "str in tuple"),
    ],
)
def test_what_came_is_named(value: Any, hint: Any, came: str) -> None:
    assert not is_of(value, hint)
    assert what_came(value, hint) == came


def test_every_annotation_can_be_evaluated() -> None:
    promised = [promise for _, both in functions().values() for promise in both]
    for owner in classes():
        for name, function in methods(owner):
            promised += method_promises(owner, name, function)
        assert [x for x in members(owner) if x.hint.type is Unknown] == []
    assert len(promised) > 1_000
    for promise in promised:
        assert all(x.returns.type is not Unknown for x in promise.overloads), promise.name


def test_new_and_gone_lies_are_told(tmp_path: Path) -> None:
    lie, other = Lie("karat.f", "int", "str"), Lie("karat.g", "int", "str")
    was, now = {lie: {"a": "a/x", "b": "b/x"}}, {other: {"a": "a/y"}}
    assert changes(was, was, ["a", "b"]) == []
    assert changes(was, now, ["a"]) == [
        "new: karat.g: int, but str came (a/y)",
        "gone, remove it from the list: karat.f: int, but str came (a/x)",
    ]
    path = tmp_path / "lies.toml"
    write(was, path)
    assert read(path) == was


def test_the_list_is_as_it_is_written(tmp_path: Path) -> None:
    write(read(), tmp_path / "lies.toml")
    assert (tmp_path / "lies.toml").read_bytes() == FILE.read_bytes()
    assert {group for calls in read().values() for group in calls} <= set(GROUPS)
