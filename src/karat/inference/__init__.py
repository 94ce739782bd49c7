"""How sure a number is: variances, intervals, resampling, tests and sample sizes."""
