"""Columns of labels from any container as integer codes, and their class axis."""
