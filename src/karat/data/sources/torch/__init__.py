"""Tensors on a device: they are tallied where they live, and the tally leaves."""
