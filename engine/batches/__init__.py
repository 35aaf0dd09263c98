"""Batches: frozen before they start, estimated, run to the last planned run, resumable at any moment."""
