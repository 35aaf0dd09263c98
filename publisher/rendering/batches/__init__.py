"""What the page of a batch shows."""
