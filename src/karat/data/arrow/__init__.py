"""Arrow arrays and streams as NumPy views of their buffers."""
