"""Rows that come in parts, batches, units of files or partitions of frames, to one report."""
