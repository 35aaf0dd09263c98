"""The full-text index of a site: files that a page's script loads in part, worked out from public texts alone."""
