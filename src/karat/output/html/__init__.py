"""Reports and comparisons as one HTML file each: no network, no second file."""
