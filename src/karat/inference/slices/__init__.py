"""Statistics of slices: what equal slices would show, and which are weak among many."""
