"""Plots of the numbers of a report, as the parts of an SVG: what a template writes, with nothing left to compute."""
