"""Who a series of releases is: what its names, keys and ids are made from, whatever address it stands under."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.canonical import content_hash
from publisher.projection.index import Index
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.rendering.views.release import ReleaseView


def series_id(index: Index) -> str:
    """64 hexadecimal digits that stay the same from the first release on, since every release keeps the first."""
    return content_hash(index.releases[0].body() if index.releases else None)


def signer_names(release: ReleaseView) -> tuple[str, ...]:
    """Who signed a release; empty where nobody did or there is no log."""
    return tuple(dict.fromkeys(key.name for key in release.logged.signers)) if release.logged else ()


def latest_signers(snapshot: Snapshot) -> Sequence[str]:
    """Who signed the latest release."""
    releases = snapshot.log.releases if snapshot.log is not None else ()
    return tuple(dict.fromkeys(key.name for key in releases[-1].signers)) if releases else ()
