"""The publisher's commands; `python -m publisher` runs them where the engine isn't installed."""
