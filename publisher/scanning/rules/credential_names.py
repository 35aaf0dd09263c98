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
from publisher.scanning.rules.passwords import (
    CODE,
    WORDED,
    is_chosen_word,
    is_handed_over,
    is_marked_word,
    is_password,
    is_settled_word,
)
from publisher.scanning.rules.randomness import entropy, looks_random
from publisher.scanning.rules.signs import CALLED_SIGN, PLAIN_SIGN, QUOTED_SIGN, SIGN, VALUE, WITHIN_QUOTES

_DIGEST = re.compile(
    r"(?:sha\d{1,3}[:\-])?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)

_CONTINUED_DIGEST = re.compile(r"(?:[0-9a-f]{32,}[g-zG-Z]|[0-9A-F]{32,}[G-Zg-z])")


def is_credential(value: str) -> bool:
    """Random, and no code; hex digits of mixed case, or a digest that runs on in letters, were made up."""
    mixed_hex = re.fullmatch(r"[0-9a-fA-F]{16,}", value) and not (value.islower() or value.isupper())
    if mixed_hex or _CONTINUED_DIGEST.match(value):
        return False
    return looks_random(value) and not CODE.match(value) and not WORDED.fullmatch(value)


def is_unlikely(value: str) -> bool:
    """Random, and neither a digest, whatever is appended, nor an id: those stand beside harmless keys everywhere."""
    value = value.partition("&")[0]
    return len(value) >= 16 and is_credential(value) and entropy(value) >= 3.5 and not _DIGEST.match(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class Naming:
    """Names under which what `value` matches after `sign` is a secret if `holds` says so, unless what stands just
    before the name ends with a harmless word. The value is the last group, or all of it."""

    name: str
    label: str
    words: bytes
    value: bytes
    holds: Callable[[str], bool]
    sign: bytes = SIGN

    def pattern(self) -> re.Pattern[bytes]:
        """Name and sign; the value is only looked at, so that it may hold the next name."""
        return re.compile(self.words + self.sign + rb"(?=(" + self.value + rb"))", re.IGNORECASE)

    def mark(self) -> re.Pattern[bytes]:
        """The same without what the gate can't express."""
        return re.compile(self.words + self.sign + self.value.replace(b",256}", b"}"), re.IGNORECASE)


def _of(shortest: int) -> bytes:
    """A value of so many characters, all of what stands between quotation marks if it has as many."""
    return rb"(?:(?<=[\"'`])%b{%d,256}(?=\\?[\"'`])|%b{%d,256})" % (WITHIN_QUOTES, shortest, VALUE, shortest)


# A literal with nothing beside it; a setting that ends its line or field.
_LITERAL = rb"(?<=[\"'`])" + WITHIN_QUOTES + rb"{4,256}(?=\\?[\"'`])"
_TO_THE_END = VALUE + rb"{6,256}(?=[ \t]{0,8}(?:[\r\n#\"'`<;&]|\\[nr\"]|\Z))"

_WRITTEN_OUT = (
    rb"(?:pass(?:word|wd|phrase|code)|(?<![a-z])pwd|(?-i:(?<=[a-z])P(?:wd|ass|w))|[a-z]_pass|(?<![a-z])psk|"
    rb"(?:db|my|user|store|admin|root)pass|passwort|kennwort|contrase(?:n|\xc3\xb1)a|senha|mot_?de_?passe|"
    rb"identified by|" + "(?:密码|口令)(?:是|为)?".encode()
)
_PASSWORD = _WRITTEN_OUT + rb"|(?<![a-z])pw)"
# It says as often that something passed.
_PASS = rb"(?<![a-z])pass"
_WRITTEN_OUT += rb")"
_SECRET = (
    rb"(?:(?:client|app|api|auth|shared|signing|consumer|webhook|jwt|session)[_\-. ]?secret(?:[_\-. ]?key)?|"
    rb"(?<![a-z])(?:secret|credentials?|creds)|(?-i:(?<=[a-z0-9])(?:Secret|Token))|(?<=[a-z0-9][_\-. ])token|"
    rb"secret[_\-. ]?key[_\-. ]?base|client-key-data|"
    rb"(?:api|access|secret|private|preshared|account|auth|encryption|master|service|admin|subscription|licen[sc]e|write|"
    rb"server|shared|signing|hmac|storage|consumer|user|root|session|cookie|crypto|cipher|aes|webhook|integration|"
    rb"ingest(?:ion)?|sdk|app|application|function|openai)[_\-. ]?key|(?-i:(?<=[A-Z0-9]_)KEY)|"
    rb"(?:api|access|auth|refresh|bearer|session|bot|personal|deploy)[_\-. ]?token|user[_\-. ]auth|"
    + "密钥|令牌".encode() + rb")"
)  # fmt: skip
_ANY = rb"(?:key|token|secret|auth)"

# Keys and tokens that everybody may know: of pages, caches, forms, data models, handshakes.
_HARMLESS = re.compile(
    rb"(?i)(?:public|csrf|xsrf|authenticity|page|next|prev(?:ious)?|continuation|cursor|cache|snapshot|idempotency|fixture|"
    rb"model|sort|group|partition|primary|foreign|unique|index|object|routing|lookup|dedup(?:lication)?|site|websocket|"
    rb"gpg|pgp|apt|host|translation|message)[_\-. ]?(?:key|token|auth|api|access|app)?[_\-. ]?\Z"
)
_HARMLESS_REACH = 24


def _password(words: bytes, value: bytes, holds: Callable[[str], bool], sign: bytes = SIGN) -> Naming:
    return Naming(
        name="password-assignment", label="password beside its name", words=words, value=value, holds=holds, sign=sign
    )


def _secret(words: bytes, shortest: int, sign: bytes, holds: Callable[[str], bool] = is_credential) -> Naming:
    name = "secret-assignment" if holds is is_credential else "generic-api-key"
    return Naming(name=name, label="secret beside its name", words=words, value=_of(shortest), holds=holds, sign=sign)


NAMINGS = (
    _password(_PASSWORD, _of(8), is_password),
    _password(_WRITTEN_OUT, _of(8), is_password, QUOTED_SIGN),
    _password(_WRITTEN_OUT, _LITERAL, is_chosen_word),
    _password(_WRITTEN_OUT, _LITERAL, is_chosen_word, CALLED_SIGN),
    _password(_WRITTEN_OUT, _TO_THE_END, is_marked_word),
    _password(_WRITTEN_OUT, _TO_THE_END, is_settled_word, rb"(?:=|>)"),
    _password(_PASS, _of(6), is_handed_over, PLAIN_SIGN),
    _secret(_SECRET, 16, SIGN),
    _secret(_SECRET, 16, QUOTED_SIGN),
    _secret(_ANY, 20, SIGN, is_unlikely),
    _secret(_ANY, 20, QUOTED_SIGN, is_unlikely),
)


class CredentialName:
    """Finds what one of `NAMINGS` describes: `SCAN-CRED:<name>`."""

    def __init__(self, naming: Naming) -> None:
        self._naming, self._pattern = naming, naming.pattern()
        self.marks = (naming.mark(),)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in order."""
        for match in self._pattern.finditer(data):
            if _HARMLESS.search(data, max(0, match.start() - _HARMLESS_REACH), match.start()):
                continue
            if self._naming.holds(match[1].decode("latin-1")) and not in_disguise(data, *match.span(1)):
                yield Hit(PREFIX + self._naming.name, f"credential: {self._naming.label}", *match.span(1))
