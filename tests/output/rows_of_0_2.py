"""The rows and the calls of the JSON in `stored_0_2`, which karat 0.2.0 wrote.

The files stand for what users have kept: they are never written again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import karat
from tests.grouping import grouped

__all__ = ["BASELINES", "REPORTS", "STORED", "TABLE"]

STORED: Final = Path(__file__).with_name("stored_0_2")
N: Final = 60
PLACES: Final = np.arange(N)
TRUE: Final = np.array(["ant", "bee", "çat"])[PLACES % 3]
PRED: Final = np.array(["ant", "bee", "çat"])[(PLACES + (PLACES % 7 == 0)) % 3]
TWO: Final = PLACES % 2
PROB: Final = np.round((TWO * 0.3 + (PLACES * 37 % 101) / 150), 3)
TABLE: Final = pd.DataFrame(
    {
        "id": PLACES // 2,
        "label": TWO,
        "pred": (PROB > 0.5).astype(int),
        "prob": PROB,
        "w": 0.5 + PLACES % 4 / 8,
        "fold": PLACES % 5,
        "country": np.array(["NO", "SE"])[PLACES // 5 % 2],
    }
)
SETS: Final = [{"ant"} if i % 3 else {"ant", "bee"} for i in range(N)]
CHOSEN: Final = [{"bee"} if i % 7 == 0 else one for i, one in enumerate(SETS)]
ROLES: Final = {"y_true": "label", "y_pred": "pred"}
FEW: Final = ["accuracy", "macro_f1"]

REPORTS: Final[dict[str, Callable[[], Any]]] = {
    "labels": lambda: karat.evaluate(TRUE, PRED),
    "weights": lambda: karat.evaluate(TABLE, **grouped(ROLES), weights="w", level=0.9, metrics=FEW),
    "scores": lambda: karat.evaluate(TWO, y_prob=PROB, metrics=["roc_auc", "log_loss", "f1"]),
    "slices": lambda: karat.evaluate(TABLE, **grouped(ROLES), by=["country"], metrics=FEW),
    "clusters": lambda: karat.evaluate(TABLE, **grouped(ROLES), clusters="id", metrics=FEW),
    "folds": lambda: karat.evaluate(
        TABLE, **grouped({"design": karat.Folds("fold"), **ROLES}), ids="", metrics=FEW
    ),
    "doubts": lambda: karat.evaluate(TABLE, **grouped(ROLES), ids="id", metrics=FEW),
    "sets": lambda: karat.evaluate(SETS, CHOSEN, metrics=["macro_f1", "subset_accuracy"]),
    "judge": lambda: karat.evaluate(
        y_pred=TABLE["pred"],
        y_true=np.where(PLACES % 3 == 0, TWO, np.nan),
        metrics=["accuracy"],
        design=karat.Judge(np.where(PLACES % 8 == 0, 1 - TWO, TWO), is_random=True),
    ),
}
"""File → the report that it holds."""

BASELINES: Final[dict[str, dict[str, Any]]] = {
    "values": {},
    "rows": {"with_rows": True, "by": "country"},
}
"""File → the options of the gate that wrote it: rules on the accuracy of `TABLE`."""
