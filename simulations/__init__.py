"""Simulations of what is claimed of slices: how often equal ones are called different, and more."""
