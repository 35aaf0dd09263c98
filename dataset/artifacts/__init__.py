"""The nine-section record that every run leaves, and its digests."""
