"""Which lines and branches the tests reach: `make coverage`, `python -m tests.reached`."""
