"""Columns of labels of any container as integer codes, and the class axis they make."""
