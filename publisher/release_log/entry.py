"""The entries of the log: five kinds, each in RFC 8785 bytes."""

from __future__ import annotations

from typing import Annotated, Literal, assert_never

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from dataset.artifacts.withdrawn import Reason, ReleaseNumber
from dataset.canonical import CanonicalError, canonical_plain
from dataset.questions.withholding import Withheld, in_order
from dataset.record import SLUG, BatchId, Record, RunId, Sha256
from publisher.release_log.errors import MalformedError


def _ordered(parts: tuple[Withheld, ...]) -> tuple[Withheld, ...]:
    if parts != in_order(parts):
        raise ValueError("not each once, in the order of the artifact's sections")
    return parts


class RunEntry(Record):
    """A run was released. The hash is the one that its sections' digests give, whatever is withheld of them."""

    kind: Literal["run"] = "run"
    run_id: Annotated[RunId, SLUG]
    batch_id: Annotated[BatchId, SLUG]
    artifact_hash: Sha256


class ReportEntry(Record):
    """A report was released, with the sha256 of its file: once with its batch, and again whenever the file changes."""

    kind: Literal["report"] = "report"
    batch_id: Annotated[BatchId, SLUG]
    sha256: Sha256


class WithdrawalEntry(Record):
    """A run was withdrawn."""

    kind: Literal["withdrawal"] = "withdrawal"
    run_id: Annotated[RunId, SLUG]
    artifact_hash: Sha256
    reason: Reason


class RevealEntry(Record):
    """Parts of a run that were withheld are public now."""

    kind: Literal["reveal"] = "reveal"
    run_id: Annotated[RunId, SLUG]
    sections: Annotated[tuple[Withheld, ...], Field(min_length=1), AfterValidator(_ordered)]


class ReleaseEntry(Record):
    """A release ends here; the sha256 is that of its index."""

    kind: Literal["release"] = "release"
    number: ReleaseNumber
    index_sha256: Sha256


LogEntry = RunEntry | ReportEntry | WithdrawalEntry | RevealEntry | ReleaseEntry
_ENTRY: TypeAdapter[LogEntry] = TypeAdapter(Annotated[LogEntry, Field(discriminator="kind")])


def encoded(entry: LogEntry) -> bytes:
    """The canonical bytes: what stands in the log and is hashed as a leaf."""
    return canonical_plain(entry.body())  # not entry.canonical, which stays: a log has many entries


def read_entry(data: bytes) -> LogEntry:
    """The entry in its canonical bytes; MalformedError for anything else, another form of the same entry too."""
    try:
        entry = _ENTRY.validate_json(data, strict=True)
        same = encoded(entry) == data
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise MalformedError(f"{'/'.join(map(str, fault['loc'][:4])) or 'entry'}: {fault['msg']}") from None
    except CanonicalError as error:
        raise MalformedError(error.message) from None
    if not same:
        raise MalformedError("not in canonical form")
    return entry


def entry_name(entry: LogEntry) -> str:
    """What an entry is of, for messages: `run english-0001`."""
    match entry:
        case RunEntry() | WithdrawalEntry() | RevealEntry():
            return f"{entry.kind} {entry.run_id}"
        case ReportEntry():
            return f"report {entry.batch_id}"
        case ReleaseEntry():
            return f"release {entry.number}"
        case _:
            assert_never(entry)
