"""Monitors: rules on rows that keep coming, checked at every batch."""
