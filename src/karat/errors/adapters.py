"""K60x: the adapter of CatBoost. K61x: oneDAL. K62x: torchmetrics. K70x: plots."""

from __future__ import annotations

from karat.errors.kinds import Entry, NotCoveredError, OneDALError, TorchMetricsError

__all__ = ["ADAPTERS", "PLOTS"]

ADAPTERS = (
    Entry(
        "K601",
        "{metric!r} does not describe a metric that can be computed here.",
        "{found}.",
        "{do}",
    ),
    Entry(
        "K602", "No metric of classes reads {argument}=.", "{argument} was given.", "Leave it out."
    ),
    Entry("K611", "oneDAL error {error_id}: {text}.", "{found}.", "{do}", OneDALError),
    Entry("K621", "{subject} cannot be measured as given.", "{found}.", "{do}", TorchMetricsError),
    Entry("K622", "{module} has no {name}.", "{found}.", "{do}", NotCoveredError),
)


PLOTS = (
    Entry(
        "K701",
        "ax= is not one matplotlib Axes.",
        "{found}.",
        "Give one of plt.subplots(), as axes[0, 1]; or leave it out for a new figure.",
    ),
    Entry("K702", "karat.plot.{name} cannot draw this.", "{found}.", "{do}"),
)
