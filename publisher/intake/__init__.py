"""The way in: batches as the store holds them, read and never changed."""
