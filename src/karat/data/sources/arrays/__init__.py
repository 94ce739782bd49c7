"""Arrays, lists and confusion matrices in memory."""
