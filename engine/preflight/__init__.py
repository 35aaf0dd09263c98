"""Before a batch may spend money: what can be checked without a call, what it may take, and one call to each model."""
