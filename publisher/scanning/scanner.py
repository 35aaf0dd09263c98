"""Bytes, streams and trees in; findings out. Zero tolerance: there is no allow list and no switch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Protocol

from publisher.scanning.document import Document
from publisher.scanning.finding import Finding, mask, printable
from publisher.scanning.layers.adjacent_strings import AdjacentStrings
from publisher.scanning.layers.base64_text import Base64Text
from publisher.scanning.layers.escapes import Escapes
from publisher.scanning.layers.hex_text import HexText
from publisher.scanning.layers.json_strings import JsonStrings
from publisher.scanning.layers.readable import Readable
from publisher.scanning.layers.wide_characters import WideCharacters
from publisher.scanning.lens import Lens
from publisher.scanning.loads import in_order, loads
from publisher.scanning.report import findings
from publisher.scanning.rules.addresses import PrivateAddresses
from publisher.scanning.rules.canaries import Canaries
from publisher.scanning.rules.command_lines import COMMAND_LINES
from publisher.scanning.rules.contacts import Contacts
from publisher.scanning.rules.credential_names import NAMINGS, CredentialName
from publisher.scanning.rules.credential_shapes import CREDENTIAL_SHAPES
from publisher.scanning.rules.credentials import CredentialEngine
from publisher.scanning.rules.hosts import InternalHosts
from publisher.scanning.rules.interface import Rule
from publisher.scanning.rules.key_material import KEY_MATERIAL
from publisher.scanning.rules.known_values import KnownValues
from publisher.scanning.rules.kubernetes_secrets import KubernetesSecrets
from publisher.scanning.rules.paths import LocalPaths
from publisher.scanning.rules.prompt_markers import PromptMarkers
from publisher.scanning.rules.shape import ShapeRule
from publisher.scanning.rules.vendor_prefixes import VENDOR_PREFIXES
from publisher.scanning.rules.vendor_tokens import VENDOR_TOKENS
from publisher.scanning.tree import Entry, entries, unreadable
from publisher.scanning.windows import windows

LINK_RULE = "SCAN-LINK-001"

# Up to here a document is read whole, so that places in JSON are exact.
LARGEST_WHOLE = 16 * 1024 * 1024
# In rows whose marks the gate looks for together: what marks those of the second and third holds no word.
LAYERS = (
    (JsonStrings(), Escapes(), Readable(), WideCharacters()),
    (Base64Text(), HexText()),
    (AdjacentStrings(),),
)


class Watch(Protocol):
    """Hears how far a scan of a tree has come."""

    def __call__(self, *, files: int, size: int) -> None:
        """So many more files, of `size` bytes in all, are done."""
        ...


def _unwatched(*, files: int, size: int) -> None:
    """Nobody listens."""


class Scanner:
    """Looks at texts, bytes, streams and trees. Holds no state of a scan: share it between threads.

    Every method returns findings in the order of the document, one per rule and place, and raises
    ScanError where a scan can't be done.
    """

    def __init__(self, lens: Lens) -> None:
        self._lens = lens

    def scan_text(self, text: str, place: str) -> list[Finding]:
        """Findings in a text that stands at `place`; JSON inside it is decoded too."""
        return self._scan(Document(data=text.encode("utf-8", "surrogatepass"), source=place, first_line=0))

    def scan_bytes(self, data: bytes, name: str) -> list[Finding]:
        """Findings in `data` and in `name` itself, which will be public with it."""
        return self._scan(Document(data=data, source=name), name)

    def scan_stream(self, stream: BinaryIO, name: str, *, public_name: str = "") -> Iterator[Finding]:
        """Findings in all that `stream` gives (standard input, a large file) and in `public_name`."""
        head = stream.read(LARGEST_WHOLE + 1)
        if len(head) <= LARGEST_WHOLE:
            yield from self._scan(Document(data=head, source=name), public_name)
        else:
            yield from self._scan_windows(stream, head, name, public_name)

    def scan_path(self, path: Path, watch: Watch = _unwatched) -> Iterator[Finding]:
        """Findings in a file, or in every file below a directory, by name. A link out of the tree is itself
        a finding (`SCAN-LINK-001`): what it leads to was not looked at."""
        for found, files, size in in_order(self._scan_entries, loads(entries(path))):
            watch(files=files, size=size)
            yield from found

    def _scan_entries(self, load: Sequence[Entry]) -> tuple[list[Finding], int, int]:
        """Findings in a load; files that are read whole are looked through together."""
        found: dict[int, Iterable[Finding]] = {}
        whole: dict[int, Document] = {}
        for at, entry in enumerate(load):
            if entry.kind == "file" and 0 < entry.size <= LARGEST_WHOLE:
                whole[at] = Document(data=_read(entry), source=str(entry.path))
            else:
                found[at] = list(self._scan_apart(entry))
        names = [load[at].inner for at in whole]
        found |= zip(whole, self._scan_each(list(whole.values()), names), strict=True)
        return list(chain.from_iterable(found[at] for at in range(len(load)))), len(load), sum(e.size for e in load)

    def _scan_apart(self, entry: Entry) -> Iterator[Finding]:
        if entry.kind == "stray link":
            yield from self._stray_link(entry)
            return
        with _opened(entry) as stream:
            yield from self.scan_stream(stream, str(entry.path), public_name=entry.inner)

    def _stray_link(self, entry: Entry) -> list[Finding]:
        named = self._scan(Document(data=b"", source=str(entry.path)), entry.inner)
        place = named[0].place if named else printable(str(entry.path))
        target = str(entry.path.readlink())
        return [*named, Finding(rule=LINK_RULE, label="link out of the tree", place=place, excerpt=mask(target))]

    def _scan_windows(self, stream: BinaryIO, head: bytes, name: str, public_name: str) -> Iterator[Finding]:
        seen: set[tuple[str, str]] = set()
        for piece in windows(stream, head):
            document = Document(data=piece.data, source=name, first_line=piece.first_line, is_whole=False)
            for finding in self._scan(document, public_name):
                if (finding.rule, finding.place) not in seen:
                    seen.add((finding.rule, finding.place))
                    yield finding

    def _scan(self, document: Document, public_name: str = "") -> list[Finding]:
        return self._scan_each([document], [public_name])[0]

    def _scan_each(self, documents: Sequence[Document], public_names: Sequence[str]) -> list[list[Finding]]:
        inside = self._lens.sightings_each([document.data for document in documents])
        named = self._lens.sightings_each([name.encode("utf-8", "surrogatepass") for name in public_names])
        return [findings(*each) if each[1] or each[2] else [] for each in zip(documents, inside, named, strict=True)]


@contextmanager
def _opened(entry: Entry) -> Iterator[BinaryIO]:
    """The file of an entry; what can't be read is a ScanError."""
    try:
        with entry.path.open("rb", buffering=0) as stream:
            yield stream
    except OSError as fault:
        raise unreadable(entry.path, fault) from fault


def _read(entry: Entry) -> bytes:
    with _opened(entry) as stream:
        return stream.read()


def default_rules(known_values: Mapping[str, str], canaries: Collection[str], *, contacts: bool) -> Sequence[Rule]:
    """The rules of `default_scanner`."""
    rules: list[Rule] = [
        CredentialEngine(),
        *map(ShapeRule, (*VENDOR_TOKENS, *VENDOR_PREFIXES, *CREDENTIAL_SHAPES, *COMMAND_LINES, *KEY_MATERIAL)),
        *map(CredentialName, NAMINGS),
        KubernetesSecrets(),
        PrivateAddresses(),
        InternalHosts(),
        LocalPaths(),
        PromptMarkers(),
    ]
    if contacts:
        rules.append(Contacts())
    if known_values:
        rules.append(KnownValues(known_values))
    if canaries:
        rules.append(Canaries(canaries))
    return rules


def default_scanner(
    known_values: Mapping[str, str] = MappingProxyType({}), canaries: Collection[str] = (), *, contacts: bool = False
) -> Scanner:
    """The one scanner of publishing and of `glassbench scan`.

    `known_values` maps the name of each credential variable that is set to its value; `canaries` were planted where
    nothing may come from; `contacts` adds e-mail addresses and telephone numbers. Raises ScanError for a value or
    canary that can't be looked for, and when an engine doesn't work.
    """
    return Scanner(Lens(default_rules(known_values, canaries, contacts=contacts), *LAYERS))
