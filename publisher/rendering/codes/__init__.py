"""Failure reasons, refusals and errors: what each code says, and the runs that recorded it."""
