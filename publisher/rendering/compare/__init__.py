"""Two models or two arms of a batch against each other, and any two of their runs side by side."""
