"""Where passes run: each engine turns one kind of source into `Cells`, and knows no metric."""
