"""Records: frozen, hashed by content, and copied without what was worked out of the original."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pytest
from pydantic import ValidationError

from dataset.canonical import CanonicalError, sha256_hex
from dataset.record import Localised, Record, Slug


class Named(Record):
    """A record with something worked out of it."""

    name: str

    @cached_property
    def shouted(self) -> str:
        """The name in capitals."""
        return self.name.upper()


class Measured(Record):
    """A record that may hold anything."""

    by: dict[str, Any]


class Filed(Record):
    """A record whose id is a file name."""

    id: Slug


@pytest.mark.parametrize(
    "name",
    [
        "con",
        "nul",
        "aux",
        "prn",
        "com1",
        "lpt9",
        "../x",
        "a/b",
        "a\\b",
        "a\0",
        "a\n",
        "A",
        "É",
        "-a",
        ".a",
        "a.b",
        "",
        "a" * 65,
    ],
    ids=ascii,
)
def test_an_id_that_some_file_system_would_not_keep_is_no_slug(name: str) -> None:
    with pytest.raises(ValidationError):
        Filed(id=name)


def test_an_id_that_only_begins_like_a_kept_name_is_a_slug() -> None:
    assert [Filed(id=name).id for name in ("con-1", "contrast", "com", "lpt10")] == [
        "con-1",
        "contrast",
        "com",
        "lpt10",
    ]


def test_the_digest_of_a_changed_copy_is_its_own() -> None:
    first = Localised(en="a", zh="b")
    before = first.digest()
    second = first.model_copy(update={"en": "c"})
    assert second.digest() == Localised(en="c", zh="b").digest() != before
    assert first.digest() == before


def test_a_copy_works_out_its_own_values() -> None:
    first = Named(name="a")
    assert first.shouted == "A"
    assert first.model_copy(update={"name": "b"}).shouted == "B"


def test_records_are_equal_whether_or_not_their_digest_was_asked_for() -> None:
    asked, fresh = Localised(en="a", zh="b"), Localised(en="a", zh="b")
    asked.digest()
    assert asked == fresh
    assert hash(asked) == hash(fresh)
    assert asked.body() == fresh.body()


def test_the_canonical_bytes_of_a_record_hold_no_float() -> None:
    assert Localised(en="é", zh="b").canonical == '{"en":"é","zh":"b"}'.encode()
    with pytest.raises(CanonicalError, match="floating-point"):
        _ = Measured(by={"rate": 0.5}).canonical
    assert Measured(by={"rate": 0.5}).digest() == sha256_hex(b'{"by":{"rate":0.5}}')


def test_records_of_equal_content_are_one_key() -> None:
    first, second = Measured(by={"rate": "0.5"}), Measured(by={"rate": "0.5"})
    assert {first: "found"}[second] == "found"


def test_a_record_never_changes() -> None:
    with pytest.raises(ValidationError):
        Localised(en="a", zh="b").en = "c"  # type: ignore[misc]
