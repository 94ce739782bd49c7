"""Other libraries' interfaces, computed by karat: leaves that nothing imports."""
