"""Probabilities and scores: read as numbers, put in the order of the classes, tallied by column."""
