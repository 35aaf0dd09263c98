"""How the pages of runs are made quickly: by several processes, and only where something changed."""
