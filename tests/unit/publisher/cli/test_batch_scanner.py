from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from publisher.cli.batch_scanner import batch_scanner
from tests.factories import SampleSource, make_batch

BATCH = make_batch(model_keys=("careful", "careless"))
CANARY = "planted-heron-4417"
ADDRESS = "someone" + "@" + "mail.example-bank.com"


def source(**head: object) -> SampleSource:
    """A source whose pack's head says something more."""
    found = SampleSource.of(BATCH)
    assert found.stored is not None
    pack = replace(BATCH.pack, head=BATCH.pack.head.model_copy(update=head))
    return replace(found, stored=replace(found.stored, pack=pack))


def nothing_known(models: Collection[str]) -> Mapping[str, str]:
    return {}


def test_the_canaries_of_every_pack_are_looked_for() -> None:
    text = f"they asked for {CANARY} in the end"
    assert not batch_scanner([source()], nothing_known).scan_text(text, "?")
    assert batch_scanner([source(), source(canaries=(CANARY,))], nothing_known).scan_text(text, "?")


def test_contacts_are_looked_for_where_one_pack_wants_it() -> None:
    text = f"write to {ADDRESS}"
    assert not batch_scanner([source()], nothing_known).scan_text(text, "?")
    assert batch_scanner([source(), source(scan_contacts=True)], nothing_known).scan_text(text, "?")


def test_the_credentials_of_the_batches_models_are_asked_for() -> None:
    asked: list[set[str]] = []

    def known(models: Collection[str]) -> Mapping[str, str]:
        asked.append(set(models))
        return {}

    batch_scanner([source(), replace(source(), stored=None)], known)
    assert asked == [{"careful", "careless"}]
