"""What the runs of a batch say beyond themselves: errors, intervals, tests and ranks, from exact counts."""
