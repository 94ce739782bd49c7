"""`Stream`: public accumulator of rows from batches or many processes."""
