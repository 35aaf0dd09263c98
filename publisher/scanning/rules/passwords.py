"""Whether what stands where a password would is one: drawn at random, or a word that somebody chose."""

from __future__ import annotations

import re

from publisher.scanning.rules.randomness import entropy, is_placeholder

# Words and short figures between signs, two digits at most after a word: a key of a catalogue, a member of an object,
# a package and its version.
_STEP = r"(?:[A-Za-z]+\d{0,2}|\d{1,3})"
WORDED = re.compile(_STEP + r"(?:[._:/-]+" + _STEP + r")*[._:]?")
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z_-]*\d{0,2}(?:\.[A-Za-z_][A-Za-z_-]*\d{0,2})+")
CODE = re.compile(
    r"[A-Za-z_][\w.]*[()\[]|[(\[]|#[0-9a-fA-F]{3,8};?$|[$@]?\{|[a-z]{2,}:/|\.{0,2}/[\w.-]+(?:/|$)|/$|"
    r"[a-z]+(?:[-_.:/][a-z]+)+\d{0,3}$|[\w.]+:?</"
)
# What a form, a schema, a manual or a program writes where a password would stand.
_SAYS_NOTHING = frozenset((
    "abcd", "any", "auto", "basic", "bearer", "bool", "boolean", "char", "default", "disabled", "email", "empty",
    "enabled", "encrypted", "false", "field", "fixme", "foobar", "foobared", "forgot", "generated", "hash",
    "hashed", "hidden", "incorrect", "input", "integer", "invalid", "label", "login", "masked", "missing", "name",
    "nil", "none", "null", "number", "object", "off", "optional", "pass", "plain", "plaintext", "private", "prompt",
    "protected", "public", "required", "reset", "sample", "secret", "secrets", "show", "str", "string", "strong",
    "tbd", "test", "tests", "text", "title", "todo", "token", "true", "type", "undefined", "unknown", "user",
    "username", "value", "varchar", "void", "weak", "wrong", "yes",
))  # fmt: skip
_NAMES_ITSELF = re.compile(
    r"(?i)pass(?:w(?:or)?[dt]|phrase|code)|\b_?pwd|kennwort|contrase|senha|secret|token|credential"
)
_AFFIXED = re.compile(r"[\d\W_]{0,4}[A-Za-z]{3,}[\d\W_]{0,5}|\d+")
_WORDS = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*[_.:-]?\d{0,2}")
_IDENTIFIER = re.compile(
    r"[a-z]+(?:[A-Z][a-z]+)+|[A-Za-z]+(?:_[A-Za-z]+)+|[a-z]+(?:-[a-z]+)+|\w*\W?[A-Z]{2,}_[A-Z_]+\W?"
)
_ODD = re.compile(r"[0-9#$%^&*+=!@~?]")


def is_password(value: str) -> bool:
    """A password in use: eight characters or more, with a digit, an odd sign or letters that make no words; no
    placeholder, prose or code."""
    if len(value) < 8 or _DOTTED.fullmatch(value) or CODE.match(value) or is_placeholder(value):
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]"))
    is_odd = re.search(r"[0-9#$%^&*+=!@~]", value) or len(re.findall(r"[aeiouAEIOU]", value)) * 4 < len(value)
    says_so = _NAMES_ITSELF.search(value) and _WORDS.fullmatch(value)
    return kinds >= 2 and entropy(value) >= 2.8 and bool(is_odd) and not says_so


def is_chosen_word(value: str) -> bool:
    """A weak password: a word or figures that a person chose, and not what stands there in forms, schemas and code.
    To be asked only where a literal is set under the name of a password."""
    value = value.rstrip(").:")
    if len(value) < 4 or is_placeholder(value) or CODE.match(value) or _DOTTED.fullmatch(value):
        return False
    # Longer than a word and of few characters: typed to fill a field.
    if len(value) >= 8 and entropy(value) < 2.8 and not _AFFIXED.fullmatch(value):
        return False
    if value.lower() in _SAYS_NOTHING or _IDENTIFIER.fullmatch(value) or not re.search(r"[A-Za-z0-9]{3}", value):
        return False
    return not (_NAMES_ITSELF.search(value) and _WORDS.fullmatch(value))


def is_marked_word(value: str) -> bool:
    """The same for text without quotation marks around it, which may be prose or a name in code: six characters, with
    a digit or an odd sign beside letters."""
    return len(value) >= 6 and bool(_ODD.search(value)) and bool(re.search("[A-Za-z]", value)) and is_chosen_word(value)


def is_settled_word(value: str) -> bool:
    """The same after a sign without spaces, as in files of settings: six characters with a letter."""
    return len(value) >= 6 and bool(re.search("[A-Za-z]", value)) and is_chosen_word(value)


def is_handed_over(value: str) -> bool:
    """A password, at random or chosen, with a digit or an odd sign; no variable, path or word of prose."""
    return is_password(value) or is_marked_word(value)
