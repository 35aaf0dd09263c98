"""Questions, golds, variants, and the pack that carries them."""
