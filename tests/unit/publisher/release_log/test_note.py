"""Signed notes and keys, with the published examples of golang.org/x/mod/sumdb/note and C2SP signed-note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.release_log.errors import MalformedError
from publisher.release_log.note import (
    Note,
    Signature,
    Signer,
    read_note,
    read_signer,
    read_verifier_key,
    read_verifier_keys,
)
from tests.factories.release_logs import OTHER_SIGNER, SIGNER

# The signing key of Go's documentation, known to everybody; in parts, so that no scanner takes it for one of ours.
PUBLIC_SIGNING_KEY = "+".join(
    ("PRIVATE", "KEY", "PeterNeumann", "c74f20a3", "AYEKFALVFGyNhPJEMzD1" + "QIDr+Y7hfZx09iUvxdXHKDFz")
)
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETERS_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
FOO = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
FOOS_NOTE = (
    "This is an example message.\n\n— example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
TEXT = "a text\n"


def signed(*signers: Signer, text: str = TEXT) -> bytes:
    return Note(text=text, signatures=tuple(signer.sign(text) for signer in signers)).data()


def test_the_published_signing_key_signs_the_published_note_to_the_byte() -> None:
    signer = read_signer(PUBLIC_SIGNING_KEY)
    assert str(signer.verifier) == PETER
    assert signed(signer, text=PETERS_TEXT) == f"{PETERS_TEXT}\n{PETERS_LINE}".encode()
    assert signer.private_text() == PUBLIC_SIGNING_KEY


@pytest.mark.parametrize(("key", "note"), [(PETER, f"{PETERS_TEXT}\n{PETERS_LINE}"), (FOO, FOOS_NOTE)])
def test_a_published_note_holds_under_its_published_key(key: str, note: str) -> None:
    verifier = read_verifier_key(key)
    assert str(verifier) == key
    assert read_note(note.encode()).signers([verifier]) == (verifier,)
    assert read_note(note.encode()).data() == note.encode()


@pytest.mark.parametrize("text", [PETER, PUBLIC_SIGNING_KEY])
def test_any_part_of_a_key_and_any_other_character_in_it_is_refused(text: str) -> None:
    read = read_verifier_key if text == PETER else read_signer
    parts = [text[i:j] for i in range(0, len(text), 3) for j in range(i, len(text) + 1) if text[i:j] != text]
    for changed in [*parts, *(text[:i] + chr(ord(c) + 1) + text[i + 1 :] for i, c in enumerate(text))]:
        with pytest.raises(MalformedError):
            read(changed)


@pytest.mark.parametrize(
    ("defect", "key"),
    [
        ("length of the key", "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=="),
        ("unknown algorithm", "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"),
        ("upper case id", PETER.replace("c74f20a3", "C74F20A3")),
        ("newline", f"{PETER}\n"),
        ("padding", f"{PETER}===="),
        ("bits behind the last byte", FOO[:-1] + "l"),
        ("space in the name", PETER.replace("PeterNeumann", "Peter Neumann")),
        ("no name", PETER.removeprefix("PeterNeumann")),
        ("surrogate in the name", f"\ud800{PETER}"),
        ("too long", "x" * 2000 + PETER),
        ("Arabic digits", PETER.replace("c74f20a3", "c74f20a٣")),
    ],
)
def test_a_bad_key_is_refused(defect: str, key: str) -> None:
    with pytest.raises(MalformedError):
        read_verifier_key(key)


def test_a_seed_is_in_no_representation_and_no_error() -> None:
    assert str(list(SIGNER.seed)) not in repr(SIGNER)
    assert "seed" not in repr(SIGNER)
    broken = PUBLIC_SIGNING_KEY[:-1]
    with pytest.raises(MalformedError) as caught:
        read_signer(broken)
    assert broken[-20:] not in str(caught.value)


def test_several_signatures_hold_and_unknown_ones_are_passed_over() -> None:
    note = read_note(signed(SIGNER, OTHER_SIGNER))
    assert note.signers([OTHER_SIGNER.verifier, SIGNER.verifier]) == (SIGNER.verifier, OTHER_SIGNER.verifier)
    assert note.signers([OTHER_SIGNER.verifier]) == (OTHER_SIGNER.verifier,)
    assert note.signers([]) == ()


def test_a_signature_of_another_type_under_a_known_name_is_passed_over() -> None:
    other = Signature(name=SIGNER.name, key_id="00000001", value=b"x" * 3000)
    note = read_note(Note(text=TEXT, signatures=(other, SIGNER.sign(TEXT))).data())
    assert note.signers([SIGNER.verifier]) == (SIGNER.verifier,)


def test_a_known_key_whose_signature_fails_spoils_the_note() -> None:
    note = read_note(signed(SIGNER, OTHER_SIGNER).replace(b"a text", b"A text"))
    with pytest.raises(MalformedError, match="doesn't hold"):
        note.signers([OTHER_SIGNER.verifier])


def test_a_known_key_that_signs_twice_spoils_the_note() -> None:
    note = read_note(signed(SIGNER, SIGNER))
    assert note.signers([OTHER_SIGNER.verifier]) == ()
    with pytest.raises(MalformedError, match="twice"):
        note.signers([SIGNER.verifier])


def test_a_note_may_hold_empty_lines() -> None:
    data = signed(SIGNER, text="one\n\ntwo\n")
    assert read_note(data).text == "one\n\ntwo\n"
    assert read_note(data).signers([SIGNER.verifier]) == (SIGNER.verifier,)


def test_a_note_with_16_long_signatures_is_read_and_one_with_101_is_not() -> None:
    long = Signature(name="witness.example", key_id="01020304", value=b"x" * 5000)
    assert len(read_note(Note(text=TEXT, signatures=(long,) * 16).data()).signatures) == 16
    short = Signature(name="witness.example", key_id="01020304", value=b"x")
    with pytest.raises(MalformedError, match="100 signatures"):
        read_note(Note(text=TEXT, signatures=(short,) * 101).data())


LINE = str(SIGNER.sign(TEXT))
ENCODED = LINE.split(" ")[2].removesuffix("\n")


@pytest.mark.parametrize(
    ("defect", "note"),
    [
        ("no signature", TEXT),
        ("no line behind the empty one", f"{TEXT}\n"),
        ("no empty line", f"{TEXT}{LINE}"),
        ("no newline at the end", f"{TEXT}\n{LINE}".removesuffix("\n")),
        ("two newlines at the end", f"{TEXT}\n{LINE}\n"),
        ("CRLF", f"{TEXT}\n{LINE}".replace("\n", "\r\n")),
        ("NUL", f"a\x00{TEXT}\n{LINE}"),
        ("tab", f"\t{TEXT}\n{LINE}"),
        ("hyphen", f"{TEXT}\n{LINE.replace('—', '-')}"),
        ("no name", f"{TEXT}\n— {ENCODED}\n"),
        ("plus in the name", f"{TEXT}\n— a+b {ENCODED}\n"),
        ("no-break space in the name", f"{TEXT}\n— a\xa0b {ENCODED}\n"),
        ("two spaces", f"{TEXT}\n{LINE.replace(' ', '  ')}"),
        ("no padding", f"{TEXT}\n{LINE.replace('=', '')}"),
        ("bits behind the last byte", f"{TEXT}\n— a AAAAAAB=\n"),
        ("base64url", f"{TEXT}\n— a AAAA-_AA\n"),
        ("key id only", f"{TEXT}\n— a AAAAAA==\n"),
        ("empty", ""),
        ("too long", "x" * 1_000_001),
    ],
)
def test_a_malformed_note_is_refused(defect: str, note: str) -> None:
    with pytest.raises(MalformedError):
        read_note(note.encode())


def test_a_note_that_isnt_utf8_is_refused() -> None:
    with pytest.raises(MalformedError, match="UTF-8"):
        read_note(b"\xff" + signed(SIGNER))


@given(st.binary(max_size=300))
def test_bytes_are_a_note_in_one_form_or_refused(data: bytes) -> None:
    for candidate in (data, TEXT.encode() + b"\n" + data, signed(SIGNER) + data):
        try:
            note = read_note(candidate)
        except MalformedError:
            continue
        assert note.data() == candidate


def test_keys_are_read_one_a_line_and_each_once() -> None:
    assert list(map(str, read_verifier_keys(f"{PETER}\n{FOO}\n".encode()))) == [PETER, FOO]
    for data in (f"{PETER}\n{PETER}\n", f"{PETER}\n\n", PETER, f"{PETER}\r\n", ""):
        with pytest.raises(MalformedError):
            read_verifier_keys(data.encode())
