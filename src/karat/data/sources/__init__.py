"""Sources of rows: each turns one kind of data into batches of `Rows`."""
