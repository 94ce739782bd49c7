"""What the reader of a comparison should know, each said once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from karat.inference.comparison.judging import Asked
from karat.inference.comparison.records import Difference

__all__ = ["notes_of"]

_SCOPE: Final = (
    "Uncertainty is of the test rows, with the models as they are: another training, another "
    "split or folds of one data set are not in it."
)


def notes_of(
    differences: Sequence[Difference],
    asked: Asked,
    is_paired: bool,
    n_models: int,
    has_clusters: bool,
) -> tuple[str, ...]:
    """Sentences on scope, pairing, adjustment and what the columns mean."""
    notes = [_SCOPE]
    if is_paired:
        notes.append("Paired: every difference is taken row by row.")
    else:
        notes.append("Unpaired: the models are taken to be independent, which takes more rows.")
    if has_clusters:
        notes.append("Rows of a cluster count together.")
    n_pairs = len(asked.pairs)
    if n_pairs > 1 and asked.adjust == "holm":
        notes.append(f"p is adjusted for the {n_pairs} pairs of each metric (Holm); "
                     "the intervals are not.")  # fmt: skip
    elif n_pairs > 1 and asked.adjust == "maxt":
        notes.append(f"p and the intervals hold for the {n_pairs} pairs of each metric at once.")
    elif n_pairs > 1:
        notes.append(f"p is not adjusted, though there are {n_pairs} pairs.")
    if n_models > 2:
        notes.append("The best of several models looks better on the rows that chose it than it "
                     "is: measure it again on others.")  # fmt: skip
    if asked.margin:
        alpha = 1.0 - asked.level
        notes.append(f"Equivalent: the {100 * max(1 - 2 * alpha, 0):g} % interval lies inside the "
                     "margin (two one-sided tests).")  # fmt: skip
    by_method: dict[str, list[str]] = {}
    for one in differences:
        by_method.setdefault(one.method, []).append(one.metric)
    for method, metrics in by_method.items():
        notes.append(f"{method}: {', '.join(dict.fromkeys(metrics))}.")
    notes.append("Detectable: the smallest true difference that as many rows show in 80 % of "
                 "samples.")  # fmt: skip
    return tuple(notes)
