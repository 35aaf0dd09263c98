"""Shapes of credentials that the engine passes over: keys standing alone, headers, URLs, assignments."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as BinasciiError
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from publisher.scanning.passage import Form
from publisher.scanning.rules.credentials import PREFIX
from publisher.scanning.rules.interface import Hit
from publisher.scanning.rules.randomness import entropy, is_placeholder, looks_random


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """One shape. `needles` are lower-case texts of which one must occur before `pattern` is tried; the secret
    is its last group, or the match; `before`, if any, must fit the text just before the match (a search that
    began with it would try every word); `holds` judges the secret; `by_word` shapes see prose only. Named as the
    engine names the same thing, so that both finding it counts once."""

    name: str
    label: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    holds: Callable[[str], bool]
    before: re.Pattern[str] | None = None
    by_word: bool = False


def _is_basic_pair(value: str) -> bool:
    """Whether a Basic credential decodes to `user:password` (RFC 7617)."""
    try:
        user, colon, password = b64decode(value + "=" * (-len(value) % 4), validate=True).decode().partition(":")
    except (BinasciiError, ValueError):
        return False
    return bool(colon) and user[:1] != "{" and len(password) >= 3 and not is_placeholder(f"{user}:{password}")


def _is_password(value: str) -> bool:
    """A password in use: eight characters or more, of two kinds; no placeholder, prose or dotted name in code."""
    if not value.isascii() or _DOTTED_NAME.fullmatch(value):
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]"))
    return len(value) >= 8 and kinds >= 2 and entropy(value) >= 2.8 and not is_placeholder(value)


def _is_userinfo_password(value: str) -> bool:
    return not is_placeholder(value) and value.lower() not in {"pass", "password", "passwd", "secret", "pwd", "token"}


def _is_random(value: str) -> bool:
    return looks_random(value)


def _is_very_random(value: str) -> bool:
    return looks_random(value, bits=3.5)


def _always(_: str) -> bool:
    return True


_DOTTED_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_REACH_BEFORE = 48
# What stands between a name and its value; the value is only looked at, so that it may hold the next name.
_SET_TO = r"(?::=|=>|[:=：])(?=[ \t]{0,4}"
_START = r"(?<![A-Za-z0-9_+/-])"
_END = r"(?![A-Za-z0-9_+/-])"

SHAPES = (
    Shape(
        name="private-key",
        label="private key block",
        needles=("private key",),
        # The label of RFC 7468, then within reach a run of base64 that no example text has.
        pattern=re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----)[\s\S]){0,400}?[A-Za-z0-9+/]{32}"
        ),
        holds=_always,
    ),
    Shape(
        name="aws-access-token",
        label="AWS access key id",
        needles=("akia", "asia", "abia", "acca", "a3t"),
        pattern=re.compile(r"(?<![A-Za-z0-9+/])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9+/])"),
        holds=lambda value: entropy(value) >= 3 and not is_placeholder(value),
    ),
    Shape(
        name="secret-key-prefix",
        label="API key with the prefix sk-",
        needles=("sk-",),
        pattern=re.compile(_START + r"sk-(?!ant-)(?:[a-z0-9]{2,12}-){0,3}[A-Za-z0-9_-]{20,200}"),
        holds=_is_very_random,
    ),
    Shape(
        name="azure-ad-client-secret",
        label="Azure AD client secret",
        needles=("q~",),
        pattern=re.compile(r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"),
        holds=_is_very_random,
    ),
    Shape(
        name="square-secret",
        label="Square application secret",
        needles=("sq0csp-",),
        pattern=re.compile(_START + r"sq0csp-[A-Za-z0-9_-]{43}" + _END),
        holds=_is_random,
    ),
    Shape(
        name="alibaba-access-key-id",
        label="Alibaba Cloud access key id",
        needles=("ltai",),
        pattern=re.compile(_START + r"LTAI[A-Za-z0-9]{12,26}" + _END),
        holds=_is_random,
    ),
    Shape(
        name="tencent-cloud-secret-id",
        label="Tencent Cloud secret id",
        needles=("akid",),
        pattern=re.compile(_START + r"AKID[A-Za-z0-9]{32}" + _END),
        holds=_is_very_random,
    ),
    Shape(
        name="telegram-bot-api-token",
        label="Telegram bot token",
        needles=(":aa",),
        pattern=re.compile(r"(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}" + _END),
        holds=_is_very_random,
    ),
    Shape(
        name="jwt",
        label="JSON web token",
        needles=("eyj",),
        pattern=re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
        holds=_is_random,
    ),
    Shape(
        name="bearer-token",
        label="Bearer token",
        needles=("bearer",),
        pattern=re.compile(r"(?i)\bbearer[ \t]{1,4}([a-z0-9._~+/-]{16,}={0,2})"),
        holds=_is_very_random,
    ),
    Shape(
        name="authorization-header",
        label="Authorization header",
        needles=("authorization",),
        pattern=re.compile(_SET_TO + r"[\"']?(?i:token|apikey|api-key|key)[ =]([A-Za-z0-9._~+/-]{16,}={0,2}))"),
        before=re.compile(r"(?i)authorization[\"']?\s{0,4}\Z"),
        holds=_is_very_random,
    ),
    Shape(
        name="basic-credentials",
        label="Basic credentials",
        needles=("basic",),
        pattern=re.compile(r"(?i)\bbasic[ \t]{1,4}([a-z0-9+/]{8,}={0,2})"),
        holds=_is_basic_pair,
    ),
    Shape(
        name="credential-url",
        label="password inside a URL",
        needles=("://",),
        pattern=re.compile(r"://[^\s/:@\"'<>]{0,64}:([^\s/@\"'<>]{3,128})@[A-Za-z0-9\[]"),
        before=re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z"),
        holds=_is_userinfo_password,
    ),
    Shape(
        name="password-assignment",
        label="password beside its name",
        needles=("pass", "pwd", "密码", "口令"),
        pattern=re.compile(_SET_TO + r"(?:\"([^\"\n]{8,80})\"|'([^'\n]{8,80})'|([^\s\"'<>,;，。；(){}\[\]]{8,80})))"),
        before=re.compile(r"(?i)(?:pass(?:word|wd|phrase)|(?<![a-z])pwd|密码|口令)(?:[\"']?[ \t]{0,12}|\" value)\Z"),
        holds=_is_password,
        by_word=True,
    ),
    Shape(
        name="secret-assignment",
        label="secret beside its name",
        needles=("secret", "credential", "key", "token", "密钥", "令牌"),
        pattern=re.compile(r"(?::=|=>|[:=：]|[\"'],)(?=[ \t]{0,4}[\"']?([^\s\"'<>,;，。；]{16,256}))"),
        before=re.compile(
            r"(?i)(?:(?:client|app|api|auth|shared|signing)[_\- ]?secret(?:[_\- ]?key)?|"
            r"(?<![a-z])(?:secret|credentials?)|"
            r"(?:api|access|secret|private|account|auth)[_\- ]?key|"
            r"(?:api|access|auth|refresh|bearer|session|bot)[_\- ]?token|密钥|令牌)[\"']?[ \t]{0,12}\Z"
        ),
        holds=_is_random,
        by_word=True,
    ),
)


class CredentialShapes:
    """Finds what `SHAPES` describe: `SCAN-CRED:<name of the shape>`."""

    def find(self, text: str, form: Form) -> Iterator[Hit]:
        """Hits by shape, in the order of `SHAPES`."""
        lowered = text.lower()
        for shape in SHAPES:
            if shape.by_word and form == "notation":
                continue
            if any(needle in lowered for needle in shape.needles):
                yield from _hits(shape, text)


def _hits(shape: Shape, text: str) -> Iterator[Hit]:
    for match in shape.pattern.finditer(text):
        group = match.lastindex or 0
        before = text[max(0, match.start() - _REACH_BEFORE) : match.start()]
        if (shape.before is None or shape.before.search(before)) and shape.holds(match[group]):
            yield Hit(PREFIX + shape.name, f"credential: {shape.label}", match.start(group), match.end(group))
