"""Layers, then rules, then masked findings. Zero tolerance: there is no allow list and no switch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from publisher.scanning.finding import Finding, hidden, mask, printable
from publisher.scanning.layers.as_written import AsWritten
from publisher.scanning.layers.escapes import Escapes
from publisher.scanning.layers.interface import Document, Layer
from publisher.scanning.layers.json_strings import JsonStrings
from publisher.scanning.layers.wide_characters import WideCharacters
from publisher.scanning.passage import FORMS, Form, Passage, Sheet
from publisher.scanning.rules.addresses import PrivateAddresses
from publisher.scanning.rules.credential_shapes import CredentialShapes
from publisher.scanning.rules.credentials import CredentialEngine
from publisher.scanning.rules.hosts import InternalHosts
from publisher.scanning.rules.interface import Hit, Rule
from publisher.scanning.rules.known_values import KnownValues
from publisher.scanning.rules.paths import HomePaths
from publisher.scanning.rules.prompt_markers import PromptMarkers
from publisher.scanning.tree import Entry, entries, unreadable
from publisher.scanning.windows import decode, windows

LINK_RULE = "SCAN-LINK-001"

# Up to here a document is read whole, so that JSON is decoded exactly.
LARGEST_WHOLE = 16 * 1024 * 1024


class _Sighting(NamedTuple):
    hit: Hit
    order: int
    passage: Passage
    offset: int
    secret: str


class Scanner:
    """Looks at texts, bytes, streams and trees. Holds no state of a scan: share it between threads, not
    across a fork.

    Every method returns findings in the order of the document, one per rule and place, and raises
    ScanError where a scan can't be done.
    """

    def __init__(self, rules: Sequence[Rule], layers: Sequence[Layer]) -> None:
        self._rules = tuple(rules)
        self._layers = tuple(layers)

    def scan_text(self, text: str, place: str) -> list[Finding]:
        """Findings in a text that stands at `place`; JSON inside it is decoded too."""
        return self._scan(Document.whole(text, place, first_line=None))

    def scan_bytes(self, data: bytes, name: str) -> list[Finding]:
        """Findings in `data` and in `name` itself, which will be public with it."""
        return self._scan(Document.whole(decode(data), name), name)

    def scan_stream(self, stream: BinaryIO, name: str, *, public_name: str = "") -> Iterator[Finding]:
        """Findings in all that `stream` gives (standard input, a large file) and in `public_name`."""
        head = stream.read(LARGEST_WHOLE + 1)
        if len(head) <= LARGEST_WHOLE:
            yield from self._scan(Document.whole(decode(head), name), public_name)
        else:
            yield from self._scan_windows(stream, head, name, public_name)

    def scan_path(self, path: Path) -> Iterator[Finding]:
        """Findings in a file, or in every file below a directory, by name. A link out of the tree is itself
        a finding (`SCAN-LINK-001`): what it leads to was not looked at."""
        for entry in entries(path):
            if entry.kind == "stray link":
                yield from self._stray_link(entry)
                continue
            try:
                with entry.path.open("rb") as stream:
                    yield from self.scan_stream(stream, str(entry.path), public_name=entry.inner)
            except OSError as fault:
                raise unreadable(entry.path, fault) from fault

    def _stray_link(self, entry: Entry) -> list[Finding]:
        named = self._scan(Document.whole("", str(entry.path)), entry.inner)
        place = named[0].place if named else printable(str(entry.path))
        target = str(entry.path.readlink())
        return [*named, Finding(rule=LINK_RULE, label="link out of the tree", place=place, excerpt=mask(target))]

    def _scan_windows(self, stream: BinaryIO, head: bytes, name: str, public_name: str) -> Iterator[Finding]:
        form: Form = "notation" if decode(head[:64]).lstrip("\ufeff \t\r\n")[:1] in ("{", "[") else "prose"
        seen: set[tuple[str, str]] = set()
        for piece in windows(stream, head):
            document = Document.window(decode(piece.data), name, first_line=piece.first_line, form=form)
            for finding in self._scan(document, public_name):
                if (finding.rule, finding.place) not in seen:
                    seen.add((finding.rule, finding.place))
                    yield finding

    def _scan(self, document: Document, public_name: str = "") -> list[Finding]:
        passages = [passage for layer in self._layers for passage in layer.passages(document)]
        if public_name:
            passages.append(Passage(text=public_name, source=document.source, is_name=True))
        sightings = sorted(self._sightings(passages), key=lambda seen: (seen.order, seen.offset, seen.hit.rule))
        return _findings(sightings if document.value is None else _best_placed(sightings))

    def _sightings(self, passages: Sequence[Passage]) -> Iterator[_Sighting]:
        for form in FORMS:
            sheet = Sheet([(order, passage) for order, passage in enumerate(passages) if passage.form == form])
            for rule in self._rules:
                for hit in rule.find(sheet.text, form):
                    order, passage, offset = sheet.locate(hit.start)
                    yield _Sighting(hit, order, passage, offset, sheet.text[hit.start : hit.end])


def _best_placed(sightings: Sequence[_Sighting]) -> list[_Sighting]:
    """Without what was seen in JSON as written and again, with its pointer, in a decoded string."""
    decoded = {(seen.hit.rule, seen.secret) for seen in sightings if seen.passage.pointers}
    return [seen for seen in sightings if seen.passage.pointers or (seen.hit.rule, seen.secret) not in decoded]


def _findings(sightings: Sequence[_Sighting]) -> list[Finding]:
    """One finding per rule and place. A name in a place may hold what was found elsewhere, so all is concealed."""
    secrets = {seen.secret for seen in sightings}
    found: dict[tuple[str, str], Finding] = {}
    for (_, lines_before, rule), seen in _first_of_each_line(sightings).items():
        place = seen.passage.place(lines_before, secrets)
        excerpt = mask(seen.secret) if seen.hit.shown else hidden(seen.secret)
        finding = Finding(rule=rule, label=seen.hit.label, place=place, excerpt=excerpt)
        found.setdefault((rule, place), finding)
    return list(found.values())


def _first_of_each_line(sightings: Sequence[_Sighting]) -> dict[tuple[int, int, str], _Sighting]:
    """Sightings, sorted by passage and offset, keyed by passage, line breaks before and rule."""
    firsts: dict[tuple[int, int, str], _Sighting] = {}
    order, offset, lines = -1, 0, 0
    for seen in sightings:
        if seen.order != order:
            order, offset, lines = seen.order, 0, 0
        lines += seen.passage.text.count("\n", offset, seen.offset)
        offset = seen.offset
        firsts.setdefault((order, lines, seen.hit.rule), seen)
    return firsts


def default_scanner(known_values: Mapping[str, str] = MappingProxyType({})) -> Scanner:
    """The one scanner of publishing and of `glassbench scan`.

    `known_values` maps the name of each credential variable that is set to its value. Raises ScanError for
    a value that can't be looked for, and when the credential engine doesn't work.
    """
    rules: list[Rule] = [
        CredentialEngine(),
        CredentialShapes(),
        PrivateAddresses(),
        InternalHosts(),
        HomePaths(),
        PromptMarkers(),
    ]
    if known_values:
        rules.append(KnownValues(known_values))
    return Scanner(rules, (AsWritten(), JsonStrings(), Escapes(), WideCharacters()))
