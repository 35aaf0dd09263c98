"""Jinja2 templates and the one stylesheet of the public site."""
