"""How sure a difference of two models is, and many differences at once."""
