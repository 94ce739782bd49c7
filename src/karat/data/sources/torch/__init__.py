"""Tensors on a device: they are tallied there, and only the tally is transferred."""
