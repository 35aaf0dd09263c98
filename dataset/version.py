"""The version of the installed distribution, without importing anything heavy."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """As pip knows it; `0+unknown` where the code runs without being installed."""
    try:
        return version("glassbench")
    except PackageNotFoundError:
        return "0+unknown"
