"""What is known of the sampling error of numbers."""
