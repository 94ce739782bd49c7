"""JSON whose slices were changed by hand: refused, and told where; nothing infinite gets lost."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import karat
from karat.output.json import report_schema
from tests.optional import optional

jsonschema = optional("jsonschema")


@cache
def text(kind: str) -> str:
    rng = np.random.default_rng(3)
    n = 90
    true = rng.integers(0, 3, n)
    given: dict[str, Any] = {"y_pred": np.where(rng.random(n) < 0.7, true, (true + 1) % 3)}
    if kind == "scores":
        given = {"y_prob": rng.dirichlet(np.ones(3), n)}
    if kind == "clusters":
        given["clusters"] = rng.integers(0, 20, n)
    if kind == "weights":
        given["weights"] = rng.uniform(0.5, 2.0, n)
    names = ["accuracy", *(["log_loss"] if kind == "scores" else ["macro_f1"])]
    return karat.evaluate(true, **given, by=rng.choice(["u", "v"], n), metrics=names).to_json()


def slot(*path: Any, value: Any) -> Callable[[Any], None]:
    def change(table: Any) -> None:
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = value(table[path[-1]]) if callable(value) else value

    return change


ONE = ("slices", 0)
OTHER = ("slices", 1)
TEST = ("tests", "accuracy")


def move_negative(table: Any) -> None:
    """The sums stay what they were."""
    for part, sign in zip(table["slices"], (1, -1), strict=True):
        part["cells"][0][2] += sign * 1000


def move_rows(table: Any) -> None:
    table["slices"][0]["n_rows"] += 1
    table["slices"][1]["n_rows"] -= 1


DAMAGE = [
    ("labels", slot(*ONE, "weight", value=999), "weight"),
    ("weights", slot(*ONE, "weight", value=-1e308), "weight"),
    ("labels", slot(*ONE, "metrics", "accuracy", "value", value=0.123), "its cells give"),
    ("labels", slot(*OTHER, "metrics", "macro_f1", "value", value=None), "its cells give"),
    ("labels", slot(*ONE, "metrics", "macro_f1", "value", value="x"), "a number or null"),
    ("labels", slot(*ONE, "metrics", "macro_f1", value=7), "an object"),
    (
        "clusters",
        slot(*ONE, "metrics", "macro_f1", "value", value=0.5),
        "holds the value|its cells",
    ),
    ("scores", slot(*ONE, "metrics", "log_loss", "low", value=999), "holds the value"),
    ("scores", slot(*ONE, "metrics", "log_loss", "level", value=-0.95), "between 0 and 1"),
    ("scores", slot(*ONE, "metrics", "log_loss", "n", value=1), "the rows of the slice"),
    ("scores", slot(*ONE, "metrics", "log_loss", "value", value=None), "the reason"),
    ("labels", slot(*ONE, "cells", 0, 0, value=0.5), "whole number"),
    ("labels", slot(*ONE, "cells", 0, 1, value=-1), "whole number"),
    ("labels", slot(*ONE, "cells", 0, 0, value=10**19), "whole number"),
    ("labels", slot(*ONE, "cells", value=lambda cells: [*cells, cells[0]]), "each once"),
    ("labels", move_negative, "whole number"),
    ("weights", move_negative, "at least 0"),
    ("labels", move_rows, "do not add up to their rows"),
    ("clusters", slot(*TEST, "heterogeneity", "df", value="many"), "whole number"),
    ("clusters", slot(*TEST, "heterogeneity", "p", value=7), "from 0 to 1"),
    ("clusters", slot(*TEST, "heterogeneity", "left_out", value=[1]), "an object"),
    ("clusters", slot(*TEST, "heterogeneity", "metric", value="log_loss"), "tests of accuracy"),
    ("clusters", slot(*TEST, "gap", "observed", value={}), "a number or null"),
    ("clusters", slot(*TEST, "gap", "highest", value=3), "a string"),
    ("clusters", slot(*TEST, "differences", 0, "name", value="x"), "its name and rows"),
    ("clusters", slot(*TEST, "differences", 0, "n_rows", value=9), "its name and rows"),
    ("clusters", slot(*TEST, "differences", 0, "p_adjusted", value=-1), "from 0 to 1"),
    ("clusters", slot(*TEST, "differences", 0, "low", value=[]), "a number or null"),
]


@pytest.mark.parametrize(("kind", "change", "told"), DAMAGE)
def test_a_changed_number_is_refused(kind: str, change: Callable[[Any], None], told: str) -> None:
    whole = json.loads(text(kind))
    change(whole["slices"][0])
    with pytest.raises(karat.KaratError, match=told) as caught:
        karat.Report.from_json(json.dumps(whole))
    assert caught.value.code == "K205"


@pytest.mark.parametrize("kind", ["labels", "weights", "clusters", "scores"])
def test_what_was_not_changed_is_read(kind: str) -> None:
    assert karat.Report.from_json(text(kind)).to_json() == text(kind)


def test_columns_that_stand_twice_are_refused() -> None:
    whole = json.loads(text("labels"))
    whole["slices"] *= 2
    with pytest.raises(karat.KaratError, match="columns of its own"):
        karat.Report.from_json(json.dumps(whole))


def test_an_infinite_value_of_a_slice_comes_back() -> None:
    report = karat.evaluate([0, 1, 0, 1], y_prob=[1, 0, 0.2, 0.9], by=list("xxyy"))
    written = report.to_json()
    back = karat.Report.from_json(written)
    assert back.slices["by"]["x"]["log_loss"].value == math.inf
    assert back.slices["by"]["y"]["log_loss"].value < 1.0
    assert back.to_csv() == report.to_csv()
    assert back.to_json() == written
    whole = json.loads(written)
    jsonschema.validate(whole, report_schema())
    assert [one.get("infinite") for one in whole["slices"][0]["slices"]] == [
        {"log_loss": "inf"}, None,
    ]  # fmt: skip
    whole["slices"][0]["slices"][0]["infinite"]["log_loss"] = "much"
    with pytest.raises(karat.KaratError, match="'inf' or '-inf'"):
        karat.Report.from_json(json.dumps(whole))
