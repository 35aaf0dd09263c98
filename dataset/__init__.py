"""What is evaluated, what a run leaves, and the only door to PostgreSQL."""
