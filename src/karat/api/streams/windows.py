"""Streams that move on: what is left when rows of before are taken away."""

from __future__ import annotations

from dataclasses import replace

from karat.tally import Cells, occurring, subtract, union

__all__ = ["without"]


def without(whole: Cells | None, part: Cells) -> Cells | None:
    """The tally without a part, on the classes that are left: those that only it has are none."""
    if whole is None:
        whole = replace(part, counts=part.counts * 0, n_rows=part.n_rows * 0)
    nothing = replace(part, counts=part.counts * 0, n_rows=part.n_rows * 0)
    of_whole = replace(whole, counts=whole.counts * 0, n_rows=whole.n_rows * 0)
    rest = occurring(subtract(union(whole, nothing), union(part, of_whole)))
    return rest if rest.classes.is_declared or rest.n_rows else None
