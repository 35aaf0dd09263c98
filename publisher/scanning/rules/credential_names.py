"""A value that nobody would write by hand, set under the name of a credential.

The general form (a name, a sign, a value of high entropy) is that of gitleaks' `generic-api-key` rule (MIT) and of
detect-secrets' keyword detector (Apache-2.0); the words and the judgment of the values are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from publisher.scanning.rules.credentials import PREFIX
from publisher.scanning.rules.disguise import in_disguise
from publisher.scanning.rules.interface import Hit
from publisher.scanning.rules.randomness import entropy, looks_random
from publisher.scanning.rules.shape import CODE, DOTTED_NAME, is_password

# `[:=]` in their full width, and how Chinese text names a password, a key and a token.
_FULL_WIDTH = rb"\xef\xbc\x9a|\xef\xbc\x9d"
_PASSWORD_WORDS = "(?:密码|口令)(?:是|为)?".encode()
_KEY_WORDS = "密钥|令牌".encode()

_SET = (
    rb"[0-9_-]{0,5}(?:\\?[\"'`\]]{1,2}[ \t]{0,12}(?:,|value=)|(?:\\?[\"'`\]]{1,2})?[ \t]{0,12}"
    rb"(?::{1,3}=|=>|\|\||\?=|[:=>]|" + _FULL_WIDTH + rb"))[ \t]{0,4}(?:\\?[\"'`])?"
)
_VALUE = rb"[!#-&(-+\-.-:=?-Z^-z|~]"
_DIGEST = re.compile(
    r"(?:sha\d{1,3}[:\-])?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)


def _is_credential(value: str) -> bool:
    """Random, and no code; hex digits of mixed case were typed by somebody who made an example."""
    mixed_hex = re.fullmatch(r"[0-9a-fA-F]{16,}", value) and not (value.islower() or value.isupper())
    return looks_random(value) and not mixed_hex and not CODE.match(value) and not DOTTED_NAME.fullmatch(value)


# Words run together, with two digits at most.
_WORDS = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{0,2}")
_OWN_NAME = re.compile(rb"[A-Za-z]{6,}")


def _is_label(name: re.Match[bytes] | None, value: str) -> bool:
    """Whether a value only says what it is: `ClearTextPassword1` beside `Password`."""
    return bool(name and name[0].decode().lower() in value.lower() and _WORDS.fullmatch(value))


def _is_unlikely(value: str) -> bool:
    """Random, and neither a digest, whatever is appended, nor an id: those stand beside harmless keys everywhere."""
    return _is_credential(value) and entropy(value) >= 3.5 and not _DIGEST.match(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Naming:
    """Names under which a value of at least `shortest` characters is a secret if `holds` says so, unless what stands
    just before the name ends with a `harmless` word."""

    name: str
    label: str
    words: bytes
    shortest: int
    holds: Callable[[str], bool]
    harmless: re.Pattern[bytes] | None = None

    def pattern(self) -> re.Pattern[bytes]:
        """Name and sign; the value is only looked at, so that it may hold the next name."""
        return re.compile(self.words + _SET + rb"(?=(" + self._value() + rb"))", re.IGNORECASE)

    def mark(self) -> re.Pattern[bytes]:
        """The same without what the gate can't express."""
        return re.compile(self.words + _SET + _VALUE + b"{%d}" % self.shortest, re.IGNORECASE)

    def _value(self) -> bytes:
        return _VALUE + b"{%d,256}" % self.shortest


# Keys and tokens that everybody may know: of pages, caches, forms, data models.
_HARMLESS = re.compile(
    rb"(?i)(?:public|csrf|xsrf|authenticity|page|next|prev(?:ious)?|continuation|cursor|cache|snapshot|idempotency|fixture|"
    rb"model|sort|group|partition|primary|foreign|unique|index|object|routing|lookup|dedup(?:lication)?)[_\-. ]?\Z"
)
_HARMLESS_REACH = 24

NAMINGS = (
    Naming(
        name="password-assignment",
        label="password beside its name",
        words=rb"(?:pass(?:word|wd|phrase|code)|passwort|(?<![a-z])pwd|(?<![a-z])pass|" + _PASSWORD_WORDS + rb")",
        shortest=8,
        holds=is_password,
    ),
    Naming(
        name="secret-assignment",
        label="secret beside its name",
        words=rb"(?:(?:client|app|api|auth|shared|signing|consumer|webhook|jwt|session)[_\-. ]?secret(?:[_\-. ]?key)?|"
        rb"(?<![a-z])(?:secret|credentials?|creds)|"
        rb"(?:api|access|secret|private|account|auth|encryption|master|service)[_\-. ]?key|"
        rb"(?:api|access|auth|refresh|bearer|session|bot|personal|deploy)[_\-. ]?token|user[_\-. ]auth|"
        + _KEY_WORDS
        + rb")",
        shortest=16,
        holds=_is_credential,
    ),
    Naming(
        name="generic-api-key",
        label="random value beside the name of a key",
        words=rb"(?:key|token|secret|auth)",
        harmless=_HARMLESS,
        shortest=20,
        holds=_is_unlikely,
    ),
)
_PATTERNS = tuple((naming, naming.pattern()) for naming in NAMINGS)


class CredentialNames:
    """Finds what `NAMINGS` describe: `SCAN-CRED:<name>`."""

    marks = tuple(naming.mark() for naming in NAMINGS)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits by naming."""
        for naming, pattern in _PATTERNS:
            for match in pattern.finditer(data):
                before = data[max(0, match.start() - _HARMLESS_REACH) : match.start()]
                if naming.harmless and naming.harmless.search(before):
                    continue
                value = match[1].decode("latin-1")
                if _is_label(_OWN_NAME.match(match[0]), value):
                    continue
                if naming.holds(value) and not in_disguise(data, *match.span(1)):
                    label = f"credential: {naming.label}"
                    yield Hit(PREFIX + naming.name, label, match.start(1), match.end(1))
