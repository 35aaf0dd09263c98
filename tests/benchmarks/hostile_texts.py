"""Kinds of generated text that a token counter is likely to undercount: each takes a random source, returns a text."""

import base64
import string
from collections.abc import Callable
from functools import cache
from random import Random

from dataset.context.token_classes import character_costs, word_costs

Kind = Callable[[Random], str]


@cache
def _words() -> list[str]:
    return list(word_costs().after_space)


@cache
def _prefixes() -> list[str]:
    return list(word_costs().prefixes)


@cache
def _characters(most: int) -> list[str]:
    return [chr(code) for code, cost in character_costs().items() if cost <= most]


def _joined(glue: str, most: int = 4) -> Kind:
    return lambda rng: rng.choice(glue or [""]).join(rng.choices(_words(), k=rng.randint(2, most)))


def _drawn(alphabet: str, most: int) -> Kind:
    return lambda rng: "".join(rng.choices(alphabet, k=rng.randint(1, most)))


def _span(first: int, last: int, most: int, spaces: int = 0) -> Kind:
    """Return a kind made of one block of characters and of spaces, of which there are `spaces` in a hundred."""
    chars = [chr(code) for code in range(first, last + 1)]
    return lambda rng: "".join(
        " " if rng.randrange(100) < spaces else rng.choice(chars) for _ in range(rng.randint(1, most))
    )


def _humps(rng: Random) -> str:
    words = rng.choices(_words(), k=rng.randint(2, 4))
    return "".join(word.capitalize() if rng.random() < 0.5 else word for word in words)


def _listed(most: int, cost: int) -> Kind:
    return lambda rng: "".join(rng.choices(_characters(cost), k=rng.randint(1, most)))


def _any_plane(rng: Random) -> str:
    blocks = [(0, 127), (0x80, 0x24F), (0x250, 0x1FFF), (0x2000, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x1FFFF)]
    return "".join(chr(rng.randint(*rng.choice(blocks))) for _ in range(rng.randint(1, 8)))


def _mixed(rng: Random) -> str:
    draws = (
        lambda: rng.choice(_words()),
        lambda: " ",
        lambda: rng.choice(_characters(9)),
        lambda: rng.choice(string.printable),
        lambda: chr(rng.randint(0x80, 0x24F)),
    )
    return "".join(rng.choice(draws)() for _ in range(rng.randint(1, 8)))


def _accents(rng: Random) -> str:
    letters = rng.choices(string.ascii_letters + " ", k=rng.randint(1, 12))
    return "".join(letter + rng.choice(("", chr(rng.randint(0x300, 0x36F)))) for letter in letters)


KINDS: dict[str, Kind] = {
    "one word": lambda rng: rng.choice(_words()),
    "words": _joined(" "),
    "words with signs": _joined("_.-/"),
    "words run together": _joined(""),
    "humps": _humps,
    "prefix": lambda rng: rng.choice(_prefixes()),
    "prefix and letters": lambda rng: rng.choice(_prefixes()) + _drawn(string.ascii_lowercase, 3)(rng),
    "small letters": _drawn(string.ascii_lowercase, 12),
    "letters": _drawn(string.ascii_letters, 20),
    "printable": _drawn(string.printable, 20),
    "signs": _drawn(string.punctuation + " \n", 6),
    "json signs": _drawn("\",:{}[]\\' a1\n", 8),
    "base64": lambda rng: base64.b64encode(rng.randbytes(rng.randint(1, 60))).decode(),
    "hexadecimal": lambda rng: rng.randbytes(rng.randint(1, 30)).hex(),
    "white space": _drawn("        \n\n\n\t\t\ra.1", 20),
    "listed characters": _listed(6, 9),
    "one-token characters": _listed(4, 1),
    "any plane": _any_plane,
    "mixed": _mixed,
    "accented letters": _drawn(string.ascii_letters + "éèüöäñçãøåßœłşžćńáíóúêâîôû ", 14),
    "combining accents": _accents,
    "Cyrillic": _span(0x410, 0x44F, 12, spaces=20),
    "Arabic": _span(0x600, 0x6FF, 12, spaces=15),
    "Devanagari": _span(0x900, 0x97F, 12),
    "Thai": _span(0xE01, 0xE5B, 12),
    "kana": _span(0x3041, 0x30FF, 8),
    "Han": _span(0x4E00, 0x9FFF, 6),
    "Hangul": _span(0xAC00, 0xD7A3, 6),
    "emoji": _drawn("\u200d\ufe0f\u2764" * 100 + "".join(map(chr, range(0x1F300, 0x1FB00))), 8),
    "private use": _span(0xE000, 0xF8FF, 5),
}
