"""Probabilities and scores: read as numbers, ordered by class, and tallied by column."""
