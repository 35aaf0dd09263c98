"""sha256 of every file of the data, as `sha256sum --check` reads it."""

from __future__ import annotations

from collections.abc import Iterable

from publisher.exports.interface import ExportFile

CHECKSUMS = "SHA256SUMS"


def checksums(digests: Iterable[tuple[str, str]]) -> ExportFile:
    """`SHA256SUMS`, from names and their digests; by name."""
    lines = [f"{sha256}  {name}\n" for name, sha256 in sorted(digests)]
    return ExportFile(
        name=CHECKSUMS, title="sha256 of every data file", media_type="text/plain", data="".join(lines).encode()
    )
