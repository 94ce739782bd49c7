"""Slices of a gate and of its baseline: the same column, another one, none, some of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from karat.errors.options import on_the_command_line
from tests.gate.rows import table, two_models

TRUE, OLD, NEW = two_models(900, lost=2, won=2)
CHANNEL = np.array(["app", "shop", "web"])[np.arange(900) % 3]
REGION = np.array(["north", "south"])[np.arange(900) % 2]
BEFORE = table(TRUE, OLD, channel=CHANNEL, region=REGION)
NOW = table(TRUE, NEW, channel=CHANNEL, region=REGION)


def made(path: Path, source: Any = BEFORE, **options: Any) -> str:
    karat.gate(source, **options).save_baseline(path / "base.json")
    return str(path / "base.json")


def refused(*arguments: Any, **options: Any) -> str:
    with pytest.raises(KaratError) as caught:
        karat.gate(*arguments, **options)
    assert caught.value.code == "K189", caught.value
    return str(caught.value)


def test_a_baseline_without_slices_is_refused(tmp_path: Path) -> None:
    text = refused(NOW, baseline=made(tmp_path), by="channel")
    assert "The baseline holds no slices by channel." in text
    assert "Make it with by='channel', or" in text
    assert "rows kept by reading=karat.Reading(keep_rows=True)." in text
    assert "--" not in text
    assert "It was made without slices." in text
    path = made(tmp_path)
    with on_the_command_line():
        typed = refused(NOW, baseline=path, by="channel")
    assert "Make it with --by channel, or" in typed
    assert "rows kept by --with-rows." in typed
    assert "by=" not in typed


def test_slices_by_another_column_are_refused(tmp_path: Path) -> None:
    text = refused(NOW, baseline=made(tmp_path, by="region"), by="channel")
    assert "The baseline holds no slices by channel." in text
    assert "It holds slices by region." in text


def test_a_report_has_no_slices_for_a_gate(tmp_path: Path) -> None:
    report = karat.evaluate(BEFORE, by="channel")
    path = tmp_path / "report.json"
    report.to_json(path)
    for baseline in (report, path):
        assert "It is a report" in refused(NOW, baseline=baseline, by="channel")


def test_values_of_arrays_have_no_column(tmp_path: Path) -> None:
    path = made(tmp_path)
    text = refused(TRUE, NEW, baseline=path, by=CHANNEL)
    assert "by the values of by=" in text
    assert "--by" not in text
    karat.gate(TRUE, OLD, by=CHANNEL).save_baseline(path)
    found = karat.gate(TRUE, NEW, by=CHANNEL, baseline=path)
    assert len(found.rules) == 8
    assert found.passed


def test_slices_of_a_baseline_are_not_asked_of_all_rows(tmp_path: Path) -> None:
    assert len(karat.gate(NOW, baseline=made(tmp_path, by="channel")).rules) == 2


@pytest.mark.parametrize("by", [None, "region", "channel"])
def test_rows_are_put_into_the_slices_of_now(tmp_path: Path, by: str | None) -> None:
    stored = karat.gate(
        NOW, baseline=made(tmp_path, by=by, reading=karat.Reading(keep_rows=True)), by="channel"
    )
    tabled = karat.gate(NOW, baseline=BEFORE, by="channel")
    assert stored.to_dict()["rules"] == tabled.to_dict()["rules"]
    assert [rule.slice for rule in stored.rules[::2]] == [
        None, "channel=app", "channel=shop", "channel=web",
    ]  # fmt: skip
    assert stored.passed


def test_a_slice_that_the_baseline_lacks_is_inconclusive(tmp_path: Path) -> None:
    path = made(tmp_path, by="channel")
    renamed = {**NOW, "channel": np.where(CHANNEL == "web", "new", CHANNEL)}
    kept = {**BEFORE, "channel": np.where(CHANNEL == "web", "new", CHANNEL)}
    made(tmp_path, {name: values[CHANNEL != "web"] for name, values in kept.items()}, by="channel")
    found = karat.gate(renamed, baseline=path, by="channel", min={"accuracy": 0.5})
    of_new = [(r.kind, r.verdict, r.reason) for r in found.rules if r.slice == "channel=new"]
    reason = "not compared: the baseline has no such slice"
    assert of_new == [
        ("min", "PASS", ""),
        ("not-worse", "INCONCLUSIVE", reason),
        ("not-worse", "INCONCLUSIVE", reason),
    ]
    assert all(r.value is not None for r in found.rules if r.slice == "channel=new")
    assert (found.verdict, found.exit_code) == ("INCONCLUSIVE", 3)
    lax = karat.gate(renamed, baseline=path, by="channel", rules=karat.Rules(inconclusive="pass"))
    assert (lax.verdict, lax.exit_code) == ("PASS", 0)


def test_a_slice_whose_rows_are_not_matched_is_inconclusive() -> None:
    part = {name: values[CHANNEL != "web"] for name, values in BEFORE.items()}
    found = karat.gate(NOW, baseline=part, by="channel", rules=karat.Rules(allow_mismatch=True))
    verdicts = {rule.slice: rule.verdict for rule in found.rules}
    assert verdicts == {
        None: "PASS", "channel=app": "PASS", "channel=shop": "PASS",
        "channel=web": "INCONCLUSIVE",
    }  # fmt: skip
    assert found.exit_code == 3


def test_a_slice_that_these_rows_lack_fails(tmp_path: Path) -> None:
    path = made(tmp_path, by="channel")
    part = {name: values[CHANNEL != "web"] for name, values in NOW.items()}
    found = karat.gate(part, baseline=path, by="channel", rules=karat.Rules(inconclusive="pass"))
    gone = [(rule.verdict, rule.reason) for rule in found.rules if rule.slice == "channel=web"]
    assert gone == [("FAIL", "the baseline has this slice; these rows do not")] * 2
    assert found.exit_code == 1


def test_a_metric_that_the_slices_of_a_baseline_lack_fails(tmp_path: Path) -> None:
    path = made(tmp_path, by="channel")
    found = karat.gate(NOW, baseline=path, by="channel", max_drop={"kappa": 0.5})
    assert [rule.verdict for rule in found.rules] == ["PASS", "FAIL", "FAIL", "FAIL"]
    assert found.rules[1].reason.endswith("of this slice: write it with this rule")
    made(tmp_path, by="channel", min={"kappa": 0.0})
    assert karat.gate(NOW, baseline=path, by="channel", max_drop={"kappa": 0.5}).passed


def test_slices_of_a_series_have_its_name(tmp_path: Path) -> None:
    true, site = np.tile([0, 1], 50), pd.Series(["a", "b"] * 50, name="site")
    rules: dict[str, Any] = {"min": {"accuracy": 0.5}}
    found = karat.gate(true, true, by=site, **rules)
    assert [rule.slice for rule in found.rules] == [None, "site=a", "site=b"]
    unnamed = karat.gate(true, true, by=site.rename(None), **rules)
    assert [rule.slice for rule in unnamed.rules] == [None, "slice=a", "slice=b"]
    # A baseline of the same column in a table has the same slices.
    path = tmp_path / "base.json"
    table = {"label": true, "pred": true, "site": site}
    karat.gate(table, by="site").save_baseline(path)
    assert karat.gate(true, true, by=site, baseline=path, max_drop={"accuracy": 0.5}).passed
