"""`gate`: whether predictions are good enough, and no worse than before."""
