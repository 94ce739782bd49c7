"""Partitioned frames, possibly on many machines: Dask and Spark."""
