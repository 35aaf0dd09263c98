"""The only way to model input: items, strategies, token budget, messages."""
