"""Rows weigh the same whoever predicts them: weights change no verdict unless both have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.data.pairing import pair_rows
from karat.data.rows import Rows
from karat.data.sources.columns import TableRequest
from karat.data.sources.tables.rows import read_rows
from karat.errors import KaratError
from tests.gate.rows import table, two_models, write

TRUE, OLD, NEW = two_models(400, lost=40, won=4)
KIND = np.where(NEW == TRUE, 10.0, 1.0)
"""Weights by which the worse model is the better one."""
OTHER = np.where(OLD == TRUE, 1.0, 10.0)
# So few rows exclude no drop.
DROP: dict[str, Any] = {"max_drop": {"accuracy": 0.01}, "rules": karat.Rules(inconclusive="pass")}


def refused(code: str, *given: Any, **options: Any) -> str:
    with pytest.raises(KaratError) as caught:
        karat.gate(*given, **options)
    assert caught.value.code == code
    return str(caught.value)


def stored(path: Path, weights: Any, *, with_rows: bool) -> Path:
    target = path / "base.json"
    rows = table(TRUE, OLD) if weights is None else table(TRUE, OLD, sample_weight=weights)
    bounds: dict[str, Any] = {"min": {"accuracy": 0.0}}
    assert karat.gate(rows, reading=karat.Reading(keep_rows=with_rows), **bounds).save_baseline(
        target
    )
    return target


def test_a_weight_that_one_side_has_by_chance_is_told() -> None:
    plain, kind = table(TRUE, NEW), table(TRUE, NEW, sample_weight=KIND)
    assert not karat.gate(plain, baseline=table(TRUE, OLD), **DROP).passed
    text = refused("K176", kind, baseline=table(TRUE, OLD), **DROP)
    assert "The predictions have weights (column 'sample_weight'), the baseline has none" in text
    text = refused("K176", plain, baseline=table(TRUE, OLD, sample_weight=KIND), **DROP)
    assert "The baseline has weights, the predictions have none" in text
    assert not karat.gate(kind, baseline=table(TRUE, OLD), weights="", **DROP).passed
    assert not karat.gate(
        plain, baseline=table(TRUE, OLD, sample_weight=KIND), weights="", **DROP
    ).passed


def test_a_weight_that_is_named_weighs_the_rows_of_both() -> None:
    kind = table(TRUE, NEW, sample_weight=KIND)
    found = karat.gate(kind, baseline=table(TRUE, OLD), weights="sample_weight", **DROP)
    both = karat.gate(kind, baseline=table(TRUE, OLD, sample_weight=KIND), **DROP)
    assert found.rules == both.rules
    assert any("the baseline has no weights: each row has" in note for note in found.notes)
    assert not any("no weights" in note for note in both.notes)
    arrays = karat.gate(TRUE, NEW, weights=KIND, baseline=OLD, **DROP)
    assert arrays.rules == both.rules


def test_files_with_other_weights_are_told(tmp_path: Path) -> None:
    new = write(tmp_path / "new.parquet", table(TRUE, NEW, sample_weight=KIND))
    old = write(tmp_path / "old.parquet", table(TRUE, OLD, sample_weight=OTHER))
    text = refused("K177", new, baseline=old, **DROP)
    assert "old.parquet, matched by id; first id" in text
    assert not karat.gate(new, baseline=old, weights="", **DROP).passed
    again = KIND * (1.0 + 1e-12)
    near = write(tmp_path / "near.parquet", table(TRUE, OLD, sample_weight=again))
    assert karat.gate(new, baseline=near, **DROP).passed


@pytest.mark.parametrize("with_rows", [False, True])
def test_a_stored_baseline_is_weighed_as_the_rows_are(with_rows: bool, tmp_path: Path) -> None:
    path = stored(tmp_path, KIND, with_rows=with_rows)
    refused("K176", table(TRUE, NEW), baseline=path, **DROP)
    assert karat.gate(table(TRUE, NEW, sample_weight=KIND), baseline=path, **DROP).passed
    path = stored(tmp_path, None, with_rows=with_rows)
    refused(
        "K176", table(TRUE, NEW, sample_weight=KIND), baseline=path, weights="sample_weight", **DROP
    )
    karat.gate(table(TRUE, NEW), baseline=path, **DROP)
    if with_rows:
        path = stored(tmp_path, OTHER, with_rows=True)
        refused("K177", table(TRUE, NEW, sample_weight=KIND), baseline=path, **DROP)


def test_a_report_is_weighed_as_the_rows_are(tmp_path: Path) -> None:
    weighted, plain = (karat.evaluate(TRUE, OLD, weights=weights) for weights in (KIND, None))
    refused("K176", table(TRUE, NEW), baseline=weighted, **DROP)
    refused("K176", karat.evaluate(TRUE, NEW), baseline=weighted, **DROP)
    refused("K176", karat.evaluate(TRUE, NEW, weights=KIND), baseline=plain, **DROP)
    path = tmp_path / "report.json"
    path.write_text(weighted.to_json(), "utf-8")
    refused("K176", TRUE, NEW, baseline=path, **DROP)
    assert karat.gate(TRUE, NEW, weights=KIND, baseline=path, **DROP).passed
    with pytest.raises(KaratError, match="The rows of 'old' have weights, those of 'new' have"):
        karat.compare({"old": weighted, "new": karat.evaluate(TRUE, NEW)})


def kept(name: str, pred: Any, weights: Any = None) -> Rows:
    more = {} if weights is None else {"sample_weight": weights}
    return read_rows(table(TRUE, pred, **more), name, TableRequest())


def test_the_order_of_the_models_changes_nothing() -> None:
    old, new = kept("old", OLD), kept("new", NEW, KIND)
    ours, theirs = pair_rows([old, new]), pair_rows([new, old])
    assert ours.notes == theirs.notes
    assert "old has no weights: each row has the weight that it has in new" in ours.notes[0]
    for paired in (ours, theirs):
        for rows in paired.models:
            np.testing.assert_array_equal(rows.weights, KIND)
    with pytest.raises(KaratError, match="K177"):
        pair_rows([old, new, kept("third", NEW, OTHER)])
    assert all(rows.weights is None for rows in pair_rows([old, kept("new", NEW)]).models)


def test_rows_in_another_order_keep_their_weights() -> None:
    turned = {name: values[::-1] for name, values in table(TRUE, OLD, sample_weight=KIND).items()}
    first = karat.gate(table(TRUE, NEW, sample_weight=KIND), baseline=turned, **DROP)
    second = karat.gate(
        table(TRUE, NEW, sample_weight=KIND), baseline=table(TRUE, OLD, sample_weight=KIND), **DROP
    )
    assert json.loads(first.to_json())["rules"] == json.loads(second.to_json())["rules"]
