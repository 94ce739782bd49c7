"""Checks of every table source: unusable weights, and remarks for the reader."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from karat.data.roles import ALIASES, normalized, unknown_column
from karat.data.sources.files.text_labels import is_null_like, is_number
from karat.errors import error, shown
from karat.tally import Cells, to_marginals

N_REMARKS = 3
"""Classes spelled oddly that are told; there may be thousands."""


def check_unused_weights(columns: Iterable[tuple[str, str]], used: Collection[str | None]) -> None:
    """Refuse a column, of a name and a type, that is called like weights and cannot be (K116)."""
    for name, kind in columns:
        if normalized(name) in ALIASES["weights"] and name not in used:
            raise error(
                "K116",
                argument=f"Column {name!r}, found by its name,",
                found=f"Its type is {kind}; weights='' (--weight '') leaves it out",
            )


def no_slices(column: str, columns: Sequence[str]) -> Exception:
    """K404: the column of the slices does not exist."""
    return unknown_column(column, "the slices", columns)


def single_columns(groups: Iterable[tuple[str, ...]], columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that slices and crosses are made of, each once (K404: one does not exist)."""
    found = tuple(dict.fromkeys(name for key in groups for name in key))
    for name in found:
        if name not in columns:
            raise no_slices(name, columns)
    return found


def unused_groups(columns: Iterable[str], used: Collection[str | None]) -> list[str]:
    """What to tell of a column that is called like groups of rows, and that nobody named."""
    found = [name for name in columns if normalized(name) in ALIASES["group"] and name not in used]
    return [
        f"Column {name!r} may say which rows belong together, as those of one person do. "
        f"Where its values repeat, name it: clusters={name!r} (--cluster {name}; '' for none). "
        "Otherwise rows are taken to be independent, and intervals may be too narrow."
        for name in found[:1]
    ]


def remarks(cells: Cells) -> list[str]:
    """Warnings of classes that are most often a slip in the data."""
    labels = cells.classes.labels
    hits, false_alarms, misses = to_marginals(cells).counts
    found = []
    if cells.k > 1 and not ((hits + false_alarms > 0) & (hits + misses > 0)).any():
        true, pred = (
            shown([labels[i] for i in np.flatnonzero(hits + missed)], 3)
            for missed in (misses, false_alarms)
        )
        found.append(f"No class occurs in both: the truth has {true}; the predictions have {pred}.")
    if not cells.classes.is_declared:
        texts = [label for label in labels if isinstance(label, str)]
        nulls = [text for text in texts if is_null_like(text) or text.lower() in _MAYBE]
        found += [f"Class {text!r} is spelled like a missing value." for text in nulls[:N_REMARKS]]
        found += _look_alikes(texts)
    return found


_MAYBE = ("none", "nil", "missing")


def _look_alikes(labels: Iterable[str]) -> list[str]:
    """Classes that differ as those do that are most often one class."""
    first: dict[str | Decimal, str] = {}
    found = []
    for label in labels:
        number = _number_in(label)
        key = _seen(label).strip().casefold() if number is None else number
        other = first.setdefault(key, label)
        if other != label:
            pair, how = f"{other!r} and {label!r}", "blanks or case"
            if number is not None:
                how = "how a number is written"
            elif other.strip().casefold() != label.strip().casefold():
                pair = f"{other!a} and {label!a}"
                how = "blanks, case, unseen characters or how letters are encoded"
            found.append(f"Classes {pair} differ only in {how}.")
    return found[:N_REMARKS]


def _number_in(label: str) -> Decimal | None:
    """The number that a text is, to its last digit; None where it is none."""
    try:
        return Decimal(label.strip()) if is_number(label) else None
    except InvalidOperation:
        # Its exponent has twenty digits.
        return None


def _seen(label: str) -> str:
    """A text without what nobody sees: letters composed, plain blanks, no format characters."""
    if label.isascii():
        return label
    composed = unicodedata.normalize("NFC", label)
    categories = ((char, unicodedata.category(char)) for char in composed)
    return "".join(" " if kind == "Zs" else char for char, kind in categories if kind != "Cf")
