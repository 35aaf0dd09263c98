from __future__ import annotations

import json
from typing import Any

import pytest

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.digest import ArtifactError, open_artifact
from dataset.artifacts.disclosure import open_disclosed, withhold
from dataset.canonical import canonical_bytes
from tests.factories import make_batch

WHOLE = next(iter(make_batch().artifacts.values()))


def changed(data: bytes, **changes: Any) -> bytes:
    document = json.loads(data)
    for name, value in changes.items():
        document[name] = {**document[name], **value} if isinstance(value, dict) else value
    return canonical_bytes(document)


@pytest.mark.parametrize("section", [name for name in SECTION_NAMES if name != "provenance"])
def test_a_withheld_section_keeps_its_digest_and_is_no_attribute(section: str) -> None:
    disclosed, whole = open_disclosed(withhold(WHOLE, [section])), open_artifact(WHOLE)
    assert disclosed.withheld == {section}
    assert disclosed.whole is None
    assert (disclosed.artifact.digests, disclosed.artifact.artifact_hash) == (whole.digests, whole.artifact_hash)
    with pytest.raises(AttributeError):
        getattr(disclosed.artifact, section)


def test_what_is_whole_opens_whole() -> None:
    assert open_disclosed(WHOLE).whole == open_artifact(WHOLE)
    assert withhold(WHOLE, ["gold"]) == WHOLE


def test_a_salt_without_its_section_is_found_beside_sections_that_are_withheld() -> None:
    salt = open_artifact(WHOLE).salts["steps"]
    with pytest.raises(ArtifactError, match=r"section steps: missing, and its salt isn't"):
        open_disclosed(changed(withhold(WHOLE, ["steps", "result"]), salts={"steps": salt}))


def test_a_section_without_its_salt_is_found() -> None:
    document = json.loads(WHOLE)
    del document["salts"]["steps"]
    with pytest.raises(ArtifactError, match="salts"):
        open_disclosed(canonical_bytes(document))


def test_provenance_can_not_be_withheld() -> None:
    with pytest.raises(ArtifactError, match="provenance"):
        open_disclosed(withhold(WHOLE, ["provenance"]))


def test_null_is_no_section() -> None:
    with pytest.raises(ArtifactError):
        open_disclosed(changed(withhold(WHOLE, ["result"]), steps=None))
