"""Every metric and statistic, defined once: pure functions from artifacts to numbers."""
