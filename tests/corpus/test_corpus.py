"""The outcomes of the recorded calls are what they were; a changed one is noticed."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.corpus import store
from tests.corpus.calls import CLUSTERS, GROUPS, calls_of, in_a_folder
from tests.corpus.check import checked, compared
from tests.corpus.differences import OTHER_PROCESSOR, SAME_PROCESSOR, compare, is_wording
from tests.corpus.outcome import Outcome, Prose, flattened, outcome_of, text_digest
from tests.optional import optional

N_PARTS = 3
"""Each takes every third call of a group, so that a tier can run a part of each."""
OF_SOURCES = ("arrays", "tables", "files", "big_files", "dask_frames")
QUIET = ("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning")
pytestmark = pytest.mark.filterwarnings(*QUIET)
Outcomes = dict[str, Outcome]


def needs(group: str) -> None:
    """Skip the groups whose host is not there."""
    if group == "spark_frames":
        from tests.clusters.java import need_java

        optional("pyspark.sql")
        need_java()
    for module in ("pandas", "polars", "pyarrow", "duckdb", "torch", "matplotlib", "click"):
        optional(module)


def assert_as_recorded(group: str, part: int | None = None) -> None:
    needs(group)
    check = checked(group, part=part, n_parts=N_PARTS)
    assert not check.findings, check.text()


@pytest.mark.parametrize("part", range(N_PARTS))
@pytest.mark.parametrize("group", [x for x in GROUPS if x not in {*OF_SOURCES, "spark_frames"}])
def test_the_outcomes_are_as_recorded(group: str, part: int) -> None:
    assert_as_recorded(group, part)


@pytest.mark.parametrize("part", range(N_PARTS))
@pytest.mark.parametrize("group", OF_SOURCES)
def test_the_outcomes_of_sources_are_as_recorded(group: str, part: int) -> None:
    assert_as_recorded(group, part)


def test_the_parts_of_a_group_are_the_whole() -> None:
    counts = [checked("sizes", part=part, n_parts=N_PARTS).n_calls for part in range(N_PARTS)]
    assert min(counts) > 0
    assert sum(counts) == len(store.read("sizes"))


def test_the_outcomes_of_spark_are_as_recorded() -> None:
    needs("spark_frames")
    from tests.corpus import spark_frames

    try:
        assert_as_recorded("spark_frames")
    finally:
        # Another session of this process would be this one, with its one core.
        spark_frames.session().stop()
        spark_frames.frame.cache_clear()
        spark_frames.session.cache_clear()


def test_the_files_are_those_of_the_groups() -> None:
    assert sorted(path.stem for path in store.FOLDER.iterdir()) == sorted(GROUPS)
    assert set(CLUSTERS) < set(GROUPS)


def test_every_group_knows_its_machine() -> None:
    for group in GROUPS:
        assert '"numpy"' in store.machine_of(group), group


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    group = "sizes"
    store.write(group, store.read(group), tmp_path, store.machine_of(group))
    recorded = (store.FOLDER / f"{group}.xz").read_bytes()
    assert (tmp_path / f"{group}.xz").read_bytes() == recorded


def test_the_calls_are_made_in_a_folder_of_their_own() -> None:
    names = [call.id for call in calls_of("sizes")]
    with in_a_folder():
        assert len(names) == len(set(names))


def _first(outcomes: Outcomes, what: str) -> str:
    """The id of the first outcome that gave floats, or raised."""
    return next(
        name
        for name, o in outcomes.items()
        if what in o.skeleton and (o.floats or what == "raised")
    )


def _value(now: Outcomes) -> str:
    name = _first(now, "gave")
    moved = float(np.nextafter(now[name].floats[0], 9.0))
    now[name] = Outcome(now[name].skeleton, (moved, *now[name].floats[1:]), now[name].prose)
    return name


def _code(now: Outcomes) -> str:
    name = _first(now, "raised")
    tree = now[name].tree()
    tree["raised"]["type"] = "OSError"
    now[name] = flattened(tree)
    return name


def _warning(now: Outcomes) -> str:
    name = _first(now, "gave")
    now[name] = flattened({**now[name].tree(), "warned": [["UndefinedWarning", "text"]]})
    return name


def _missing(now: Outcomes) -> str:
    name = _first(now, "gave")
    del now[name]
    return name


def _new(now: Outcomes) -> str:
    now["new"] = now[_first(now, "gave")]
    return "new"


@pytest.mark.parametrize("change", [_value, _code, _warning, _missing, _new])
def test_a_change_is_noticed(change: Callable[[Outcomes], str]) -> None:
    was = store.read("sklearn_calls")
    now = dict(was)
    assert not compared("sklearn_calls", was, now, SAME_PROCESSOR, text=False).findings
    name = change(now)
    findings = compared("sklearn_calls", was, now, SAME_PROCESSOR, text=False).findings
    assert [finding.name for finding in findings] == [f"sklearn_calls/{name}"]


def _moved(key: str, by: float, method: str = "wilson") -> tuple[Outcome, Outcome]:
    was = flattened({"method": method, "value": 0.5, key: 0.25})
    return was, flattened({"method": method, "value": 0.5, key: 0.25 * (1 + by)})


@pytest.mark.parametrize("key", ["low", "highs", "p", "p_adjusted", "accuracy_low", "low_plain"])
def test_limits_and_p_values_may_move_by_their_last_digits(key: str) -> None:
    comparison = compare(*_moved(key, 5e-13), SAME_PROCESSOR)
    assert (comparison.differences, comparison.n_moved) == ([], 1)
    assert comparison.largest == pytest.approx(5e-13, rel=1e-2)
    assert compare(*_moved(key, 5e-12), SAME_PROCESSOR).differences
    assert compare(*_moved(key, 5e-13)).differences


@pytest.mark.parametrize("key", ["value", "difference", "f1", "slow", "support"])
def test_values_are_exact(key: str) -> None:
    assert compare(*_moved(key, 1e-15), SAME_PROCESSOR).differences
    assert not compare(*_moved(key, 1e-15), OTHER_PROCESSOR).differences
    assert compare(*_moved(key, 1e-13), OTHER_PROCESSOR).differences


@pytest.mark.parametrize("method", ["bootstrap", "BCa bootstrap", "bayesian", "permutation"])
def test_resampled_numbers_are_exact(method: str) -> None:
    assert compare(*_moved("low", 1e-15, method), SAME_PROCESSOR).differences
    assert not compare(*_moved("low", 0.0, method), SAME_PROCESSOR).differences


def test_limits_in_a_table_are_limits() -> None:
    def frame(high: float) -> Outcome:
        return flattened({"columns": {"value": [0.5], "high": [0.5, high]}})

    assert not compare(frame(0.75), frame(0.75 * (1 + 1e-13)), SAME_PROCESSOR).differences
    assert compare(frame(0.75), frame(0.75 * (1 + 1e-11)), SAME_PROCESSOR).differences


def test_truth_is_not_1_and_the_order_of_keys_counts() -> None:
    for was, now in (({"a": True}, {"a": 1}), ({"a": 1, "b": 2}, {"b": 2, "a": 1})):
        assert compare(flattened(was), flattened(now), OTHER_PROCESSOR).differences
        assert not compare(flattened(was), flattened(dict(was))).differences


def test_keys_and_columns_have_types() -> None:
    def tree(value: object) -> object:
        return outcome_of(lambda: value).tree()

    assert tree({1: 2}) != tree({"1": 2})
    frame = pd.DataFrame({"n": [1, 2]})
    assert tree(frame) != tree(frame.astype("int32"))
    assert tree(frame) != tree(frame.set_axis([7, 8]))


def test_prose_is_compared_where_text_is() -> None:
    was = store.read("bad_files")
    name, tree = next((n, o.tree()) for n, o in was.items() if "raised" in o.skeleton)
    other = flattened({"raised": {**tree["raised"], "message": Prose("Other words.")}})
    assert [d.is_prose for d in compare(was[name], other).differences] == [True]
    assert not compare(was[name], other, text=False).differences
    other = flattened({"raised": {**tree["raised"], "text": "K999  Other words."}})
    assert [d.path for d in compare(was[name], other, text=False).differences] == ["raised.text"]


def _prose(text: str) -> Outcome:
    return flattened({"out": Prose(text)})


def test_long_numbers_in_text_move_as_limits_do() -> None:
    was, near, far = (_prose(f"high {x!r}") for x in (1 / 3, (1 + 1e-13) / 3, (1 + 1e-11) / 3))
    assert compare(was, near).differences
    comparison = compare(was, near, SAME_PROCESSOR)
    assert (comparison.differences, comparison.n_moved) == ([], 1)
    assert compare(was, far, SAME_PROCESSOR).differences


def test_printed_numbers_may_differ_by_a_digit_on_another_processor() -> None:
    was, near, far = _prose("f1 0.8251"), _prose("f1 0.8252"), _prose("f1 0.9251")
    assert compare(was, near, SAME_PROCESSOR).differences
    assert not compare(was, near, OTHER_PROCESSOR).differences
    assert compare(was, far, OTHER_PROCESSOR).differences
    assert compare(was, _prose("f2 0.8251"), OTHER_PROCESSOR).differences


def test_digests_of_texts_do_not_depend_on_last_digits() -> None:
    digests = [text_digest(f"low {x!r}, {n}") for x, n in ((1 / 3, 1), ((1 + 1e-13) / 3, 1))]
    assert digests[0] == digests[1] != text_digest(f"low {1 / 3!r}, 2")
    assert compare(_prose(digests[0]), _prose(text_digest("b")), SAME_PROCESSOR).differences
    assert not compare(_prose(digests[0]), _prose(text_digest("b")), OTHER_PROCESSOR).differences


@pytest.mark.parametrize(
    ("was", "now", "is_words"),
    [
        ("2 rows differ", "2 samples differ", True),
        ("2 rows differ", "3 rows differ", False),
        ("PASS  all rules", "FAIL  all rules", False),
        ("D101: which class?", "D102: which class?", False),
        (text_digest("a"), text_digest("b"), False),
    ],
)
def test_words_change_without_facts(was: str, now: str, is_words: bool) -> None:
    (difference,) = compare(_prose(was), _prose(now)).differences
    assert is_wording(difference) == is_words


def test_facts_are_no_prose() -> None:
    fields = {
        "method": "a method of four words",
        "rule": "f1 ≥ 0.5 here",
        "ids": ["id of a row"],
        "errors.csv": "id, true, pred",
        "remark": "a remark of four words",
    }
    tree = outcome_of(lambda: fields).tree()["gave"]
    assert tree == {**fields, "remark": Prose(fields["remark"])}


def test_a_command_line_is_named_without_its_options() -> None:
    names = [call.id for group in ("commands", "judges") for call in calls_of(group)]
    assert any(" -- " in name for name in names)
    assert not any(re.search("--[a-z]", name) for name in names)


def test_another_recording_has_to_exist() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.corpus", "diff", "no-such-commit", "sizes"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "neither a folder nor a commit" in done.stderr


def test_a_checksum_of_numbers_is_compared_where_their_last_bits_are() -> None:
    def document(low: float, checksum: str, *names: str) -> Outcome:
        return flattened({"low": low, "sha256": checksum, **dict.fromkeys(names, "x")})

    was = document(1.0, "a", "schema")
    now = document(float(np.nextafter(1.0, 2.0)), "b", "schema")
    assert [d.path for d in compare(was, now).differences] == ["low", "sha256"]
    assert not compare(was, now, SAME_PROCESSOR).differences
    gone = flattened({"low": 1.0, "schema": "x"})
    assert [d.path for d in compare(was, gone, SAME_PROCESSOR).differences] == ["sha256"]
    # Any other digest counts.
    pair = document(1.0, "a"), document(1.0, "b")
    assert [d.path for d in compare(*pair, SAME_PROCESSOR).differences] == ["sha256"]
