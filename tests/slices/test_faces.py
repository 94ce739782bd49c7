"""Slices in JSON, in text and on the command line."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError
from karat.output.json import report_schema
from tests.cli.running import Karat
from tests.optional import optional
from tests.same import assert_same

jsonschema = optional("jsonschema")


def report(kind: str, **more: Any) -> karat.Report:
    rng = np.random.default_rng(4)
    n = 600
    true = rng.integers(0, 3, n)
    country = rng.choice(["NO", "SE", "DK"], n)
    pred = np.where(rng.random(n) < np.where(country == "SE", 0.55, 0.85), true, (true + 1) % 3)
    given: dict[str, Any] = {"y_pred": pred}
    if "scores" in kind:
        given = {"y_prob": np.eye(3)[pred] * 0.6 + rng.dirichlet(np.ones(3), n) * 0.4}
    if "clusters" in kind:
        given["clusters"] = rng.integers(0, 80, n)
    if "weights" in kind:
        given["weights"] = rng.uniform(0.5, 2, n)
    by = {"country": country, ("country", "half"): (country, rng.integers(0, 2, n))}
    return karat.evaluate(true, **given, by=by, **more)


@pytest.mark.parametrize("kind", ["labels", "weights", "scores", "clusters", "scores clusters"])
def test_slices_come_back_from_json(kind: str) -> None:
    found = report(kind)
    text = found.to_json()
    back = karat.Report.from_json(text)
    assert back.to_json() == text
    jsonschema.validate(json.loads(text), report_schema())
    for column, table in found.slices.items():
        again = back.slices[column]
        assert again.names == table.names
        first = "accuracy"
        assert again.heterogeneity(first).p == pytest.approx(table.heterogeneity(first).p)
        for key, one in table.difference(first).items():
            assert again.difference(first)[key].low == pytest.approx(one.low)
        for key, part in table.items():
            for name in ("accuracy", "macro_f1"):
                assert_same(again[key][name].value, part[name].value, within=1e-12)
                assert_same(again[key][name].low, part[name].low, within=1e-12)
            if "scores" in kind:
                assert_same(again[key]["log_loss"].low, part["log_loss"].low, within=1e-12)


def test_a_text_whose_slices_do_not_add_up_is_refused() -> None:
    whole = json.loads(report("labels").to_json())
    whole["slices"][0]["slices"][0]["cells"][0][2] += 1
    with pytest.raises(KaratError, match="add up") as caught:
        karat.Report.from_json(json.dumps(whole))
    assert caught.value.code == "K205"


def test_a_report_without_slices_is_written_as_before() -> None:
    assert "slices" not in karat.evaluate([0, 1], [0, 1]).to_dict()


def test_what_json_does_not_hold_is_told() -> None:
    back = karat.Report.from_json(report("scores clusters").to_json())
    table = back.slices["country"]
    for ask in (lambda: table.heterogeneity("macro_f1"), lambda: table["NO"]["roc_auc_mu"]):
        with pytest.raises(KaratError) as caught:
            ask()
        assert caught.value.code == "K211"


def test_text_says_what_chance_does() -> None:
    text = report("labels").text(100)
    assert "Slices by country × half" in text
    assert "Slices differ (p < 0.001)." in text
    assert "Worst: SE." in text
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 400)
    pred = np.where(rng.random(400) < 0.8, true, 1 - true)
    even = karat.evaluate(true, pred, by={"half": rng.integers(0, 2, 400)}).text()
    assert "Slices are not shown to differ (p = " in even
    assert "Worst" not in even


def test_many_slices_list_those_that_differ_most() -> None:
    rng = np.random.default_rng(0)
    true, by = rng.integers(0, 2, 4000), rng.integers(0, 40, 4000)
    pred = np.where((rng.random(4000) < 0.9) & (by != 17), true, 1 - true)
    text = karat.evaluate(true, pred, by={"site": [f"s{i:02}" for i in by]}).text()
    assert "16 slices not listed" in text
    assert "s17" in text


def test_the_command_line_takes_columns_and_crosses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    lines = [f"{i % 2},{i % 2 if i % 5 else 1 - i % 2},{'ab'[i % 3 == 0]},{'fm'[i % 7 < 3]}"
             for i in range(300)]  # fmt: skip
    path.write_text("label,pred,site,sex\n" + "\n".join(lines) + "\n")
    karat_ = Karat(capsys)
    done = karat_("report", path, "--by", "site", "--by", "site,sex")
    assert done.code == 0, done.err
    assert "Slices by site\n" in done.out
    assert "Slices by site × sex\n" in done.out
    done = karat_("report", path, "--by", "site", "--format", "json", "--metrics", "macro_f1")
    found = json.loads(done.out)["slices"]
    assert [one["key"] for one in found[0]["slices"]] == [["a"], ["b"]]
    assert list(found[0]["slices"][0]["metrics"]) == ["macro_f1"]
    for wrong, told in (("sote", "K404"), ("site,site", "twice")):
        done = karat_("report", path, "--by", wrong)
        assert done.code == 2
        assert told in done.err


def test_a_report_with_slices_that_were_read_can_be_copied() -> None:
    rng = np.random.default_rng(5)
    y, p, site = rng.integers(0, 2, 300), rng.random(300), np.array(["a", "b", "c"] * 100)
    report = karat.evaluate(y, y_prob=p, by={"site": site})
    table = report.slices["site"]
    said = table["a"]["roc_auc"], str(table.heterogeneity("roc_auc")), table.rest["a"]["roc_auc"]
    again = pickle.loads(pickle.dumps(report)).slices["site"]
    assert said[0] == again["a"]["roc_auc"]
    assert said[1:] == (str(again.heterogeneity("roc_auc")), again.rest["a"]["roc_auc"])


def test_slices_stand_on_the_page() -> None:
    optional("jinja2")
    optional("matplotlib")
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 400)
    site = np.array(["<b>a</b>", "b"] * 200)
    report = karat.evaluate(y, y, by={"site": site})
    text = report.to_html()
    assert 'id="slices-1"' in text
    assert "Slices by site" in text
    assert "<b>a</b>" not in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text
    assert 'id="slices"' not in karat.evaluate(y, y).to_html()


@pytest.mark.parametrize("kind", ["labels", "scores", "scores clusters"])
def test_every_metric_is_listed_with_the_slices_of_the_first(kind: str) -> None:
    found = report(kind)
    back = karat.Report.from_json(found.to_json())
    for one in (found, back):
        text = one.to_markdown(metrics="all")
        assert text == found.to_markdown(metrics="all")
        assert "| slice | rows | accuracy |" in text


def test_better_and_worse_slices_look_different() -> None:
    from karat.output.sections import slice_sections

    rng = np.random.default_rng(0)
    group = np.repeat(["bad", "good", "usual"], [300, 300, 1400])
    is_wrong = rng.random(2000) < np.repeat([0.6, 0.01, 0.2], [300, 300, 1400])
    true = rng.integers(0, 2, 2000)
    found = karat.evaluate(true, np.where(is_wrong, 1 - true, true), by={"g": group})
    for metric, signs in (("accuracy", "-+"), ("error_rate", "+-")):
        (table,) = slice_sections(found, metric)
        cells = {row[0].text: row[4] for row in table.rows}
        assert [cells[name].style for name in ("bad", "good")] == ["bad", "good"]
        assert [cells[name].text[0] for name in ("bad", "good")] == list(signs)
    (table,) = slice_sections(found, "prevalence")
    assert {row[4].style for row in table.rows} == {""}
    pytest.importorskip("jinja2")
    assert '<td class="n bad">-0.' in found.to_html()


def test_slices_of_several_metrics_name_the_one_that_is_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(1)
    true, site = rng.integers(0, 2, 200), rng.choice(["a", "b"], 200)
    pred = np.where(rng.random(200) < 0.8, true, 1 - true)
    path = tmp_path / "rows.csv"
    pd.DataFrame({"label": true, "pred": pred, "site": site}).to_csv(path, index=False)
    several = karat.evaluate(path, by="site", metrics=["recall", "f1"])
    named = "Slices are compared in recall, the first of metrics="
    for text in (str(several), several.slices._repr_html_(), several.to_html()):
        assert named in " ".join(text.split())
    done = Karat(capsys)("report", path, "--by", "site", "--metrics", "recall,f1")
    assert f"{named[:-8]}--metrics. " in " ".join(done.out.split())
    # Every metric is in the JSON.
    kept = json.loads(several.to_json())["slices"][0]["slices"][0]["metrics"]
    assert {"recall", "f1"} <= kept.keys()
    for one in (karat.evaluate(path, by="site"), karat.evaluate(path, by="site", metrics="f1")):
        assert "Slices are compared" not in str(one)


def test_weak_slices_are_searched_in_one_metric() -> None:
    rows = {"y_true": [0, 1] * 50, "y_pred": [0, 1] * 50, "by": {"site": ["a", "b"] * 50}}
    with pytest.raises(karat.KaratError, match="K122") as caught:
        karat.find_weak_slices(**rows, metric=["f1", "recall"])
    assert "Give one metric" in str(caught.value)
