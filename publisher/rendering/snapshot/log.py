"""The release log as the pages tell of it: what each release fixed, who signed it, where a run stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from publisher.release_log.checkpoint import read_checkpoint
from publisher.release_log.entry import RunEntry
from publisher.release_log.errors import MalformedError
from publisher.release_log.files import CHECKPOINT, KEYS, checkpoint_name, consistency_name, inclusion_name
from publisher.release_log.lines import base64_text
from publisher.release_log.log import ReleaseLog
from publisher.release_log.note import VerifierKey


@dataclass(frozen=True, kw_only=True, slots=True)
class LoggedRelease:
    """What the log held after a release. `signers` are those whose signature of it holds, by the keys in `log/key`;
    `consistency` is null for the latest, which there is nothing after."""

    number: int
    size: int
    root: bytes
    signers: tuple[VerifierKey, ...]
    checkpoint: str
    consistency: str | None

    @property
    def root_base64(self) -> str:
        """The root hash as the checkpoint has it."""
        return base64_text(self.root)

    @property
    def root_hex(self) -> str:
        """The root hash as other tools show it."""
        return self.root.hex()


@dataclass(frozen=True, kw_only=True, slots=True)
class LogPlace:
    """Where a run stands in the log, and the file of its inclusion proof."""

    index: int
    release: int
    artifact_hash: str
    proof: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LogView:
    """The whole log; `releases` from the first on, `places` by run id."""

    log: ReleaseLog = field(repr=False)
    origin: str
    checkpoint: str
    keys: str | None
    """The file that names the keys of all signers; null where nobody signed."""
    releases: tuple[LoggedRelease, ...]
    places: Mapping[str, LogPlace] = field(repr=False)


def log_view(log: ReleaseLog) -> LogView:
    """The view of a log. MalformedError where a release carries a signature that doesn't hold, or none of a key that
    the log names: what is shown as signed is."""
    return LogView(
        log=log,
        origin=log.origin,
        checkpoint=CHECKPOINT,
        keys=KEYS if log.keys else None,
        releases=tuple(_release(log, number) for number in range(1, len(log.sizes) + 1)),
        places={
            str(entry.run_id): LogPlace(
                index=index,
                release=log.release_of(index),
                artifact_hash=entry.artifact_hash,
                proof=inclusion_name(entry.run_id),
            )
            for index, entry in enumerate(log.entries())
            if isinstance(entry, RunEntry)
        },
    )


def _release(log: ReleaseLog, number: int) -> LoggedRelease:
    found = read_checkpoint(log.checkpoints[number - 1])
    signers = found.note.signers(log.keys)
    if found.signatures and not signers:
        raise MalformedError(f"the checkpoint of release {number} is signed by no key that the log names")
    return LoggedRelease(
        number=number,
        size=found.checkpoint.size,
        root=found.checkpoint.root,
        signers=signers,
        checkpoint=checkpoint_name(number),
        consistency=consistency_name(number) if number < len(log.sizes) else None,
    )
