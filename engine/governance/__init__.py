"""The one throat that every tool call passes: an ordered chain of rules with stable audit codes."""
