"""The outcomes of the recorded calls are what they were; a changed one is found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.corpus import store
from tests.corpus.calls import CLUSTERS, GROUPS, calls_of, in_a_folder
from tests.corpus.check import findings, outcomes_of
from tests.corpus.exceptions import EXCEPTIONS, Allowed
from tests.corpus.outcome import Difference, Outcome, differences, flattened, outcome_of
from tests.optional import optional

OF_SOURCES = ("arrays", "tables", "files", "big_files", "dask_frames")
# Processors differ in the last bits of vector instructions.
WITHIN = 1e-12
QUIET = ("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning")
pytestmark = pytest.mark.filterwarnings(*QUIET)


def needs(group: str) -> None:
    """Skip the groups whose host is not there."""
    if group == "spark_frames":
        from tests.clusters.java import need_java

        optional("pyspark.sql")
        need_java()
    for module in ("pandas", "polars", "pyarrow", "duckdb", "torch", "matplotlib", "click"):
        optional(module)


def check(group: str) -> None:
    """The group gives what is recorded of it."""
    needs(group)
    found = findings(group, store.read(group), outcomes_of(group), within=WITHIN, text=False)
    assert not found, "\n".join(finding.text() for finding in found)


@pytest.mark.parametrize("group", [x for x in GROUPS if x not in {*OF_SOURCES, "spark_frames"}])
def test_the_outcomes_are_as_recorded(group: str) -> None:
    check(group)


@pytest.mark.parametrize("group", OF_SOURCES)
def test_the_outcomes_of_sources_are_as_recorded(group: str) -> None:
    check(group)


def test_the_outcomes_of_spark_are_as_recorded() -> None:
    needs("spark_frames")
    from tests.corpus import spark_frames

    try:
        check("spark_frames")
    finally:
        # Another session of this process would be this one, with its one core.
        spark_frames.session().stop()
        spark_frames.frame.cache_clear()
        spark_frames.session.cache_clear()


def test_the_files_are_those_of_the_groups() -> None:
    assert sorted(path.stem for path in store.FOLDER.iterdir()) == sorted(GROUPS)
    assert set(CLUSTERS) < set(GROUPS)


def test_a_recording_is_read_as_it_was_written(tmp_path: object) -> None:
    group = "sizes"
    held = store.read(group)
    store.write(group, held, tmp_path)  # type: ignore[arg-type]
    assert (tmp_path / f"{group}.xz").read_bytes() == (  # type: ignore[operator]
        store.FOLDER / f"{group}.xz"
    ).read_bytes()


@pytest.fixture(name="pair")
def recorded_and_made() -> tuple[dict[str, Outcome], dict[str, Outcome]]:
    """The recorded outcomes of a small group, twice."""
    held = store.read("sklearn_calls")
    return held, dict(held)


def first_of(outcomes: dict[str, Outcome], what: str) -> str:
    """The id of the first outcome that gave floats, or raised."""
    return next(
        name
        for name, o in outcomes.items()
        if what in o.skeleton and (o.floats or what == "raised")
    )


SABOTAGES = ("a value", "a last bit", "a code", "a missing call", "a new call", "a warning")


@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_a_sabotage_is_found(
    sabotage: str, pair: tuple[dict[str, Outcome], dict[str, Outcome]]
) -> None:
    was, now = pair
    assert findings("sklearn_calls", was, now) == []
    gave, raised = first_of(was, "gave"), first_of(was, "raised")
    name, held = gave, was[gave]
    within = 0.0 if sabotage == "a last bit" else WITHIN
    if sabotage == "a value":
        now[gave] = Outcome(held.skeleton, (held.floats[0] + 1e-9, *held.floats[1:]), held.prose)
    elif sabotage == "a last bit":
        moved = float(np.nextafter(held.floats[0], 9.0))
        now[gave] = Outcome(held.skeleton, (moved, *held.floats[1:]), held.prose)
        assert differences(held, now[gave], within=WITHIN) == []
    elif sabotage == "a code":
        name, tree = raised, was[raised].tree()
        tree["raised"]["type"] = "OSError"
        now[raised] = flattened(tree)
    elif sabotage == "a missing call":
        del now[gave]
    elif sabotage == "a new call":
        name, now["new"] = "new", held
    else:
        tree = held.tree()
        tree["warned"] = [["UndefinedWarning", "text"]]
        now[gave] = flattened(tree)
    found = findings("sklearn_calls", was, now, within=within, text=False)
    assert [finding.name for finding in found] == [f"sklearn_calls/{name}"]


def test_a_changed_message_is_found_where_text_is_compared() -> None:
    was = flattened({"raised": {"code": "K101", "message": "a"}})
    assert differences(was, outcome_of(lambda: 1))
    held = store.read("bad_files")
    name, one = next((n, o) for n, o in held.items() if o.prose)
    changed = Outcome(one.skeleton, one.floats, ("Other words.", *one.prose[1:]))
    assert [d.is_prose for d in differences(one, changed)] == [True]
    assert differences(one, changed, text=False) == []
    assert findings("bad_files", {name: one}, {name: changed}, text=False) == []


def test_a_checksum_of_numbers_is_compared_where_their_last_bits_are() -> None:
    was = flattened({"value": 1.0, "sha256": "a"})
    now = flattened({"value": float(np.nextafter(1.0, 2.0)), "sha256": "b"})
    assert [d.path for d in differences(was, now)] == ["value", "sha256"]
    assert differences(was, now, within=WITHIN) == []
    gone = flattened({"value": 1.0})
    assert [d.path for d in differences(was, gone, within=WITHIN)] == ["sha256"]
    was, now = (flattened({"bytes": 8, "sha256": text}) for text in "ab")
    assert [d.path for d in differences(was, now, within=WITHIN)] == ["sha256"]


def test_an_exception_covers_its_change_alone() -> None:
    allowed = Allowed("bad_input/*", "one code is split", r"raised\.code", "K120", r"K1\d\d")
    change = Difference("raised.code", "K120", "K138")
    assert allowed.covers("bad_input/evaluate nothing", change)
    assert not allowed.covers("gates/evaluate nothing", change)
    assert not allowed.covers("bad_input/x", Difference("raised.code", "K121", "K138"))
    assert not allowed.covers("bad_input/x", Difference("raised.code", "K120", "K201"))
    assert not allowed.covers("bad_input/x", Difference("raised.type", "K120", "K138"))


def test_every_exception_covers_a_call() -> None:
    names = {f"{group}/{name}" for group in GROUPS for name in store.read(group)}
    # Metrics that are new since then are called too.
    names |= {f"functions/{call.id}" for call in calls_of("functions")}
    for one in EXCEPTIONS:
        change = Difference("", "", "")
        assert any(Allowed(one.calls, "", "").covers(name, change) for name in names), one


def test_the_calls_are_made_in_a_folder_of_their_own() -> None:
    names = [call.id for call in calls_of("sizes")]
    with in_a_folder():
        assert len(names) == len(set(names))
