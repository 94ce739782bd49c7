"""The rules of a gate: what each asks, what it found, and how that is told."""
