"""Examples that are no whole change of the call, by the code and the shape of the example."""

from __future__ import annotations

from typing import Final

__all__ = ["NOT_APPLIED", "NOT_HEARD"]

_ROWS: Final = "the rows change too, which the caller does"
_LOCK: Final = "the other process, which the test holds, has no end"
_PART: Final = "an alternative within the call that stands before it"

NOT_APPLIED: Final[dict[tuple[str, str], str]] = {
    ("K130", "positive='x'"): _PART,
    ("K176", "--folds x"): "the word behind the option is prose: --folds alone",
    ("K189", "reading=karat.Reading(keep_rows=True)"): "of the gate that writes the baseline",
    ("K231", "loss='x'"): "targets= stands beside it, for the caller to fill",
    ("K239", "wait=0"): _LOCK,
    ("K239", "--wait x"): _LOCK,
    ("K303", "macro_f_beta(beta=0)"): "an example of a name, for any wrong one",
    ("K416", "y_prob='x'"): _PART,
    ("K453", "labels=karat.Labels(separator='x')"): _ROWS,
}
"""Code and shape of the example → why it is not applied to the call that is answered with it."""
NOT_HEARD: Final[dict[str, str]] = {
    "costs= is a matrix, rows true: costs=[[0, □], [□, 0]]": "tests/first_use/test_advice.py",
    "For a scorer: karat.scorer(□, labels=[…]).": "tests/meaning/test_scorers_and_estimators.py",
}
"""Text of the sources → why no call here is answered with it, or the test that executes it."""
