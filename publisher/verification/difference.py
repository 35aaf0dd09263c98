"""What a check found: one difference, and the sum of a whole verification."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from dataset.canonical import Json, canonical_bytes
from publisher.scanning.finding import printable
from publisher.verification.past import NO_PAST, Past

SHOWN_CHARACTERS = 120
MOST_SHOWN = 20
"""Leaves that one comparison names; a report in which everything differs needs no longer list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """One place where a snapshot isn't what it says. `place` is a file, or `file#/json/pointer`; where a function
    compares two values it is the pointer alone."""

    place: str
    expected: str
    observed: str
    message: str

    def within(self, file: str) -> Difference:
        """The same difference with its pointer put after a file name."""
        return replace(self, place=f"{file}#{self.place}" if self.place else file)

    def within_pointer(self, pointer: str) -> Difference:
        """The same difference seen from further out in its document."""
        return replace(self, place=pointer + self.place)

    def as_json(self) -> dict[str, str]:
        """The difference as a JSON object, for `--json`."""
        return asdict(self)

    def __str__(self) -> str:
        values = f" (expected {self.expected}, found {self.observed})" if self.expected or self.observed else ""
        return printable(f"{self.place}: {self.message}{values}")


@dataclass(frozen=True, kw_only=True, slots=True)
class LogFacts:
    """The release log that a snapshot was held to: its origin, number of entries and root (base64, as in its
    checkpoint), how many releases there are, the numbers of those that are signed, and the names of the keys under
    which signatures hold: the reader's keys where there are any, else those that the snapshot names."""

    origin: str
    size: int
    root: str
    releases: int
    signed: tuple[int, ...]
    signers: tuple[str, ...] = ()

    @property
    def unsigned(self) -> tuple[int, ...]:
        """The numbers of the releases that aren't signed."""
        return tuple(number for number in range(1, self.releases + 1) if number not in self.signed)

    def as_json(self) -> Json:
        """The facts as a JSON object, for `--json`."""
        return {
            "origin": self.origin,
            "size": self.size,
            "root": self.root,
            "releases": self.releases,
            "signed": list(self.signed),
            "signers": list(self.signers),
            "unsigned": list(self.unsigned),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What was checked, and every difference. `batches` holds the ids that the index names, `synthetic` its flag.

    `runs` counts artifacts that were opened, `assertions` those observed again, `unobserved` those shown of which the
    evidence is withheld, `withdrawn` the runs that were withdrawn. `withheld` says of how many runs each part is
    withheld, `claimed` of how many each field of their line follows from withheld sections alone and was taken as told.
    `past` names what only older copies of revised reports show. `orphans` are replays of a batch that isn't here,
    `unseen` counts the runs of other replays whose answers can't be held to those that were recorded.
    `log` is None where there is none, or none that could be read.
    """

    files: int = 0
    reports: int = 0
    runs: int = 0
    assertions: int = 0
    unobserved: int = 0
    withdrawn: int = 0
    withheld: tuple[tuple[str, int], ...] = ()
    claimed: tuple[tuple[str, int], ...] = ()
    past: Past = NO_PAST
    orphans: tuple[str, ...] = ()
    unseen: int = 0
    batches: tuple[str, ...] = ()
    synthetic: bool = False
    log: LogFacts | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def as_json(self) -> dict[str, Json]:
        """The verification as a JSON object, for `--json`."""
        return {
            "holds": self.holds,
            "checked": {
                "files": self.files,
                "reports": self.reports,
                "runs": self.runs,
                "assertions": self.assertions,
            },
            "withdrawn": self.withdrawn,
            "withheld": dict(self.withheld),
            "claimed": dict(self.claimed),
            "unobserved": self.unobserved,
            "log": self.log.as_json() if self.log else None,
            "differences": [difference.as_json() for difference in self.differences],
        }


def short(value: Json) -> str:
    """A value as it is shown in a difference: its canonical text, clipped."""
    text = canonical_bytes(value, allow_floats=True).decode() if not isinstance(value, str) else value
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def fault(place: str, message: str) -> Difference:
    """A difference between things that aren't two values."""
    return Difference(place=place, expected="", observed="", message=message)


def compare(message: str, expected: Json, observed: Json) -> list[Difference]:
    """The leaves in which two JSON values differ, by pointer; MOST_SHOWN of them at most."""
    found = []
    for place, wanted, seen in _leaves("", expected, observed):
        found.append(Difference(place=place, expected=short(wanted), observed=short(seen), message=message))
        if len(found) == MOST_SHOWN:
            break
    return found


_ABSENT = "absent"


def _leaves(pointer: str, expected: Json, observed: Json) -> Iterator[tuple[str, Json, Json]]:
    if isinstance(expected, dict) and isinstance(observed, dict):
        for key in sorted(expected.keys() | observed.keys()):
            below = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            yield from _leaves(below, expected.get(key, _ABSENT), observed.get(key, _ABSENT))
    elif isinstance(expected, list) and isinstance(observed, list) and len(expected) == len(observed):
        for i, (wanted, seen) in enumerate(zip(expected, observed, strict=True)):
            yield from _leaves(f"{pointer}/{i}", wanted, seen)
    elif type(expected) is not type(observed) or expected != observed:
        yield pointer, expected, observed
