"""Slices are drawn as rows of a forest; what has no picture says what has."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import karat
from tests.optional import optional

optional("matplotlib")

N = 300
_RNG = np.random.default_rng(8)
TRUE = _RNG.integers(0, 2, N)
PRED = np.where(_RNG.random(N) < 0.8, TRUE, 1 - TRUE)
GROUPS = _RNG.choice(["north", "south", "a_region_of_a_long_name_in_the_west"], N)
LABELS = _RNG.integers(0, 2, (N, 3))


def figure() -> Any:
    from matplotlib.figure import Figure

    return Figure((6, 5)).subplots()


@pytest.mark.parametrize(
    "report",
    [
        karat.evaluate(TRUE, PRED, by={"region": GROUPS}),
        karat.evaluate(LABELS, LABELS[::-1], by={"region": GROUPS}),
    ],
    ids=["classes", "sets"],
)
@pytest.mark.parametrize("metric", [None, "micro_f1"])
def test_every_slice_has_its_row(report: Any, metric: str | None) -> None:
    table = report.slices["region"]
    ax = karat.plot.intervals(table, metrics=metric, ax=figure())
    name = ax.get_xlabel().split(" (")[0]
    assert metric in (None, name)
    (container,) = ax.containers
    x, y = container.lines[0].get_data()
    assert list(x) == [part[name].value for part in table.values()]
    assert list(y) == [0, 1, 2]
    ends = np.array([bar.get_segments() for bar in container.lines[2]])[0, :, :, 0]
    limits = [[part[name].low, part[name].high] for part in table.values()]
    assert np.allclose(ends, limits)
    shown = [label.get_text() for label in ax.get_yticklabels()]
    key = next(text.get_text() for text in ax.texts if text.get_gid() == "names")
    cut = next(text for text in shown if "…" in text)
    assert key == f"{cut} = a_region_of_a_long_name_in_the_west"
    assert sorted(text for text in shown if text != cut) == ["north", "south"]


def test_slices_without_a_value_have_the_reason() -> None:
    by = {"g": ["all right", "none"] * 20}
    y = [1, 0] * 20
    table = karat.evaluate(y, y, by=by, undefined="nan").slices["g"]
    ax = karat.plot.intervals(table, metrics="recall", ax=figure())
    assert any("none" not in text.get_text() and text.get_text() for text in ax.texts)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r: karat.plot.roc(r.slices["region"]), r"intervals\(report\.slices\['region'\]\)"),
        (lambda r: karat.plot.intervals(r.slices), r"intervals\(report\.slices\['region'\]\)"),
        (
            lambda r: karat.plot.intervals(r.slices["region"], metrics=["f1", "recall"]),
            r"metrics='f1'",
        ),
        (lambda r: karat.plot.intervals(r.slices["region"], classes=[1]), "classes= goes with"),
        (lambda _: karat.plot.confusion(karat.evaluate(LABELS, LABELS)), r"y_pred\[:, 0\]"),
        (lambda _: karat.plot.roc(karat.evaluate(LABELS, LABELS)), r"y_prob\[:, 0\]"),
    ],
)
def test_what_is_not_drawn_names_what_is(call: Any, words: str) -> None:
    report = karat.evaluate(TRUE, PRED, by={"region": GROUPS})
    with pytest.raises(karat.KaratError, match=words) as caught:
        call(report)
    assert caught.value.code == "K702"


def test_the_calls_that_a_message_names_run() -> None:
    prob = np.clip(LABELS + _RNG.normal(0, 0.4, LABELS.shape), 0, 1)
    y_true, y_pred, y_prob = LABELS, LABELS[::-1], prob
    names = {"karat": karat, "y_true": y_true, "y_pred": y_pred, "y_prob": y_prob}
    for name in ("confusion", "intervals", "roc", "scores", "threshold"):
        with pytest.raises(karat.KaratError) as caught:
            getattr(karat.plot, name)(karat.evaluate(y_true, y_pred))
        call = re.search(rf"karat\.plot\.{name}\(.*\)(?=\.)", str(caught.value).replace("\n", " "))
        assert call is not None
        drawn = eval(call[0][:-1] + ", ax=ax)", {**names, "ax": figure()})  # noqa: S307
        assert drawn.get_figure() is not None
