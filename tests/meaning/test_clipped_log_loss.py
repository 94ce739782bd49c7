"""`log_loss(eps=…)`: what it clips, wherever rows come from; and how many rows make it infinite."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.doubts import of_zeros
from karat.api.measuring import impossible_rows
from karat.data.scores.containers import as_scores
from karat.data.scores.rows import tally_scores
from karat.errors import KaratError
from karat.metrics import get
from karat.tally import Sums
from tests.optional import optional

EPS = 1e-3
LEAST = 1 << 20
N_TOO_MANY = 100_000
NAME = "log_loss(eps=0.001)"
WARNING = "The log loss is infinite. {} have p = 0 for the true class."


def warned(report: Any) -> list[str]:
    """The doubts about such rows, without what settles them."""
    found = [one for one in report.doubts if one.code == "D106"]
    assert all("log_loss(eps=" in one.option for one in found)
    return [f"{one.noticed} {one.evidence}" for one in found]


def rows(k: int, n: int = 300, zeros: int = 7) -> tuple[Any, Any]:
    """True classes, and probabilities: of the first rows 0 for the true class."""
    rng = np.random.default_rng(k)
    true = rng.integers(0, k, n)
    true[:k] = np.arange(k)
    prob = rng.dirichlet(np.full(k, 0.4), n)
    prob[np.arange(zeros), true[:zeros]] = 0.0
    prob /= prob.sum(axis=1, keepdims=True)
    prob[n - 1] = np.arange(k) == true[n - 1]  # certain, and right
    return true, prob


def clipped(true: Any, prob: Any, eps: float, weights: Any = None) -> float:
    """The definition."""
    own = np.clip(prob[np.arange(len(true)), true], eps, 1 - eps)
    return float(np.average(-np.log(own), weights=weights))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_probability_of_the_true_class_is_clipped(k: int) -> None:
    true, prob = rows(k)
    for eps in (1e-15, EPS, 0.2):
        wanted = clipped(true, prob, eps)
        assert karat.log_loss(true, y_prob=prob, eps=eps) == pytest.approx(wanted, rel=1e-12)
        weights = np.arange(len(true)) % 3 + 0.5
        found = karat.log_loss(true, y_prob=prob, eps=eps, weights=weights)
        assert found == pytest.approx(clipped(true, prob, eps, weights), rel=1e-12)
    with pytest.warns(karat.UndefinedWarning):
        assert karat.log_loss(true, y_prob=prob) == math.inf
    with pytest.warns(karat.UndefinedWarning):
        assert karat.log_loss(true, y_prob=prob, eps=None) == math.inf


def test_of_two_classes_it_is_the_loss_of_clipped_probabilities() -> None:
    true, prob = rows(2)
    wanted = karat.log_loss(true, y_prob=np.clip(prob[:, 1], EPS, 1 - EPS))
    assert karat.log_loss(true, y_prob=prob[:, 1], eps=EPS) == pytest.approx(wanted, rel=1e-12)
    assert karat.log_loss(true, y_prob=prob, eps=EPS) == pytest.approx(wanted, rel=1e-12)


def test_scores_are_clipped_after_softmax() -> None:
    true, prob = rows(3, zeros=0)
    scores = np.where(prob > 1e-3, np.log(np.maximum(prob, 1e-300)), -900.0)
    softmax = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    found = karat.log_loss(true, y_logit=scores, eps=0.01)
    assert found == pytest.approx(clipped(true, softmax, 0.01), rel=1e-12)


@pytest.mark.parametrize(
    ("eps", "told"),
    [(0, "not above 0"), (-1e-9, "not above 0"), (0.5, "not below 0.5"), ("x", "not numeric")],
)
def test_an_eps_that_clips_nothing_or_everything_is_refused(eps: Any, told: str) -> None:
    with pytest.raises(KaratError, match=told) as caught:
        karat.log_loss([0, 1], y_prob=[0.1, 0.9], eps=eps)
    assert caught.value.code == "K302"


@pytest.mark.parametrize("k", [2, 3])
def test_every_source_gives_it(k: int, tmp_path: Path) -> None:
    pandas = optional("pandas")
    true, prob = rows(k)
    wanted = pytest.approx(clipped(true, prob, EPS), rel=1e-12)
    frame = pandas.DataFrame({"y": true} | {f"p_{i}": prob[:, i] for i in range(k)})
    columns = {"y_true": "y", "y_prob": "p_*", "metrics": [NAME, "log_loss"]}
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    stream = karat.Stream(labels=range(k), metrics=[NAME, "log_loss"])
    for part in np.array_split(np.arange(len(true)), 4):
        stream.update(true[part], y_prob=prob[part])
    again = karat.Stream.from_bytes(stream.to_bytes())
    for report in (
        karat.evaluate(true, y_prob=prob, metrics=[NAME, "log_loss"]),
        karat.evaluate(frame, **columns),
        karat.evaluate(str(path), **columns),
        stream.report(),
        again.report(),
    ):
        assert report[NAME].value == wanted
        assert report[NAME].undefined is None
        assert report[NAME].low < report[NAME].value < report[NAME].high
        assert report["log_loss"].value == math.inf
        assert warned(report) == [WARNING.format("7 of 300 rows")]


def test_its_interval_is_that_of_a_mean_of_clipped_losses() -> None:
    true, prob = rows(3)
    own = np.clip(prob[np.arange(len(true)), true], EPS, 1 - EPS)
    found = karat.evaluate(true, y_prob=prob, metrics=NAME)[NAME]
    n = len(true)
    assert found.standard_error == pytest.approx(np.std(-np.log(own), ddof=1) / math.sqrt(n))
    drawn = karat.evaluate(
        true, y_prob=prob, metrics=NAME, interval=karat.Interval(method="bootstrap", seed=1)
    )[NAME]
    assert drawn.value == found.value
    assert drawn.high - drawn.low == pytest.approx(found.high - found.low, rel=0.15)
    clusters = np.arange(n) // 2
    assert karat.evaluate(true, y_prob=prob, metrics=NAME, clusters=clusters)[NAME].low is not None


def test_what_does_not_fit_is_refused() -> None:
    true, prob = rows(2, n=N_TOO_MANY)
    stream = karat.Stream(labels=[0, 1], metrics=NAME, reading=karat.Reading(max_memory=LEAST))
    stream.update(true, y_prob=prob[:, 1])
    with pytest.raises(KaratError, match="K211") as caught:
        stream.report()
    assert "Give a larger karat.Reading(max_memory=)" in str(caught.value)
    assert NAME in str(caught.value)


@pytest.mark.parametrize("k", [2, 3])
def test_rows_are_counted_where_only_sums_are_kept(k: int) -> None:
    true, prob = rows(k, n=2 * N_TOO_MANY)
    streams = []
    for half in (slice(0, N_TOO_MANY), slice(N_TOO_MANY, None)):
        stream = karat.Stream(labels=range(k), reading=karat.Reading(max_memory=LEAST))
        stream.update(true[half], y_prob=prob[half])
        streams.append(karat.Stream.from_bytes(stream.to_bytes()))
    report = streams[0].merge(streams[1]).report()
    assert warned(report) == [WARNING.format("7 of 200 000 rows")]


def test_a_caution_needs_a_loss_that_is_infinite() -> None:
    true, prob = rows(2)
    for metrics in ("accuracy", NAME, "brier"):
        assert karat.evaluate(true, y_prob=prob, metrics=metrics).warnings == ()
    assert karat.evaluate(true, y_prob=prob, metrics="d2_log_loss").warnings
    fine = np.clip(prob, EPS, 1)
    assert karat.evaluate(true, y_prob=fine / fine.sum(axis=1, keepdims=True)).warnings == ()
    assert karat.evaluate(true, y_score=np.where(prob > 0, prob, -800.0)).warnings == ()


def test_rows_without_weight_are_not_counted() -> None:
    true, prob = rows(2)
    weights = np.ones(len(true))
    weights[:5] = 0.0
    report = karat.evaluate(true, y_prob=prob, weights=weights)
    assert warned(report) == [WARNING.format("2 of 300 rows")]
    weights[:7] = 0.0
    assert karat.evaluate(true, y_prob=prob, weights=weights).warnings == ()
    found = tally_scores(true, as_scores(prob, "y_prob"), weights=None)
    assert impossible_rows(found, [get("log_loss")]) == 7
    assert impossible_rows(found, [get(NAME)]) == 0


def test_the_caution_is_shown_and_kept() -> None:
    true, prob = rows(2)
    report = karat.evaluate(true, y_prob=prob)
    text = WARNING.format("7 of 300 rows")
    assert text in " ".join(str(report).split())
    assert warned(karat.Report.from_json(report.to_json())) == [text]


def test_a_comparison_names_the_models_it_is_of() -> None:
    true, prob = rows(2)
    models = {"forest": prob, "logreg": np.clip(prob, 0.2, 0.8)}
    models["logreg"] = models["logreg"] / models["logreg"].sum(axis=1, keepdims=True)
    told = WARNING.replace("loss is", "loss of forest is").format("7 of 300 rows")
    compared = karat.compare(true, y_prob=models)
    assert warned(compared) == [told]
    assert any(note.startswith(told) for note in compared.to_dict()["notes"])
    clean = karat.compare(true, y_prob=models, metrics=NAME)
    assert not [note for note in clean.notes if "p = 0" in note]
    own = [clipped(true, each, EPS) for each in models.values()]
    assert clean[NAME].difference == pytest.approx(own[1] - own[0], rel=1e-9)
    assert clean[NAME].p is not None


def test_the_count_is_in_words() -> None:
    def told(n: int | None, n_rows: int) -> str:
        (found,) = of_zeros(n, n_rows)
        return f"{found.noticed} {found.evidence}"

    assert of_zeros(0, 9) == ()
    assert told(1, 9) == WARNING.replace("have", "has").format("1 of 9 rows")
    assert told(17, 569) == WARNING.format("17 of 569 rows")
    assert told(None, 569) == WARNING.format("Some of 569 rows")


def test_sums_count_merge_and_keep_it() -> None:
    name = "negative_log_probability"
    one = Sums.of({name: [math.inf, 1.0, math.inf]}, [0, 1, 1], 2)
    two_ = Sums.of({name: [math.inf, 2.0]}, [0, 1], 2)
    fine = Sums.of({name: [0.5]}, [0], 2)
    assert [each.infinite_rows for each in (one, two_, fine)] == [2, 1, 0]
    assert one.merge(two_).merge(fine).infinite_rows == 3
    assert Sums.from_bytes(one.merge(fine).to_bytes()).infinite_rows == 2
    unknown = Sums.from_bytes(fine.to_bytes())
    assert unknown.infinite_rows == 0
    weightless = Sums.of({name: [math.inf, 1.0]}, [0, 1], 2, weights=[0.0, 1.0])
    assert weightless.infinite_rows == 0
    assert Sums.of({"margin": [1.0]}, [0], 2).infinite_rows == 0


def test_sums_on_a_device_count_them_too() -> None:
    torch = optional("torch")
    from karat.data.sources.torch.score_losses import LossTally

    true, prob = rows(2)
    scores, codes = torch.tensor(prob[:, 1]), torch.tensor(true)
    weights = torch.ones(len(true), dtype=torch.float64)
    weights[:5] = 0.0
    for given, n in ((None, 7), (weights, 2)):
        tally = LossTally(2, "cpu", is_weighted=given is not None)
        for part in (slice(0, 4), slice(4, None)):
            held = None if given is None else given[part]
            tally.add(scores[part], codes[part], held, 1, is_prob=True)
        assert tally.sums(is_frequency=False).infinite_rows == n
