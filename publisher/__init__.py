"""Re-verifies what the engine left, refuses or projects it, renders it, and lets anyone check it."""
