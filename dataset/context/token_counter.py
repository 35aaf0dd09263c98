"""A conservative token counter: never fewer tokens than the byte-level BPE tokenizers it was measured against.

Method, bounds and measurements: `docs/reference/token-counter.md`. The count is a pure function of the text. It is
monotone (adding text at the end never lowers it), additive within `ADDITIVE_SLACK`, and linear in time.
"""

import re
from bisect import bisect
from collections import Counter
from functools import lru_cache
from string import ascii_letters, digits

from dataset.context.token_classes import BRIDGE_COST, WordCosts, bridges, character_costs, word_costs

COUNTER_VERSION = "gb-tokens/1"
"""Changes whenever any text gets another count."""

ADDITIVE_SLACK = 24
"""`abs(count(a + b) - count(a) - count(b))` stays within this many tokens for any `a` and `b`."""

# Each ASCII character stands for its class: letters and the space for themselves, `0` a digit or control character
# (line ends and tabs too), `.` any other sign. `\x7f` then marks where characters outside ASCII stood.
_EDGE = "\x7f"
_CLASSES = "".join(
    c if c in ascii_letters + " " + _EDGE else "0" if c in digits or c < " " else "." for c in map(chr, range(128))
)
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_SUBWORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Many tokenizers put one token before every text; it also covers a token that bridges two of our pieces.
_START = 1
_SPACES_PER_TOKEN = 32
_RUN = "\t"
# A whole word costs at most 5 tokens less than its costliest prefix, and any two pieces stand for at least one token:
# what lies further back cannot hold the running maximum.
_LOOK_BACK = 16
_PART = 1 << 16
# The runs of a batch count the same prompts, questions, schemas and frozen replies again and again. Longer texts would
# make what is kept too large.
_REMEMBERED_LENGTH = 4096


def count_tokens(text: str) -> int:
    """Return an upper bound, in tokens, of what a real tokenizer makes of `text`; 0 for the empty string."""
    return _remembered(text) if len(text) <= _REMEMBERED_LENGTH else _count(text)


@lru_cache(maxsize=2048)
def _remembered(text: str) -> int:
    return _count(text)


def _count(text: str) -> int:
    if not text:
        return 0
    costs = word_costs()
    outside, text = _replace_foreign(text)
    signs, classes = _replace_signs(text)
    loose_end = classes.endswith(" ") and not classes.endswith("  ")
    spaces, classes = _collapse_spaces(classes)
    pieces, tail = _pieces(classes)
    words = sum(n * _piece_cost(piece, costs) for piece, n in pieces.items())
    letters = max(words + loose_end, _running_maximum(words, tail, costs))
    return _START + outside + signs + spaces + letters


def _replace_foreign(text: str) -> tuple[int, str]:
    """Return the cost of the characters outside ASCII and the text with an edge for each run of them."""
    text = text.replace(_EDGE, "\0")
    if text.isascii():
        return 0, text
    table = character_costs()
    chars = Counter("".join(_FOREIGN.findall(text)))
    cost = sum(n * (table.get(ord(c)) or len(c.encode("utf-8", "surrogatepass"))) for c, n in chars.items())
    return cost + BRIDGE_COST * len(bridges().findall(text)), _FOREIGN.sub(_EDGE, text)


def _replace_signs(text: str) -> tuple[int, str]:
    """Return the number of digits and signs, and the text as class characters."""
    if '"' in text:
        # Every measured tokenizer makes one token less of these four than they have signs; JSON is full of them.
        for seam in ('":"', '","'):
            text = text.replace(seam, '""')
        text = text.replace('": ', '" ').replace('", ', '" ')
    classes = text.translate(_CLASSES)
    return classes.count("0") + classes.count("."), classes


def _collapse_spaces(classes: str) -> tuple[int, str]:
    """Return the cost of spaces that no word or sign absorbs, and the classes with one space for each run."""
    cost = 0
    if "  " in classes:
        cost += classes.count(" " * _SPACES_PER_TOKEN)
        classes = classes.replace("  ", _RUN)
        while _RUN + _RUN in classes:
            classes = classes.replace(_RUN + _RUN, _RUN)
        classes = classes.replace(_RUN + " ", _RUN)
        cost += classes.count(_RUN)
        classes = classes.replace(_RUN, " ")
    # A space may take the first byte of what follows it outside ASCII, and so cost one token more.
    return cost + classes.count(" 0") + 2 * classes.count(" " + _EDGE), classes


def _pieces(classes: str) -> tuple[Counter[str], list[str]]:
    """Return the letter runs with their number, and the last ones in order.

    A piece that starts with a sign or the edge stood right behind one.
    """
    classes = classes.replace("0", ".").replace("..", ".").replace(".", " .")
    classes = _EDGE + classes.replace(_EDGE, _EDGE + " " + _EDGE)
    pieces: Counter[str] = Counter()
    start = 0
    # In parts: the pieces of a long text are slower to count when all of them lie in memory at once.
    while (end := classes.find(" ", start + _PART)) >= 0:
        pieces.update(classes[start:end].split(" "))
        start = end + 1
    pieces.update(classes[start:].split(" "))
    return pieces, classes.rsplit(" ", _LOOK_BACK)[-_LOOK_BACK:]


def _piece_cost(piece: str, costs: WordCosts) -> int:
    known = costs.after_space.get(piece)
    return _walk(piece, costs)[0] if known is None else known


def _walk(piece: str, costs: WordCosts) -> tuple[int, int]:
    """Return the cost of a piece's letters and the highest cost among their prefixes."""
    words = _SUBWORDS.findall(piece)
    if not words:
        return 0, 0
    last = words.pop()
    # Capitals before a capitalised word may be cut one letter further than they look: `EPA` + `c`, not `EP` + `Ac`.
    before = sum([_prefix_cost(word, costs.prefixes) + word.isupper() for word in words])
    highest = _prefix_cost(last, costs.prefixes)
    if piece[-1] == _EDGE:
        return before + highest, before + highest
    # Only a whole word's own cost is exact: before another letter a tokenizer may cut it elsewhere.
    exact = costs.glued if words or piece[0] in "." + _EDGE else costs.after_space
    total = before + exact.get(last, highest)
    return total, max(total, before + highest)


def _prefix_cost(word: str, prefixes: dict[str, int]) -> int:
    """Return the cost of the longest known prefix and one token for each further letter."""
    if word in prefixes:
        return prefixes[word]
    known = bisect(range(1, len(word)), False, key=lambda n: word[:n] not in prefixes)
    return prefixes[word[:known]] + len(word) - known


def _running_maximum(words: int, tail: list[str], costs: WordCosts) -> int:
    """Return the highest cost of letters among the prefixes of the text, of which `tail` holds the last pieces."""
    highest = words
    for piece in reversed(tail):
        total, peak = _walk(piece, costs)
        words -= total
        highest = max(highest, words + peak)
    return highest
