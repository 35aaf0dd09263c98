"""The snapshot as pages read it: what came in."""
