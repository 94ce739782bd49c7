"""Statistics of slices: tests of heterogeneity, and the search for weak slices."""
