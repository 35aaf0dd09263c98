"""What a snapshot exports, in memory."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from publisher.exports.address import site_address
from publisher.exports.interface import ExportSource
from publisher.exports.site_exports import SiteExports
from publisher.rendering.site.files import site_files
from publisher.rendering.snapshot.snapshot import Snapshot

URL = "https://example.org/bench/"


def source_of(snapshot: Path, url: str | None = None) -> ExportSource:
    return ExportSource(snapshot=Snapshot(snapshot), address=site_address(url) if url else None)


def site_of(snapshot: Path, url: str | None = None) -> dict[str, bytes]:
    """Every file of the site by its name."""
    files = site_files(Snapshot(snapshot), site_address(url) if url else None)
    return {file.name: b"".join(file.chunks()) for file in files}


def exports_of(snapshot: Path, url: str | None = None) -> dict[str, bytes]:
    """What follows from the snapshot by itself, without pages, archive and what names that."""
    return {file.name: file.data for file in SiteExports(source=source_of(snapshot, url)).first_files()}


def csv_rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def json_rows(data: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(data)
    return found
