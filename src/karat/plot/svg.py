"""SVG output of a plot for embedding in a page; see `as_svg`."""

from karat.output.plots.svg import as_svg, coarser, shrink

__all__ = ["as_svg", "coarser", "shrink"]
