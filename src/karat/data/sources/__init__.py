"""Sources of rows: each converts one kind of data into batches of `Rows`."""
