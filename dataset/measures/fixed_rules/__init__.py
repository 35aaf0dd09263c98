"""The rules of judge `fixed-rules-v1`: what a gold asks of a run, as assertions that anyone can settle."""
