"""Every case, by the peer beside which it runs: one process each, with karat in it."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from benchmarks.case import (
    CATBOOST,
    INTELEX,
    NATIVE,
    PEER,
    POLARBEARINGS,
    PYCM,
    REPORTS,
    SCORS,
    TORCH,
    TORCHMETRICS,
    Case,
)

__all__ = ["MODULES", "cases_of"]

MODULES: Final = {
    PEER: ("labels", "text", "small", "losses", "ranking", "sets", "resampling", "verbs"),
    NATIVE: ("dropin",),
    REPORTS: ("comparisons",),
    TORCH: ("torch_losses",),
    TORCHMETRICS: ("torchmetrics_calls",),
    CATBOOST: ("catboost_calls",),
    INTELEX: ("intelex_calls",),
    PYCM: ("pycm_calls",),
    SCORS: ("scors_calls",),
    POLARBEARINGS: ("polarbearings_calls",),
}
"""Peer → modules of this folder. They are imported by the process of that peer alone."""


def cases_of(peer: str) -> tuple[Case, ...]:
    """The cases beside a peer, in the order of the page."""
    found: list[Case] = []
    for name in MODULES[peer]:
        found += import_module(f"{__name__}.{name}").CASES
    return tuple(found)
