"""Coverage-guided fuzzing of every binding of the native core: see `make fuzz`."""
