"""From joint tallies and influences to how sure a difference of two models is."""
