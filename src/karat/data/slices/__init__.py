"""Assignment of rows to slices, and counts of each slice."""
