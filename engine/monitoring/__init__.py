"""What a worker says of itself: log lines, metrics, and whether it is alive and ready."""
