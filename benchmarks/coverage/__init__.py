"""How often the intervals of karat hold the true value, on populations drawn by a seed."""
