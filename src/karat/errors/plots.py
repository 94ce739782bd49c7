"""K70x: plots."""

from __future__ import annotations

from karat.errors.kinds import Entry

__all__ = ["ENTRIES"]

ENTRIES = (
    Entry(
        "K701",
        "ax= is not one matplotlib Axes.",
        "{found}.",
        "Give one of plt.subplots(), as axes[0, 1]; or leave it out for a new figure.",
    ),
    Entry("K702", "karat.plot.{name} cannot draw this.", "{found}.", "{do}"),
)
