"""How the large families of pages are made quickly: by several processes, and only where something changed."""
