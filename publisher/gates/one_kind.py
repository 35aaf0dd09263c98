"""`GATE-KIND`: synthetic and real runs are never in one release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from publisher.gates.interface import Account, Exhibit, Fault

MIXED_BATCH = "GATE-KIND-001"
MIXED_RELEASE = "GATE-KIND-002"


class OneKind:
    """`-001` one batch holds both kinds."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """The fault of a batch of both kinds."""
        if batch.definition is not None and len({model.synthetic for model in batch.definition.models}) > 1:
            yield batch.fault(MIXED_BATCH, "scripted and real models in one batch can't be published")


def release_faults(new: Mapping[str, bool], carried: Mapping[str, bool]) -> Iterator[Fault]:
    """`GATE-KIND-002` for every new batch (id → synthetic) that the release can't hold beside the others.

    What the target already holds decides; without it, the first of the new batches.
    """
    if not new:
        return
    kind = next(iter({**carried, **new}.values()))
    names = {True: "synthetic", False: "real"}
    for batch_id, synthetic in new.items():
        if synthetic != kind:
            message = f"{names[synthetic]} runs can't join a release of {names[kind]} ones: publish to another target"
            yield Fault(code=MIXED_RELEASE, batch_id=batch_id, run_id=None, place="", message=message)
