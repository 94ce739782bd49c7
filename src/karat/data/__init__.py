"""What users hand in, as batches of `Rows`, and the accumulator that tallies them."""
