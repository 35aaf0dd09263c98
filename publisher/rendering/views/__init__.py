"""What the smaller kinds of pages show: a case, a model, a tool, a release, a code."""
