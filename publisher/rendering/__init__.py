"""The public site, rendered from a snapshot alone."""
