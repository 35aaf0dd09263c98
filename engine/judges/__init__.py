"""Judges: from a gold and the recorded evidence to assertions and a verdict."""
