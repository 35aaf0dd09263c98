"""What a scan reports: rule, place and a masked excerpt, never the secret."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

SHOWN_CHARS = 4
SHOWN_SHARE = 4
# Below this length the mask with its length mark could be as long as what it hides.
SHORTEST_SHOWN = 8


def mask(secret: str) -> str:
    """The first quarter of `secret`, four characters at most, and its length: `AKIA…[20]`.

    The mask of a text of eight or more is shorter than the text, so it can't contain it; a shorter
    text is shown as `…` alone.
    """
    shown = secret[: min(SHOWN_CHARS, len(secret) // SHOWN_SHARE)]
    return (shown if shown.isprintable() else "") + hidden(secret) if len(secret) >= SHORTEST_SHOWN else "…"


def hidden(secret: str) -> str:
    """A mask that shows the length alone."""
    return f"…[{len(secret)}]" if len(secret) >= SHORTEST_SHOWN else "…"


def printable(text: str) -> str:
    """`text` with lone surrogates and control characters as backslash escapes, so that any terminal takes it."""
    safe = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in safe)


def conceal(text: str, secrets: Iterable[str]) -> str:
    """`text` with every one of `secrets` replaced by its mask, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret:
            text = text.replace(secret, mask(secret))
    return text


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that must not be published.

    `rule` is stable (`SCAN-ADDR-001`, `SCAN-CRED:github-pat`); `label` says what the rule looks for;
    `place` is `file:line` or `file#/json/pointer`, a further `#` entering JSON kept inside a string and
    ` (key)` meaning the name of the member; `excerpt` is masked.
    """

    rule: str
    label: str
    place: str
    excerpt: str

    def as_json(self) -> dict[str, str]:
        """The finding as a JSON object, for `--json` and `refusal.json`."""
        return asdict(self)
