"""The models that a start of a batch will ask, with all that is needed to ask them, checked offline."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from dataset.artifacts.definition import FrozenModel
from dataset.errors import GlassbenchError
from dataset.record import BatchId
from engine.batches.composition import require_unchanged
from engine.batches.frozen_batch import FrozenBatch
from engine.batches.worker_process import Ground
from engine.preflight.entry_place import entry_place
from engine.preflight.errors import PreflightError, one_error
from engine.preflight.paid import is_paid
from engine.providers.credential import Credential
from engine.providers.factory import codec_for
from engine.providers.model_entry import ModelEntry
from engine.providers.registry import ModelRegistry
from engine.providers.wire_codec import WireCodec


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """A model behind HTTP that has missing runs. `paid`: asking it may cost money."""

    entry: ModelEntry
    frozen: FrozenModel
    codec: WireCodec
    key: str | None = field(repr=False)
    paid: bool


def subjects(ground: Ground, batch: FrozenBatch, model_keys: Collection[str]) -> tuple[Subject, ...]:
    """The models of these keys that are behind HTTP. Nothing is sent.

    GlassbenchError for everything that forbids to ask them, all at once: an entry that was changed or archived, a key
    that isn't here or can't be sent, a parameter that the wire API lacks, an unverified id of a paid model. A replay
    asks none.
    """
    if batch.definition.replay_of is not None:
        return ()
    found: list[Subject] = []
    faults: list[GlassbenchError] = []
    for frozen in batch.definition.models:
        try:
            entry = require_unchanged(ground.registry, frozen, batch.id)
            if not entry.synthetic and frozen.key in model_keys:
                found.append(_subject(ground, entry, frozen))
        except GlassbenchError as error:
            faults.append(error)
    faults += [_unverified(ground.registry, subject.entry, batch.id) for subject in found if _is_unverified(subject)]
    if faults:
        raise one_error(faults)
    return tuple(found)


def _subject(ground: Ground, entry: ModelEntry, frozen: FrozenModel) -> Subject:
    key = ground.credentials.resolve(entry)
    Credential(key, model_key=entry.key)  # refuses what no header can hold
    return Subject(entry=entry, frozen=frozen, codec=codec_for(entry), key=key, paid=is_paid(entry))


def _is_unverified(subject: Subject) -> bool:
    return subject.paid and not subject.entry.verified


def _unverified(registry: ModelRegistry, entry: ModelEntry, batch_id: BatchId) -> PreflightError:
    place = entry_place(registry.owner_file, entry.key, "model_id_status")
    return PreflightError(
        f"{place}: model_id_status of {entry.key!r} is unverified, and batch {batch_id} would pay for what answers to "
        f"{entry.model_id!r}",
        code="PREFLIGHT-UNVERIFIED-001",
        hint='look the id up at the provider, then set model_id_status = "verified" there',
    )
