"""A sealed key opens for its own model and origin, with the ring it was sealed with, and for nothing else."""

from __future__ import annotations

import traceback
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from dataset.store.credentials import Envelope
from engine.credentials.envelope import origin_of, seal, unseal
from engine.credentials.errors import CredentialError, EnvelopeDamagedError, RingKeyUnknownError
from engine.credentials.keyring import Keyring, new_ring_key
from tests.factories.stored_keys import ORIGIN, nobodys_key

RING = Keyring(keys=(new_ring_key(),))
VALUE = nobodys_key()


def sealed(ring: Keyring = RING, value: str = VALUE) -> Envelope:
    return seal(ring, model_key="hosted", origin=ORIGIN, value=SecretStr(value))


@given(value=st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=8, max_size=200))
def test_what_was_sealed_opens_again(value: str) -> None:
    envelope = sealed(value=value)
    assert unseal(RING, envelope).get_secret_value() == value
    assert value.encode() not in envelope.ciphertext
    assert (envelope.algorithm, len(envelope.nonce)) == ("AES-256-GCM", 12)


def test_the_same_key_never_gets_the_same_nonce() -> None:
    assert len({sealed().nonce for _ in range(200)}) == 200


def test_an_older_key_of_the_ring_still_opens_what_it_sealed() -> None:
    assert unseal(RING.with_new_key(), sealed()).get_secret_value() == VALUE


def test_a_ring_without_the_key_says_which_one_is_missing() -> None:
    with pytest.raises(RingKeyUnknownError, match=RING.active.id):
        unseal(Keyring(keys=(new_ring_key(),)), sealed())


@pytest.mark.parametrize(
    "change",
    [
        {"model_key": "another"},
        {"origin": "https://elsewhere.example"},
        {"origin": ORIGIN + ":8443"},
        {"algorithm": "AES-128-GCM"},
        {"nonce": bytes(12)},
        {"nonce": b""},
        {"nonce": bytes(16)},
        {"ciphertext": b""},
        {"ciphertext": bytes(40)},
    ],
    ids=lambda change: "-".join(f"{name}-{len(value)}" for name, value in change.items()),
)
def test_an_envelope_that_was_changed_or_moved_does_not_open(change: dict[str, str | bytes]) -> None:
    with pytest.raises(EnvelopeDamagedError):
        unseal(RING, replace(sealed(), **change))  # type: ignore[arg-type]


def test_every_single_bit_of_the_ciphertext_counts() -> None:
    envelope = sealed()
    for bit in range(len(envelope.ciphertext) * 8):
        data = bytearray(envelope.ciphertext)
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(EnvelopeDamagedError):
            unseal(RING, replace(envelope, ciphertext=bytes(data)))


def test_a_failure_keeps_nothing_of_the_key_nor_of_another_error() -> None:
    with pytest.raises(CredentialError) as refused:
        unseal(RING, replace(sealed(), origin="https://elsewhere.example"))
    error = refused.value
    assert (error.__cause__, error.__context__) == (None, None)
    shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert VALUE not in shown
    assert repr(RING.active.secret)[2:-1] not in shown.replace("key=", "")


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://llm.example/v1", "https://llm.example"),
        ("https://LLM.Example:443/", "https://llm.example"),
        ("https://llm.example:8443/v1", "https://llm.example:8443"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://127.0.0.1:443", "http://127.0.0.1:443"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
    ],
)
def test_an_origin_is_scheme_host_and_a_port_of_its_own(url: str, origin: str) -> None:
    assert origin_of(url) == origin
