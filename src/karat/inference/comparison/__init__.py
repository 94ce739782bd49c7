"""Precision of a difference of two models, and of many differences at once."""
