"""Reports for readers: plain text, terminal, JSON. Everything is made from one description."""
