"""Sealing a key with AES-256-GCM, bound to its model and to the origin that it may be sent to."""

from __future__ import annotations

import secrets
from contextlib import suppress
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import SecretStr

from dataset.canonical import canonical_bytes
from dataset.store.credentials import Envelope
from engine.credentials.errors import EnvelopeDamagedError, RingKeyUnknownError
from engine.credentials.keyring import Keyring

ALGORITHM = "AES-256-GCM"
_NONCE_BYTES = 12
_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_of(base_url: str) -> str:
    """Scheme, host and port of a URL, in lower case and without the scheme's own port (RFC 6454)."""
    parts = urlsplit(base_url)
    host = (parts.hostname or "").lower()
    bracketed = f"[{host}]" if ":" in host else host
    port = parts.port
    return f"{parts.scheme}://{bracketed}" + (
        f":{port}" if port not in (None, _DEFAULT_PORTS.get(parts.scheme)) else ""
    )


def seal(ring: Keyring, *, model_key: str, origin: str, value: SecretStr) -> Envelope:
    """The value under the ring's active key and a fresh random nonce."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    bound = _associated_data(ALGORITHM, model_key, origin)
    ciphertext = AESGCM(ring.active.secret).encrypt(nonce, value.get_secret_value().encode("ascii"), bound)
    return Envelope(
        model_key=model_key,
        origin=origin,
        algorithm=ALGORITHM,
        key_id=ring.active.id,
        nonce=nonce,
        ciphertext=ciphertext,
    )


def unseal(ring: Keyring, envelope: Envelope) -> SecretStr:
    """The value; RingKeyUnknownError where its ring key isn't there, EnvelopeDamagedError where it doesn't open."""
    key = ring.key(envelope.key_id)
    if key is None:
        raise RingKeyUnknownError(envelope.model_key, envelope.key_id)
    bound = _associated_data(envelope.algorithm, envelope.model_key, envelope.origin)
    if envelope.algorithm == ALGORITHM and len(envelope.nonce) == _NONCE_BYTES:
        # Raised below, outside of any handler: the error keeps nothing of what went before it.
        with suppress(InvalidTag, ValueError):
            return SecretStr(AESGCM(key.secret).decrypt(envelope.nonce, envelope.ciphertext, bound).decode("ascii"))
    raise EnvelopeDamagedError(envelope.model_key)


def _associated_data(algorithm: str, model_key: str, origin: str) -> bytes:
    return canonical_bytes({"algorithm": algorithm, "model": model_key, "origin": origin})
