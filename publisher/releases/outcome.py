"""What a target holds once an act has ended well."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dataset.canonical import Json, sha256_hex
from publisher.projection.index import Index, Release
from publisher.projection.report import Report
from publisher.release_log.reading import read_log
from publisher.releases.log_extension import signers
from publisher.verification.files import INDEX, Files, report_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Released:
    """What the target holds now. `changed` is False where it held all of it before, and no byte was touched.

    `digest` is the sha256 of `index.json`; `release` the latest release; `runs` and `batches` count the whole snapshot,
    `withdrawn` the runs among them that were withdrawn;
    `signed_by` names the keys that signed the latest release.
    """

    target: Path
    changed: bool
    digest: str
    release: Release
    batches: int
    runs: int
    withdrawn: int
    signed_by: tuple[str, ...]

    def as_json(self) -> dict[str, Json]:
        """The outcome as a JSON object, for `--json`."""
        return {
            "changed": self.changed,
            "release": self.release.number,
            "batches": self.batches,
            "runs": self.runs,
            "withdrawn": self.withdrawn,
            "digest": self.digest,
            "signed_by": list(self.signed_by),
            "target": str(self.target),
        }


def released(target: Path, *, changed: bool) -> Released:
    """The outcome, read from the target."""
    files = Files(target)
    data = files.find(INDEX) or b""
    index = Index.model_validate_json(data)
    return Released(
        target=target,
        changed=changed,
        digest=sha256_hex(data),
        release=index.releases[-1],
        batches=len(index.reports),
        runs=sum(entry.runs for entry in index.reports),
        withdrawn=sum(_withdrawn(files, entry.batch_id) for entry in index.reports),
        signed_by=signers(read_log(files.find).log),
    )


def _withdrawn(files: Files, batch_id: str) -> int:
    return len(Report.model_validate_json(files.find(report_name(batch_id)) or b"").withdrawals)
