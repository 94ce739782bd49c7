"""Frames whose rows lie in partitions, on many machines: Dask and Spark."""
