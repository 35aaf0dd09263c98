"""Checking a snapshot from its files alone: every hash, every verdict and every number made again."""
