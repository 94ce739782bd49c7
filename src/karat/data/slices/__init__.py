"""Which slice each row is in, and what each slice counts."""
