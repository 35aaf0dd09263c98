"""Tools, scenes and permissions: what an agent may see and do."""
