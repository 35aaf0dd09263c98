"""How hidden text becomes readable: one file per way of hiding it."""
