"""Results as data: reports, comparisons, gates and slices. None of them knows a renderer."""
