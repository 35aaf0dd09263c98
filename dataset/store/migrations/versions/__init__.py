"""One file a schema version, in the order of their numbers."""
