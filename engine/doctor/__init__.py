"""Whether this machine can run Glassbench, and what to do where it can't."""
