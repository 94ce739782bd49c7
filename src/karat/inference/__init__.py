"""Statistical inference: variances, intervals, resampling, tests and sample sizes."""
