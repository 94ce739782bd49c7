"""Classes of a baseline without a row now: values of other classes are no comparison."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.api.gate.spec import GateSpec
from karat.data.rows import Rows
from karat.errors import shown
from karat.results.gate.verdicts import Settled
from karat.tally import Cells, to_marginals
from karat.tally.classes import Label
from karat.tally.set_tally import SetTally


class LostClasses(NamedTuple):
    """What a gate states about classes of the baseline that no row has now.

    Attributes:
        settled: the verdict on every rule that compares; None where there is none.
        note: a sentence about classes with too few rows for a verdict; empty without any.
    """

    settled: Settled | None
    note: str


def amounts_of(side: Rows | Cells | SetTally) -> dict[Label, float]:
    """Rows of each true class or label; of a weighted table, the effective number (Kish 1965)."""
    amounts: npt.NDArray[Any]
    if isinstance(side, Rows):
        amounts = np.bincount(side.true, minlength=side.classes.k)
    elif isinstance(side, SetTally):
        amounts = side.counts[0] + side.counts[2]
    else:
        tally = to_marginals(side)
        amounts = tally.counts[0] + tally.counts[2]
        if tally.squares is not None:
            squares = tally.squares[0] + tally.squares[2]
            zeros = np.zeros(len(amounts))
            amounts = np.divide(amounts**2, squares, out=zeros, where=squares > 0)
    return dict(zip(side.classes.labels, amounts.tolist(), strict=True))


def lost_classes(
    before: Cells | SetTally, now: Rows | Cells | SetTally, spec: GateSpec
) -> LostClasses:
    """Compare the classes of the baseline with those of the rows.

    As slices that were lost, classes of enough rows fail, unless a mismatch is allowed; fewer are
    in a note.
    """
    present = amounts_of(now)
    lost = {label: n for label, n in amounts_of(before).items() if n > 0 and not present.get(label)}
    grave = [label for label, n in lost.items() if n >= spec.min_n and not spec.allow_mismatch]
    if not lost:
        return LostClasses(None, "")
    classes = grave or lost
    several = "class" if len(classes) == 1 else "classes"
    text = f"the baseline has rows of {several} {shown(classes, 3)}; these rows have none"
    if grave:
        return LostClasses(("FAIL", text, False), "")
    return LostClasses(None, f"{text[0].upper()}{text[1:]}.")
