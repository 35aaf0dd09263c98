from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.digest import ArtifactError, open_artifact
from dataset.artifacts.disclosure import ALWAYS_PUBLIC, open_disclosed, withhold
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


HIDEABLE = [name for name in SECTION_NAMES if name not in ALWAYS_PUBLIC]
PARTS = st.sets(st.sampled_from(HIDEABLE))


@given(PARTS)
def test_any_sections_can_be_withheld_and_the_rest_is_what_it_was(parts: set[str]) -> None:
    disclosed, whole = open_disclosed(withhold(WHOLE, parts)), open_artifact(WHOLE)
    assert disclosed.withheld == parts
    assert disclosed.shows(*(set(SECTION_NAMES) - parts))
    assert not any(disclosed.shows(name) for name in parts)
    for name in set(SECTION_NAMES) - parts:
        assert getattr(disclosed.artifact, name) == getattr(whole, name)
    assert set(disclosed.artifact.salts) == set(SECTION_NAMES) - parts


@given(PARTS, PARTS)
def test_withholding_in_two_steps_or_twice_is_withholding_at_once(first: set[str], then: set[str]) -> None:
    at_once = withhold(WHOLE, first | then)
    assert withhold(withhold(WHOLE, first), then) == at_once
    assert withhold(at_once, first) == at_once


@given(PARTS.filter(bool))
def test_neither_section_nor_salt_is_left_in_the_file(parts: set[str]) -> None:
    public, whole = withhold(WHOLE, parts), json.loads(WHOLE)
    assert public == canonical_bytes(json.loads(public))
    for name in parts:
        assert whole["salts"][name].encode() not in public
        assert canonical_bytes(whole[name]) not in public


@pytest.mark.parametrize("section", HIDEABLE)
def test_a_withheld_section_that_is_put_back_otherwise_is_found(section: str) -> None:
    whole, public = json.loads(WHOLE), withhold(WHOLE, HIDEABLE)
    right = (whole["salts"][section], whole[section])
    for salt, content in (right, ("0" * 32, whole[section]), (whole["salts"][section], [])):
        document = json.loads(public)
        document["salts"][section], document[section] = salt, content
        if (salt, content) == right:
            assert open_disclosed(canonical_bytes(document)).withheld == {*HIDEABLE} - {section}
            continue
        with pytest.raises(ArtifactError):
            open_disclosed(canonical_bytes(document))


@pytest.mark.parametrize("field", ["digests", "salts", "artifact_hash", "run_id", "schema"])
def test_a_file_without_its_head_is_refused(field: str) -> None:
    document = json.loads(withhold(WHOLE, ["steps"]))
    del document[field]
    with pytest.raises(ArtifactError):
        open_disclosed(canonical_bytes(document))


def test_a_withheld_section_without_its_digest_is_refused() -> None:
    document = json.loads(withhold(WHOLE, ["steps"]))
    del document["digests"]["steps"]
    with pytest.raises(ArtifactError, match="digests"):
        open_disclosed(canonical_bytes(document))


def test_another_digest_of_a_withheld_section_is_another_hash() -> None:
    with pytest.raises(ArtifactError, match="artifact_hash differs"):
        open_disclosed(changed(withhold(WHOLE, ["steps"]), digests={"steps": "f" * 64}))


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{}", b'{"salts":[]}', b'{"salts":{},"digests":1}', b"\xff"])
def test_what_is_no_artifact_is_refused(data: bytes) -> None:
    with pytest.raises(ArtifactError):
        open_disclosed(data)


def test_bytes_that_are_not_canonical_are_refused() -> None:
    with pytest.raises(ArtifactError):
        open_disclosed(json.dumps(json.loads(withhold(WHOLE, ["steps"]))).encode())


def test_an_unknown_member_is_refused_also_where_sections_are_withheld() -> None:
    with pytest.raises(ArtifactError, match="note"):
        open_disclosed(changed(withhold(WHOLE, ["steps"]), note="x"))
