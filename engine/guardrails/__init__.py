"""Output guardrails: what a final answer passes at the `response` point before it is judged."""
