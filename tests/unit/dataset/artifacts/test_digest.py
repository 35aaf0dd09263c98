"""Digests: what was sealed opens, what was changed doesn't, and the section is named."""

from __future__ import annotations

import json

import pytest

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.digest import ArtifactError, artifact_hash, open_artifact, section_digest
from dataset.canonical import canonical_bytes, read_canonical
from tests.factories.snapshot import make_batch


def sealed() -> bytes:
    return next(iter(make_batch().artifacts.values()))


def test_a_sealed_artifact_opens_with_its_nine_sections() -> None:
    data = sealed()
    artifact = open_artifact(data)
    assert set(artifact.digests) == set(SECTION_NAMES) == set(artifact.salts)
    assert artifact.artifact_hash == artifact_hash(artifact.run_id, artifact.digests)


@pytest.mark.parametrize("name", SECTION_NAMES)
def test_a_changed_section_is_named(name: str) -> None:
    document = read_canonical(sealed())
    document["salts"][name] = "0" * 32
    with pytest.raises(ArtifactError) as caught:
        open_artifact(canonical_bytes(document))
    assert f"section {name}: digest differs" in caught.value.faults


def test_a_recomputed_digest_still_breaks_the_hash_of_the_whole() -> None:
    document = read_canonical(sealed())
    document["result"]["final_output"] += "!"
    document["digests"]["result"] = section_digest(document["salts"]["result"], document["result"])
    with pytest.raises(ArtifactError) as caught:
        open_artifact(canonical_bytes(document))
    assert caught.value.faults == ["artifact_hash differs"]


def test_another_spelling_of_the_same_artifact_is_refused() -> None:
    with pytest.raises(ArtifactError, match="canonical form"):
        open_artifact(json.dumps(json.loads(sealed()), indent=1).encode())


def test_the_salt_changes_the_digest_of_the_same_section() -> None:
    assert section_digest("00" * 16, {"a": 1}) != section_digest("01" * 16, {"a": 1})
