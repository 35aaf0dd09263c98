"""The `glassbench` command: one file a command, each parses, calls, prints and says an exit code."""
