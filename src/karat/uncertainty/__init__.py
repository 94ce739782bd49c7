"""From a tally to how sure a number is: standard errors by influence, limits, resampling."""
