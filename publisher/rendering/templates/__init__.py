"""Templates and Markdown, made ready to print."""
