"""Tables in memory, of any library: columns found by role."""
