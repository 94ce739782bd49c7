"""One call for each error of gold labels and a judge's: code → the call that raises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import karat
from tests.grouping import grouped

GOLD: list[int | None] = [0, 1, 0, 1, 1, 0] + [None] * 14
JUDGE = [0, 1] * 10
ROWS: dict[str, Any] = {"gold": GOLD, "judge": JUDGE, "y_pred": [0, 1, 1, 0] * 5}


def chosen_by_the_judge() -> None:
    """Gold rows that are those which the judge calls 1."""
    judge = np.array([0, 1] * 200)
    gold = np.where(judge == 1, 1.0, np.nan)
    gold[:2] = 0
    karat.evaluate(y_true=gold, design=karat.Judge(judge))


def beyond_all_rows() -> None:
    """An interval that needs more gold labels than rows."""
    pilot = karat.evaluate(**grouped(ROWS))
    karat.rows_needed("accuracy", pilot=pilot, half_width=0.01)


TRIGGERS: dict[str, Callable[[], object]] = {
    "K242": lambda: karat.evaluate(y_pred=JUDGE, design=karat.Judge(JUDGE)),
    "K243": lambda: karat.evaluate(**grouped(ROWS), by={"country": ["NO"] * 20}),
    "K244": lambda: karat.evaluate(y_true=JUDGE, design=karat.Judge(JUDGE)),
    "K245": chosen_by_the_judge,
    "K246": lambda: karat.evaluate(**grouped({**ROWS, "gold_weights": [0.0] * 20})),
    "K247": lambda: karat.evaluate(**grouped(ROWS), metrics="support"),
    "K248": lambda: karat.rows_to_label(JUDGE, 21),
    "K249": beyond_all_rows,
    "K450": lambda: karat.evaluate(karat.evaluate(**grouped(ROWS))),
    "K453": lambda: karat.evaluate(["['a']", "['b']"], ["['a']", "['a']"]),
    "K259": lambda: karat.evaluate(**grouped({**ROWS, "gold_weights": [100.0] + [1.0] * 19})),
}
