"""Doubts of a comparison name the model they are about; every metric can be compared at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.api.rank_doubts import AREAS
from karat.metrics.plan import all_metrics
from tests.cli.running import Karat

N = 300
_RNG = np.random.default_rng(5)
TRUE = _RNG.integers(0, 3, N)
_RAW = _RNG.random((N, 3)) + 1.5 * (TRUE[:, None] == np.arange(3))
GOOD = _RAW / _RAW.sum(1, keepdims=True)
BAD = (1.0 - GOOD) / 2.0
TWO = (TRUE > 0).astype(int)
GOOD_TWO = np.clip(0.5 + 0.3 * (2 * TWO - 1) * _RNG.random(N), 0.01, 0.99)
BAD_TWO = 1.0 - GOOD_TWO


def reversed_of(found: Any) -> list[Any]:
    return [one for one in found.doubts if one.code == "D103"]


def test_the_model_that_ranks_in_reverse_is_named() -> None:
    found = karat.compare(TWO, y_prob={"rf": GOOD_TWO, "lr": BAD_TWO}, metrics=["roc_auc"])
    (doubt,) = reversed_of(found)
    assert doubt.noticed == "The scores of lr rank the classes in reverse."
    (alone,) = reversed_of(karat.evaluate(TWO, y_prob=BAD_TWO, metrics=["roc_auc"]))
    assert alone.noticed == "The scores rank the classes in reverse."
    assert (doubt.evidence, doubt.option) == (alone.evidence, alone.option)
    both = karat.compare(TWO, y_prob={"a": BAD_TWO, "b": BAD_TWO}, metrics=["roc_auc"])
    assert len(reversed_of(both)) == 2
    assert not reversed_of(
        karat.compare(TWO, y_prob={"a": GOOD_TWO, "b": BAD_TWO}, metrics=["accuracy"])
    )


@pytest.mark.parametrize("name", sorted(AREAS))
def test_every_area_of_a_whole_curve_raises_it_alone(name: str) -> None:
    is_binary = name in ("roc_auc", "gini")
    true, good, bad = (TWO, GOOD_TWO, BAD_TWO) if is_binary else (TRUE, GOOD, BAD)
    (doubt,) = reversed_of(karat.evaluate(true, y_prob=bad, metrics=[name]))
    assert f"{name} is " in doubt.evidence
    assert f"lies below {0 if 'gini' in name else 0.5}." in doubt.evidence
    assert not reversed_of(karat.evaluate(true, y_prob=good, metrics=[name]))
    assert len(reversed_of(karat.compare(true, y_prob={"a": good, "b": bad}, metrics=[name]))) == 1


def test_the_areas_are_those_of_the_catalogue() -> None:
    named = {str(one) for one in all_metrics() if "roc_auc" in str(one) or "gini" in str(one)}
    # The area pooled over classes depends on the scales of the columns.
    assert named - {"roc_auc_ovr_micro"} == set(AREAS)
    for name in ("roc_auc_ovr_micro", "roc_auc(max_fpr=0.2)"):
        true, prob = (TWO, BAD_TWO) if "max_fpr" in name else (TRUE, BAD)
        assert not reversed_of(karat.evaluate(true, y_prob=prob, metrics=[name])), name


def test_one_area_decides() -> None:
    assert len(reversed_of(karat.evaluate(TRUE, y_prob=BAD))) == 1


def test_every_form_shows_doubts_above_the_differences() -> None:
    found = karat.compare(TWO, y_prob={"rf": GOOD_TWO, "lr": BAD_TWO})
    (doubt,) = found.doubts
    content = json.loads(found.to_json())
    assert content["doubts"] == [doubt.to_dict()]
    assert doubt in content["notes"]
    notebook = found._repr_html_()
    for text in (found.text(200), found.to_markdown(), notebook, found.to_html()):
        assert text.count(doubt.noticed) == 1
    for text in (found.text(200), found.to_markdown()):
        assert text.index(doubt.noticed) < text.index("balanced_accuracy")
    page = found.to_html()
    assert page.index(doubt.noticed) < page.index('id="differences"')
    plain = karat.compare(TWO, y_prob={"a": GOOD_TWO, "b": 0.9 * GOOD_TWO + 0.05})
    assert "Doubts" not in plain.text()
    assert 'id="doubts"' not in plain.to_html()


def _files(folder: Path, **scores: Any) -> list[Path]:
    paths = []
    for name, values in scores.items():
        paths.append(folder / f"{name}.csv")
        rows = {"id": np.arange(N), "label": TWO, "s": values}
        pd.DataFrame(rows).to_csv(paths[-1], index=False)
    return paths


def test_the_command_line_says_doubts_of_each_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Karat(capsys)
    paths = _files(tmp_path, rf=GOOD_TWO, lr=BAD_TWO)
    done = run("compare", *paths, "--prob", "s", "--metrics", "roc_auc,accuracy")
    assert done.code == 0
    assert "Doubt D103: The scores of lr rank the classes in reverse." in done.err
    assert "scores of rf" not in done.err
    # Scores decide what is predicted also where no metric reads them.
    labels = run("compare", *paths, "--score", "s", "--metrics", "accuracy", "--threshold", "0.5")
    for name in ("rf", "lr"):
        assert (
            f"Doubt D102: The scores may be probabilities. All 300 scores of {name} lie"
            in labels.err
        )
    assert "--prob s" in labels.err


def test_every_metric_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Karat(capsys)
    paths = _files(tmp_path, rf=GOOD_TWO, lr=BAD_TWO)
    done = run("compare", *paths, "--prob", "s", "--metrics", "all", "--format", "json")
    assert done.code == 0, done.err
    assert "RuntimeWarning" not in done.err
    one = run("report", paths[0], "--prob", "s", "--metrics", "all", "--format", "json")
    listed = list(json.loads(one.out)["metrics"])
    assert len(listed) > 100
    assert set(json.loads(done.out)["values"]) == set(listed)


def test_of_labels_alone_every_metric_of_labels_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Karat(capsys)
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, pred in zip(paths, (TRUE, TRUE[::-1]), strict=True):
        pd.DataFrame({"label": TRUE, "pred": pred}).to_csv(path, index=False)
    done = run("compare", *paths, "--metrics", "all", "--format", "json")
    assert done.code == 0, done.err
    values = json.loads(done.out)["values"]
    assert {"macro_f1", "kappa"} < set(values)
    assert not {"f1", "log_loss", "roc_auc_ovr_macro"} & set(values)


def test_infinite_results_are_compared_without_a_warning() -> None:
    zeros = np.where(np.arange(N) < 3, 1.0 - TWO, GOOD_TWO)
    found = karat.compare(TWO, y_prob={"a": zeros, "b": zeros}, metrics=["log_loss"])
    assert found["log_loss"].low is None
    assert [one.code for one in found.doubts] == ["D106", "D106"]
