"""Files, folders, streams and SQL, read through DuckDB in bounded memory."""
