"""Texts with drawn parts: `{A36}` stands for thirty-six random letters and digits, so that no file holds a secret."""

from __future__ import annotations

import re
import string
from base64 import b64encode
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from uuid import UUID

LETTERS = string.ascii_letters + string.digits
ALPHABETS: Mapping[str, str] = MappingProxyType(
    {
        "A": LETTERS,
        "L": string.ascii_lowercase + string.digits,
        "U": string.ascii_uppercase + string.digits,
        "T": string.ascii_uppercase + "234567",
        "h": "0123456789abcdef",
        "H": "0123456789ABCDEF",
        "d": string.digits,
        "b": LETTERS + "+/",
        "u": LETTERS + "-_",
        "P": LETTERS + "!#%*+=?@_",
        "q": "qpzry9x8gf2tvdw0s3jn54khce6mua7l".upper(),
        "w": LETTERS.translate(str.maketrans("", "", "0OIl")),
        "s": string.ascii_lowercase,
    }
)
WEAK = ("letmein", "hunter", "dragon", "sunshine", "welcome", "monkey", "trustno", "shadow", "iloveyou", "superman")
_PART = re.compile(r"\{(?:(?P<kind>[AULThHdbuPqws])(?P<size>\d+)|(?P<named>uuid|weak|pair|block|key|seed))\}")


def filled(template: str, random: Random) -> str:
    """`template` with its parts drawn. `¦` stands where a prefix that scanners know is cut, and is left out.

    Kinds: those of `ALPHABETS` with a size; `uuid`; `weak`, a word and perhaps a figure; `pair`, `user:password` in
    base64; `block`, wrapped base64; `key`, 32 bytes in base64; `seed`, twelve words.
    """
    return _PART.sub(lambda part: _drawn(part, random), template.replace("¦", ""))


def _drawn(part: re.Match[str], random: Random) -> str:
    return _MADE[part["named"]](random) if part["named"] else _row(ALPHABETS[part["kind"]], int(part["size"]), random)


def _row(alphabet: str, size: int, random: Random) -> str:
    """One of each kind of character that the alphabet has stands in it, as in nearly every longer draw."""
    drawn = random.choices(alphabet, k=size)
    kinds = [
        kind for kind in (string.ascii_lowercase, string.ascii_uppercase, string.digits) if set(kind) & set(alphabet)
    ]
    for place, kind in zip(random.sample(range(size), min(size, len(kinds))), kinds, strict=False):
        drawn[place] = random.choice([char for char in kind if char in alphabet])
    return "".join(drawn)


def _weak(random: Random) -> str:
    word = random.choice(WEAK)
    return random.choice([word, word.title(), word.upper()]) + random.choice(["", "1", "99", "123", "!"])


def _block(random: Random) -> str:
    return "\n".join(_row(ALPHABETS["b"], 64, random) for _ in range(8))


_SEED_WORDS = (
    "abandon", "legal", "winner", "thank", "year", "wave", "sausage", "worth", "useful", "letter", "advice", "cage",
    "absurd", "amount", "doctor", "acoustic", "avoid", "zoo", "vessel", "ladder", "gravity", "orbit", "canyon",
    "velvet",
)  # fmt: skip
_MADE: Mapping[str, Callable[[Random], str]] = MappingProxyType(
    {
        "uuid": lambda random: str(UUID(int=random.getrandbits(128), version=4)),
        "weak": _weak,
        "pair": lambda random: b64encode(f"app:{_row(LETTERS, 14, random)}".encode()).decode(),
        "block": _block,
        "key": lambda random: b64encode(random.randbytes(32)).decode(),
        "seed": lambda random: " ".join(random.sample(_SEED_WORDS, 12)),
    }
)
