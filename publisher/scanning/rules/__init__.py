"""What a published text must not hold: one file per family of rules."""
