"""From verified artifacts to the public snapshot: reports and the index."""
