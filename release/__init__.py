"""What is released: built, looked at, installed where nothing else is. See `__main__`."""
