"""Runs the bank against models: context, loop, governance, guardrails, judges, providers, batches."""
