"""`Stream`: the accumulator with a public face, from batches or many processes."""
