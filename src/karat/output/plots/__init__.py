"""Pictures of reports and comparisons, drawn with matplotlib."""
