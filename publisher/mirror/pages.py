"""The pages of a mirror: each is made again from the snapshot and compared, byte for byte.

A page is a pure function of the snapshot and of the version that rendered it, so this covers every number, rank and
bar.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from dataset.console import counted, named
from dataset.errors import GlassbenchError
from dataset.version import installed_version
from publisher.exports.address import SITE_ADDRESS, SiteAddress, SiteAddressError, read_site_address
from publisher.mirror.partial_snapshot import PartialSnapshot
from publisher.rendering.page_names import HOME
from publisher.rendering.site.directory import MARKER
from publisher.rendering.site.file import SiteFile
from publisher.rendering.site.files import site_files
from publisher.verification.difference import Difference, fault, short
from publisher.verification.files import Files, is_snapshot_file, stray_differences

_ONLY_OF_SITES = (MARKER, HOME, "batches", "cases")
_GENERATOR = re.compile(rb'<meta name="generator" content="glassbench ([^"<>]{1,80})">')
_HEAD = 4096
"""Bytes of a page in which its generator is looked for."""
_BEFORE = 40
"""Bytes of a line shown before the first that differs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PageFindings:
    """How many pages and other files of a site were compared, by which version, and every difference.

    `uncompared` are those that a broken file of the snapshot goes into; a difference tells of them. `finished` is False
    where the snapshot couldn't be rendered to its end: then others weren't compared either.
    """

    version: str
    pages: int = 0
    assets: int = 0
    uncompared: tuple[str, ...] = ()
    finished: bool = True
    differences: tuple[Difference, ...] = ()

    @property
    def hold(self) -> bool:
        """Whether every page was made again, and is the same."""
        return self.finished and not self.differences


def is_site(directory: Path) -> bool:
    """Whether there are pages beside the snapshot, or what only a site has: a mirror may lack any of them."""
    return any(os.path.lexists(directory / name) for name in _ONLY_OF_SITES)


def page_findings(directory: Path) -> PageFindings:
    """Every page and asset of a mirror against what its snapshot renders to; what the files hold never raises.

    Where a run is broken, its own page and what else is made from it are told as not compared, and all others are.
    """
    check = _PageCheck(Files(directory, whole=True))
    try:
        snapshot = PartialSnapshot(directory)
        for made in site_files(snapshot, check.address()):
            if isinstance(made, SiteFile):
                check.compare(made.name, made.data, lacking=snapshot.lacking(made.name))
            else:
                wanted = _sha256(made.chunks())
                check.compare_long(made.name, wanted, lacking=snapshot.lacking(made.name))
    except GlassbenchError as error:
        return check.findings(broken=error.message)
    except Exception as error:  # the last net: nothing that a file holds may stop a verification
        return check.findings(broken=type(error).__name__)
    return check.findings()


class _PageCheck:
    def __init__(self, files: Files) -> None:
        self._files = files
        self._made: set[str] = set()
        self._pages = self._assets = 0
        self._uncompared: dict[str, list[str]] = {}
        self._found: list[Difference] = []
        self._by_version: dict[str, list[str]] = {}

    def address(self) -> SiteAddress | None:
        """Where the site says that it stands; None with a difference noted where it says so in another way than a
        build does. It is no evidence: whoever has a mirror may say where that is, and pages must agree with it."""
        data = self._files.find(SITE_ADDRESS)
        if data is None:
            return None
        try:
            return read_site_address(data)
        except SiteAddressError as error:
            self._made.add(SITE_ADDRESS)
            self._found.append(fault(SITE_ADDRESS, error.message))
            return None

    def compare_long(self, name: str, wanted: str, *, lacking: Sequence[str]) -> None:
        """Takes a file that isn't held in memory, by its sha256 as it should be."""
        if not self._comparable(name, lacking):
            return
        self._assets += 1
        found = _sha256(self._files.chunks(name))
        if found != wanted:
            message = "not what the snapshot makes"
            self._found.append(Difference(place=name, expected=wanted, observed=found, message=message))

    def compare(self, name: str, data: bytes, *, lacking: Sequence[str]) -> None:
        """Takes one file as it should be; those of the snapshot are for its own verification. `lacking` names the
        files of the snapshot that it is made from and that can't be rendered."""
        if is_snapshot_file(name):
            self._made.add(name)
            return
        if not self._comparable(name, lacking):
            return
        is_page = _is_page(name)
        self._pages += is_page
        self._assets += not is_page
        found = self._files.find(name)
        if found is None:
            self._found.append(fault(name, "can't be read"))
        elif found != data:
            self._unlike(name, data, found)

    def _comparable(self, name: str, lacking: Sequence[str]) -> bool:
        """Whether a file is there and known as it should be; a difference is noted where not."""
        self._made.add(name)
        if name not in self._files.present:
            self._found.append(fault(name, f"missing: the snapshot has this {'page' if _is_page(name) else 'asset'}"))
        elif lacking:
            self._uncompared.setdefault(named(lacking), []).append(name)
        return name in self._files.present and not lacking

    def _unlike(self, name: str, wanted: bytes, found: bytes) -> None:
        version = _made_by(found)
        if version in (None, installed_version()):
            self._found.append(_first_difference(name, wanted, found))
        else:
            self._by_version.setdefault(str(version), []).append(name)

    def findings(self, broken: str | None = None) -> PageFindings:
        """What was found; with the reason where not everything could be made."""
        differences = [*self._found, *self._lacking(), *self._other_versions()]
        if broken is not None:
            differences.append(fault(HOME, f"the pages can't be made again to their end: {short(broken)}"))
        else:
            strays = (
                name for name in self._files.present - self._made if name != MARKER and not is_snapshot_file(name)
            )
            differences += stray_differences(strays, self._made, "neither a page of this snapshot nor part of one")
        return PageFindings(
            version=installed_version(),
            pages=self._pages,
            assets=self._assets,
            uncompared=tuple(name for names in self._uncompared.values() for name in names),
            finished=broken is None,
            differences=tuple(differences),
        )

    def _lacking(self) -> Iterator[Difference]:
        """One difference for all that the same broken files go into: with one run may go hundreds of pages."""
        for lacking, names in self._uncompared.items():
            what = f"{named(names)}, made from {lacking}" if len(names) > 1 else f"made from {lacking}"
            yield fault(names[0], f"not compared: {what}, which can't be rendered")

    def _other_versions(self) -> Iterator[Difference]:
        for version, names in sorted(self._by_version.items()):
            count = counted(len(names), "page")
            message = f"not checked: {count} told to be made by another version, and not what this one makes"
            yield Difference(
                place=names[0],
                expected=f"glassbench {installed_version()}",
                observed=f"glassbench {short(version)}",
                message=message,
            )


def _is_page(name: str) -> bool:
    return name.endswith(".html")


def _sha256(chunks: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _made_by(page: bytes) -> str | None:
    found = _GENERATOR.search(page[:_HEAD])
    return found.group(1).decode("utf-8", "backslashreplace") if found else None


def _first_difference(name: str, wanted: bytes, found: bytes) -> Difference:
    lines = enumerate(zip_longest(wanted.split(b"\n"), found.split(b"\n")), start=1)
    number, (left, right) = next((number, pair) for number, pair in lines if pair[0] != pair[1])
    message = f"line {number} isn't what the snapshot renders to"
    if left is None or right is None:
        return Difference(place=name, expected=_clipped(left), observed=_clipped(right), message=message)
    same = next((i for i, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), 0)
    start = max(same - _BEFORE, 0)
    return Difference(place=name, expected=_clipped(left, start), observed=_clipped(right, start), message=message)


def _clipped(line: bytes | None, start: int = 0) -> str:
    if line is None:
        return "no such line"
    text = line[start:].decode("utf-8", "backslashreplace")
    return f"{'…' if start else ''}{short(text)}"
