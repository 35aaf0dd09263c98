"""What happened, step by step, and the artifact that is assembled from it."""
