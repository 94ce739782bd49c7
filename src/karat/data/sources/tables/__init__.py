"""Tables in memory, of any library, with columns detected by role."""
