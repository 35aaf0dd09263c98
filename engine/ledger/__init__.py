"""Budgets: what a policy allows, what a call may cost, and what it did cost."""
