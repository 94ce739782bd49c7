"""Streams of sets of labels: the report of all rows, in bounded memory, merged and as bytes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import karat
from karat.errors import KaratError
from karat.tally.serialization import framed, unframed
from tests.six_rows import PRED, SCORES, TRUE, WEIGHTS

PARTS = (slice(0, 2), slice(2, 3), slice(3, 6))


def lists(matrix: np.ndarray) -> list[list[str]]:
    return [["abcd"[j] for j in np.flatnonzero(row)] for row in matrix]


def stream(parts: tuple[slice, ...] = PARTS, **options: Any) -> karat.Stream:
    found = karat.Stream(**options)
    for part in parts:
        found.update(lists(TRUE[part]), lists(PRED[part]), weights=WEIGHTS[part])
    return found


def test_a_stream_gives_the_report_of_all_rows() -> None:
    known = karat.evaluate(lists(TRUE), lists(PRED), weights=WEIGHTS).to_dict()
    for found in (
        stream(),
        stream(PARTS[:1]).merge(stream(PARTS[1:])),
        pickle.loads(pickle.dumps(stream())),
        karat.Stream.from_bytes(stream(PARTS[:2]).to_bytes()).merge(stream(PARTS[2:])),
        karat.Stream().merge(stream()),
    ):
        assert found.n_rows == 6
        assert found.report().to_dict() == known
    matrix = karat.Stream(labels=list("abcd"), metrics="micro_f1", level=None)
    for part in PARTS:
        matrix.update(TRUE[part], PRED[part])
    assert dict(matrix.report().metrics) == {
        "micro_f1": karat.evaluate(TRUE, PRED, level=None)["micro_f1"]
    }
    assert "sets of labels: counts, exact; all of them kept" in stream()._repr_html_()
    # Where a stream holds sets, lists of one label are sets too; so are unknown rows.
    more = stream(PARTS[:1])
    more.update([["a"], None], [["a"], ["b"]], weights=[1, 1])
    assert (more.report().n_rows, more.report().n_unknown) == (4, 1)


def test_a_stream_beyond_its_memory_keeps_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
    rng = np.random.default_rng(1)
    true, pred = (rng.random((2, 3000, 4)) < 0.3).astype(int)
    found, parts = (
        karat.Stream(reading=karat.Reading(max_memory=1 << 16)),
        karat.Stream(reading=karat.Reading(max_memory=1 << 16)),
    )
    found.update(true, pred)
    for start in range(0, 3000, 700):
        parts.update(true[start : start + 700], pred[start : start + 700])
    known = karat.evaluate(true, pred)
    assert found.report().encoded is None
    assert found.report().sample.n == 256
    assert found.report().to_dict()["tally"] == known.to_dict()["tally"]
    # The sample does not depend on the batches, and goes with the bytes.
    again = karat.Stream.from_bytes(parts.to_bytes())
    assert again.report().to_dict() == found.report().to_dict()
    halves = [karat.Stream(reading=karat.Reading(max_memory=1 << 16)) for _ in range(2)]
    for half, rows in zip(halves, np.split(np.arange(3000), 2), strict=True):
        half.update(true[rows], pred[rows])
    merged = halves[0].merge(halves[1]).report()
    assert merged.to_dict()["tally"] == known.to_dict()["tally"]
    widths = [each["macro_f1"].high - each["macro_f1"].low for each in (merged, known)]
    assert widths[0] == pytest.approx(widths[1], rel=0.2)


SETS = [{"a"}, {"b", "a"}]
REFUSED: dict[str, tuple[Callable[[], object], str, str]] = {
    "labels after sets": (lambda: stream().update([1, 0], [0, 1]), "K180", "given labels alone"),
    "sets after labels": (
        lambda: karat.Stream.update(_labels(), SETS, SETS),
        "K180",
        "stream of labels alone was given rows with sets",
    ),
    "merged with labels": (lambda: _labels().merge(stream()), "K180", "labels alone"),
    "subtracted": (lambda: stream().subtract(stream()), "K217", "sets of labels"),
    "a threshold": (lambda: karat.Stream(threshold=0.5).update(SETS, SETS), "K222", "threshold="),
    "display names": (
        lambda: karat.Stream(labels=karat.Labels(names=["x", "y"])).update(SETS, SETS),
        "K222",
        "karat.Labels(names=)",
    ),
    "a design": (
        lambda: karat.Stream(design=karat.CaseControl()).update(SETS, SETS),
        "K222",
        "karat.CaseControl()",
    ),
    "no weights": (lambda: stream().update(SETS, SETS), "K203", "unweighted"),
    "numbers": (lambda: stream().update([{1}], [{2}], weights=[1]), "K108", "strings ('a')"),
    "no label at all": (lambda: _empty().report(), "K223", "y_true"),
    "all weights 0": (lambda: _of_nothing().report(), "K115", "weights"),
    "another label": (lambda: karat.Stream(labels=["a"]).update(SETS, SETS), "K109", "'b'"),
}


def _labels() -> karat.Stream:
    found = karat.Stream()
    found.update(["a", "b"], ["a", "a"])
    return found


def _empty() -> karat.Stream:
    found = karat.Stream()
    found.update([set(), set()], [set(), set()])
    return found


def _of_nothing() -> karat.Stream:
    found = karat.Stream()
    found.update(SETS, SETS, weights=[0.0, 0.0])
    return found


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name: str) -> None:
    call, code, told = REFUSED[name]
    with pytest.raises(KaratError) as caught:
        call()
    assert caught.value.code == code
    assert told in str(caught.value)


def test_bytes_that_contradict_themselves_are_refused() -> None:
    def altered(data: bytes, change: Callable[[dict, dict], None]) -> bytes:
        def again(header: dict, arrays: dict) -> bytes:
            change(header, arrays)
            return framed({k: v for k, v in header.items() if k != "arrays"}, arrays)

        return unframed(data, ("parts",), again, ("parts",))

    def with_labels(header: dict, arrays: dict) -> None:
        other: dict[str, Any] = {}
        unframed(_labels().to_bytes(), ("parts",), lambda h, a: other.update(h=h, a=a), ("parts",))
        header["sizes"] |= other["h"]["sizes"]
        arrays["parts"] = np.concatenate([arrays["parts"], other["a"]["parts"]])

    def with_other_labels(header: dict, _: dict) -> None:
        header["settings"] = json.loads(json.dumps(header["settings"])) | {"labels": ["x", "y"]}

    for change in (with_labels, with_other_labels):
        with pytest.raises(KaratError) as caught:
            karat.Stream.from_bytes(altered(stream().to_bytes(), change))
        assert caught.value.code == "K205"


LABELS = list("abcd")


def in_form(values: np.ndarray, form: str) -> Any:
    if form == "matrix":
        return values
    if form == "sparse":
        return sparse.csr_matrix(values)
    return [dict(zip(LABELS, row, strict=True)) for row in values.tolist()]


@pytest.mark.parametrize("form", ["matrix", "sparse", "dicts"])
@pytest.mark.parametrize("argument", ["y_prob", "y_score"])
def test_a_stream_of_scores_gives_the_report_of_all_rows(form: str, argument: str) -> None:
    values = SCORES if argument == "y_prob" else 6.0 * SCORES - 3.0

    def part(at: slice, **options: Any) -> karat.Stream:
        found = karat.Stream(labels=LABELS, threshold=0.4, **options)
        scores = {argument: in_form(values[at], form)}
        found.update(lists(TRUE[at]), **scores, weights=WEIGHTS[at])
        return found

    whole: dict[str, Any] = {argument: in_form(values, form), "labels": LABELS, "threshold": 0.4}
    known = karat.evaluate(lists(TRUE), weights=WEIGHTS, **whole).to_dict()
    first, second, third = (part(at) for at in PARTS)
    # As bytes, and what is merged after them.
    found = karat.Stream.from_bytes(first.merge(second).to_bytes()).merge(third)
    assert found.report().to_dict() == known
    assert pickle.loads(pickle.dumps(found)).report().to_dict() == known
    # The control: other scores are another report.
    whole[argument] = in_form(values[::-1], form)
    assert karat.evaluate(lists(TRUE), weights=WEIGHTS, **whole).to_dict() != known


def test_scores_beyond_the_memory_are_left_out_and_counts_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("karat.api.request.checks.MIN_MEMORY", 1)
    rng = np.random.default_rng(3)
    true, prob = (rng.random((2000, 4)) < 0.3).astype(int), rng.random((2000, 4))
    found = karat.Stream(reading=karat.Reading(max_memory=1 << 16))
    for start in range(0, 2000, 300):
        found.update(true[start : start + 300], y_prob=prob[start : start + 300])
    report, known = found.report(), karat.evaluate(true, y_prob=prob)
    assert report.to_dict()["tally"] == known.to_dict()["tally"]
    assert "ndcg" not in report.metrics
    assert any("max_memory" in sentence for sentence in report.warnings)
    with pytest.raises(KaratError, match="K211"):
        found.report("ndcg")
    again = karat.Stream.from_bytes(found.to_bytes())
    assert again.report().to_dict() == report.to_dict()
    # The control: where they fit they are measured.
    fits = karat.Stream()
    fits.update(true, y_prob=prob)
    assert fits.report("ndcg")["ndcg"] == known["ndcg"]


SCORED: dict[str, tuple[Callable[[karat.Stream], object], str]] = {
    "labels alone": (lambda s: s.update(SETS, SETS), "K202"),
    "another kind": (lambda s: s.update(TRUE, y_score=SCORES), "K202"),
    "another form": (lambda s: s.update(TRUE, y_prob=sparse.csr_matrix(SCORES)), "K202"),
    "fewer columns": (lambda s: s.update(TRUE, y_prob=SCORES[:, :3]), "K134"),
    "fewer rows": (lambda s: s.update(TRUE, y_prob=SCORES[:5]), "K102"),
    "no number": (lambda s: s.update(TRUE, y_prob=np.where(SCORES > 0.8, np.nan, SCORES)), "K131"),
    "no probability": (lambda s: s.update(TRUE, y_prob=2.0 * SCORES), "K132"),
    "both kinds": (lambda s: s.update(TRUE, y_prob=SCORES, y_score=SCORES), "K129"),
    "one class a row": (lambda s: s.update([0, 1], y_prob=[0.2, 0.7]), "K180"),
}


@pytest.mark.parametrize("name", SCORED)
def test_a_batch_of_scores_that_does_not_fit_changes_nothing(name: str) -> None:
    call, code = SCORED[name]
    found = karat.Stream(labels=LABELS)
    found.update(TRUE, y_prob=SCORES)
    before = found.to_bytes()
    with pytest.raises(KaratError) as caught:
        call(found)
    assert caught.value.code == code
    assert found.to_bytes() == before
