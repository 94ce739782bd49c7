"""The rules of a gate, what was found of each, and the verdict."""
