"""The rows behind the numbers of a report: what is asked of them, their JSON and their pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from karat.api.report import Report
from karat.output.html.rows import LARGEST
from karat.output.json import report_schema
from tests.optional import optional

N = 2000


def made(k: int = 2, **more: Any) -> Report:
    """A report of rows with ids and slices."""
    true, prob, by = given(k)
    options: dict[str, Any] = {"ids": pd.Index([f"t{i}" for i in range(N)]), "by": by}
    return karat.evaluate(true, y_prob=prob, **options | more)


def given(k: int) -> tuple[Any, Any, dict[Any, Any]]:
    rng = np.random.default_rng(k)
    true = rng.integers(0, k, N)
    prob = np.exp(1.5 * (rng.normal(size=(N, k)) + 1.5 * np.eye(k)[true]))
    prob /= prob.sum(axis=1, keepdims=True)
    country, sex = rng.choice(["NO", "SE"], N), rng.choice(["f", "m"], N)
    by = {"country": country, ("country", "sex"): (country, sex)}
    return true, prob if k > 2 else prob[:, 1], by


def test_a_cell_lists_the_most_confident_errors() -> None:
    report, (true, prob, _) = made(4), given(4)
    found, pred = report.rows(true=1, pred=3), prob.argmax(axis=1)
    wrong = np.flatnonzero((true == 1) & (pred == 3))
    order = wrong[np.argsort(prob[wrong, 1] - prob[wrong, 3], kind="stable")]
    assert found.ids == [f"t{i}" for i in order[:20]]
    assert (len(found), found.n) == (min(20, len(wrong)), len(wrong))
    first = order[0]
    scores = {"prob_true": prob[first, 1], "prob_pred": prob[first, 3]}
    assert {name: found[0][name] for name in scores} == scores
    # Of right rows, the ones that were nearly wrong.
    right = np.flatnonzero((true == 2) & (pred == 2))
    others = np.delete(prob[right], 2, axis=1).max(axis=1)
    nearly = right[np.argsort(prob[right, 2] - others, kind="stable")]
    assert report.rows(true=2, pred=2, limit=5).ids == [f"t{i}" for i in nearly[:5]]
    assert report.rows(wrong=True).n == int((true != pred).sum())
    assert report.rows().n == N


def test_a_slice_and_a_bin_list_their_most_wrong_rows() -> None:
    report, (true, prob, by) = made(), given(2)
    pred = (prob > 0.5).astype(int)
    margin = np.where(true == 1, 2 * prob - 1, 1 - 2 * prob)
    order = np.lexsort((np.arange(N), margin, true == pred))
    country, sex = by["country", "sex"]
    flags = {
        "country": ({"by": {"country": "NO"}}, country == "NO"),
        "cross": ({"by": {"sex": "m", "country": "SE"}}, (country == "SE") & (sex == "m")),
        "bin": ({"between": (0.8, 1.0)}, (prob > 0.8) & (prob <= 1)),
        "first bin": ({"between": (0, 1 / 15)}, prob <= 1 / 15),
    }
    for name, (asked, is_in) in flags.items():
        found = report.rows(**asked)
        assert found.ids == [f"t{i}" for i in order if is_in[i]][:20], name
        assert found.n == is_in.sum(), name
    both = report.rows(true=1, by={"country": "NO"})
    assert both.n is None
    assert both.ids
    assert all(row["country"] == "NO" and row["true"] == 1 for row in both)


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda report: report.rows(true="2"), "K234"),
        (lambda report: report.rows(by={"country": "DK"}), "K234"),
        (lambda report: report.rows(by={"town": "Oslo"}), "K234"),
        (lambda report: report.rows(between=(0.1, 0.2)), "K234"),
        (lambda report: report.rows(limit=21), "K235"),
        (lambda report: report.rows(limit=-2), "K234"),
        (lambda report: report.rows(limit=True), "K234"),
        (lambda _: karat.evaluate([0, 1], [1, 1], reading=karat.Reading(keep_rows=True)), "K232"),
        (lambda _: karat.evaluate([0, 1], [1, 1], ids=[1]), "K102"),
        (lambda _: karat.evaluate([0, 1], [1, 1], ids=np.eye(2)), "K103"),
        (lambda _: karat.evaluate(confusion=[[1, 0], [0, 1]], ids=[1, 2]), "K141"),
    ],
)
def test_what_is_not_there_is_an_error(ask: Callable[[Report], Any], code: str) -> None:
    with pytest.raises(karat.KaratError) as caught:
        ask(made())
    assert caught.value.code == code


def test_rows_are_frames_and_text() -> None:
    found = karat.evaluate([0, 1, 1], [0, 0, 0], weights=[1.0, 2.0, 0.5], ids=[7, 8, 9]).rows(
        true=1
    )
    assert [*found] == [
        {"id": 8, "true": 1, "pred": 0, "weight": 2.0},
        {"id": 9, "true": 1, "pred": 0, "weight": 0.5},
    ]
    assert found.to_frame("pandas").to_dict("list")["id"] == [8, 9]
    assert found.to_csv() == "id,true,pred,weight\n8,1,0,2.0\n9,1,0,0.5"
    assert str(found).splitlines()[:2] == ["karat rows", "2 rows"]
    assert "| 8 |" in found.to_markdown()
    assert "<table" in found._repr_html_()
    none = karat.evaluate([0, 1], [0, 1], reading=karat.Reading(keep_rows=1)).rows(wrong=True)
    assert (str(none), none.to_csv(), [*none]) == ("karat rows\n0 rows", "row,true,pred", [])


@pytest.mark.parametrize("more", [{}, {"weights": np.linspace(0.5, 2, N)}, {"k": 4}, {"by": None}])
def test_json_gives_the_rows_back(more: dict[str, Any]) -> None:
    report = made(**more)
    text = report.to_json()
    back = Report.from_json(text)
    assert back.to_json() == text
    assert [*back.rows(wrong=True)] == [*report.rows(wrong=True)]
    optional("jsonschema").validate(json.loads(text), report_schema())
    assert "rows" not in made(**more, ids=None).to_dict()


def _changed(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda rows: rows.update({name: value(rows[name])})


@pytest.mark.parametrize(
    "change",
    [
        _changed("margins", lambda x: x[::-1]),
        _changed("rows", lambda x: [x[1], *x[1:]]),
        _changed("true", lambda x: [9, *x[1:]]),
        _changed("pred", lambda x: x[1:]),
        _changed("ids", lambda x: [True, *x[1:]]),
        _changed("values", lambda x: [[1.0, 2.0, 3.0]] * len(x)),
        _changed("groupings", lambda x: x[1:]),
        lambda rows: rows["groupings"][0]["counts"].__setitem__(0, 0),
        lambda rows: rows["groupings"][1]["codes"].__setitem__(0, 99),
        lambda rows: rows["groupings"][1].update(of=["x"]),
        lambda rows: rows["groupings"][-1].update(names=[["a"]] * 4),
        lambda rows: rows["groupings"][-1]["groups"].reverse(),
    ],
)
def test_json_that_contradicts_itself_is_refused(change: Callable[[Any], None]) -> None:
    text = json.loads(made().to_json())
    change(text["rows"])
    with pytest.raises(karat.KaratError, match="rows"):
        Report.from_json(json.dumps(text))


def on_page(report: Report) -> tuple[int, dict[str, Any]]:
    """The bytes of a page, and the rows that it embeds."""
    page = report.to_html()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert data is not None
    return len(page.encode()), json.loads(data[1])["rows"]


@pytest.mark.parametrize("k", [2, 12, 101])
def test_a_page_embeds_the_rows_that_fit(k: int) -> None:
    optional("jinja2")
    optional("matplotlib")
    long = [f"a long name of a row, {'x' * 60} {i}" for i in range(N)]
    report = made(k, ids=long, level=None, metrics=["accuracy"])
    n_bytes, rows = on_page(report)
    assert n_bytes < LARGEST
    assert 0 < len(rows["ids"]) <= len(report.kept_rows.rows)
    # The first of a cell are those of the report.
    shown = [
        i for i, cell in enumerate(zip(rows["true"], rows["pred"], strict=True)) if cell == (1, 0)
    ]
    listed = report.rows(true=1, pred=0).ids
    assert [rows["ids"][i] for i in shown][: rows["limit"]] == listed[
        : min(len(shown), rows["limit"])
    ]
    assert on_page(made(k, ids=None, level=None, metrics=["accuracy"]))[1] is None
