"""Signed notes with Ed25519 keys, to the byte as C2SP signed-note and golang.org/x/mod/sumdb/note have them.

https://c2sp.org/signed-note
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from publisher.release_log.errors import MalformedError
from publisher.release_log.lines import base64_text, read_base64

LARGEST_NOTE = 1_000_000
MOST_SIGNATURES = 100
_LONGEST_KEY = 1_000
_ED25519 = b"\x01"
_KEY_SIZE = 32
_ID_SIZE = 4
_KEY_ID = re.compile(r"[0-9a-f]{8}")
PRIVATE_MARK = "PRIVATE+KEY+"
"""What the text of a signing key begins with."""
_DASH = "— "


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifierKey:
    """The public half of a key: a name and 32 bytes."""

    name: str
    public: bytes

    @property
    def key_id(self) -> str:
        """Eight hexadecimal digits, the start of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key)."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_SIZE].hex()

    def __str__(self) -> str:
        """The verifier key as text: `name+id+base64`."""
        return f"{self.name}+{self.key_id}+{base64_text(_ED25519 + self.public)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """One signature line: who says to have signed, and the signature."""

    name: str
    key_id: str
    value: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {base64_text(bytes.fromhex(self.key_id) + self.value)}\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Signer:
    """A signing key. The seed is in no representation of it."""

    name: str
    seed: bytes = field(repr=False)

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(
            name=self.name, public=Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()
        )

    def sign(self, text: str) -> Signature:
        """The signature of a note's text; the same text always has the same."""
        value = Ed25519PrivateKey.from_private_bytes(self.seed).sign(text.encode())
        return Signature(name=self.name, key_id=self.verifier.key_id, value=value)

    def private_text(self) -> str:
        """The signing key as text, `PRIVATE+KEY+name+id+base64`: the secret."""
        return f"{PRIVATE_MARK}{self.name}+{self.verifier.key_id}+{base64_text(_ED25519 + self.seed)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A text, ending in a newline, and the signatures under it, which nothing is known of yet."""

    text: str
    signatures: tuple[Signature, ...]

    def data(self) -> bytes:
        """The note as it is written."""
        return f"{self.text}\n{''.join(map(str, self.signatures))}".encode()

    def signers(self, keys: Sequence[VerifierKey]) -> tuple[VerifierKey, ...]:
        """Those of the keys that signed, in the order of the lines; signatures by others are passed over.

        MalformedError where a line names one of the keys and doesn't hold, or one of them signs twice.
        """
        known = {(key.name, key.key_id): key for key in keys}
        found: list[VerifierKey] = []
        for signature in self.signatures:
            key = known.get((signature.name, signature.key_id))
            if key is None:
                continue
            if key in found:
                raise MalformedError(f"signed twice by {key.name}+{key.key_id}")
            if not _holds(key, signature, self.text):
                raise MalformedError(f"the signature by {key.name}+{key.key_id} doesn't hold")
            found.append(key)
        return tuple(found)


def _holds(key: VerifierKey, signature: Signature, text: str) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(signature.value, text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def read_note(data: bytes) -> Note:
    """The note in its one written form, with one signature line at least; MalformedError."""
    text = read_text(data)
    body, separator, lines = text.rpartition("\n\n")
    if not separator or not lines:
        raise MalformedError("no signature lines behind an empty line")
    return Note(text=f"{body}\n", signatures=tuple(_signatures(lines)))


def read_text(data: bytes) -> str:
    """The text of a note or of its body: UTF-8, no control character but newline, one at its end; MalformedError."""
    if len(data) > LARGEST_NOTE:
        raise MalformedError(f"longer than {LARGEST_NOTE} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedError("not UTF-8") from None
    if any(character < " " and character != "\n" for character in text):
        raise MalformedError("a control character other than newline")
    if not text.endswith("\n"):
        raise MalformedError("no newline at the end")
    return text


def _signatures(lines: str) -> Iterator[Signature]:
    found = lines.removesuffix("\n").split("\n")
    if len(found) > MOST_SIGNATURES:
        raise MalformedError(f"more than {MOST_SIGNATURES} signatures")
    for line in found:
        name, _, encoded = line.removeprefix(_DASH).partition(" ")
        if not line.startswith(_DASH) or not _is_name(name):
            raise MalformedError("a line among the signatures that is none")
        value = read_base64(encoded)
        if len(value) <= _ID_SIZE:
            raise MalformedError("a signature without a value")
        yield Signature(name=name, key_id=value[:_ID_SIZE].hex(), value=value[_ID_SIZE:])


def read_verifier_key(text: str) -> VerifierKey:
    """A key from its text, `name+id+base64`; MalformedError where any part is off."""
    name, key_id, encoded = _parts(text)
    key = VerifierKey(name=name, public=_key_bytes(encoded))
    if key.key_id != key_id:
        raise MalformedError("the id of a key isn't that of its name and bytes")
    return key


def read_verifier_keys(data: bytes) -> tuple[VerifierKey, ...]:
    """Keys one a line, each once; MalformedError."""
    keys = tuple(map(read_verifier_key, read_text(data).removesuffix("\n").split("\n")))
    if len(set(keys)) != len(keys):
        raise MalformedError("a key stands twice")
    return keys


def read_signer(text: str) -> Signer:
    """A signing key from its text, `PRIVATE+KEY+name+id+base64`; MalformedError, which never quotes it."""
    if not text.startswith(PRIVATE_MARK):
        raise MalformedError("not a signing key")
    name, key_id, encoded = _parts(text.removeprefix(PRIVATE_MARK))
    signer = Signer(name=name, seed=_key_bytes(encoded))
    if signer.verifier.key_id != key_id:
        raise MalformedError("the id of a signing key isn't that of its name and bytes")
    return signer


def _parts(text: str) -> tuple[str, str, str]:
    if len(text) > _LONGEST_KEY:
        raise MalformedError("longer than any key")
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    if not _is_name(name) or not _KEY_ID.fullmatch(key_id):
        raise MalformedError("not a key: name+id+base64")
    return name, key_id, encoded


def _key_bytes(encoded: str) -> bytes:
    data = read_base64(encoded)
    if data[:1] != _ED25519 or len(data) != 1 + _KEY_SIZE:
        raise MalformedError("not an Ed25519 key: 0x01 and 32 bytes")
    return data[1:]


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(c.isspace() or c < " " for c in name) and _is_unicode(name)


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in name)
