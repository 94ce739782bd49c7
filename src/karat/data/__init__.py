"""Input data as batches of `Rows`, and the accumulator that tallies them."""
