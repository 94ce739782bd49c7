"""What the pages of the documentation are made of, beside those that are written by hand."""
