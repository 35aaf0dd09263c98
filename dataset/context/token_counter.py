"""A conservative token counter: never fewer tokens than the byte-level BPE tokenizers it was measured against.

Method, bounds and measurements: `docs/reference/token-counter.md`. The count is a pure function of the text. It is
monotone (adding text at the end never lowers it), additive within `ADDITIVE_SLACK`, and linear in time.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
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
_INK = "".join(c if c == " " else "x" for c in map(chr, range(128)))
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_SUBWORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SPACE_RUN = re.compile("  +")
# Many tokenizers put one token before every text; it also covers a token that bridges two of our pieces.
_START = 1
_SPACES_PER_TOKEN = 32
# A whole word costs at most 5 tokens less than its costliest prefix, and any two pieces stand for at least one token:
# what lies further back cannot hold the running maximum.
_LOOK_BACK = 16
_TAIL = 512
# No rule looks across these places (neither sign begins a pair of `bridges`), so a long text is counted in parts that
# the processor's cache can hold.
_CUT = re.compile(r"[^\x00-@\[-`{-\x7f](?=[\x00-@\[-`{-\x7f])|[0-9](?=[0-9])|[\u3002\uff0c](?=[^\x00-\x7f])")
_PART = 1 << 16
# Every measured tokenizer makes one token less of these four than they have signs; JSON is full of them.
_SEAMS = {'":"': '""', '","': '""', '": ': '" ', '", ': '" '}
# Where more than one character in so many is a sign, it is quicker to thin them out first.
_MANY_SIGNS = 8
_LONGEST_PREFIX = 16
# The runs of a batch count the same prompts, questions, schemas and frozen replies again and again. Longer texts would
# make what is kept too large.
_REMEMBERED_LENGTH = 4096
_KNOWN_COSTS = 1 << 16
_KNOWN_LENGTH = 32


class _Known(dict[str, int]):
    """Costs by text, worked out when first asked for; started anew when there are too many."""

    def __init__(self, cost: Callable[[str], int]) -> None:
        super().__init__()
        self._cost = cost

    def __missing__(self, text: str) -> int:
        cost = self._cost(text)
        if len(text) <= _KNOWN_LENGTH:
            if len(self) >= _KNOWN_COSTS:
                self.clear()
            self[text] = cost
        return cost


def count_tokens(text: str, on_progress: Callable[[int], None] | None = None) -> int:
    """Return an upper bound, in tokens, of what a real tokenizer makes of `text`; 0 for the empty string.

    `on_progress` is called with the number of characters counted so far; a short text ends without it.
    """
    return _remembered(text) if len(text) <= _REMEMBERED_LENGTH else _count(text, on_progress)


@lru_cache(maxsize=2048)
def _remembered(text: str) -> int:
    return _count(text)


def _count(text: str, on_progress: Callable[[int], None] | None = None) -> int:
    if not text:
        return 0
    total, done = _START, 0
    for part in _parts(text):
        total += _part_cost(part)
        done += len(part)
        if on_progress:
            on_progress(done)
    loose_end = text.endswith(" ") and not text.endswith("  ")
    return total + max(loose_end, _excess(_last_pieces(text)))


def _parts(text: str) -> Iterator[str]:
    """Return the text in parts that cost together what it costs."""
    start = 0
    while cut := _CUT.search(text, start + _PART):
        yield text[start : cut.end()]
        start = cut.end()
    yield text[start:]


def _part_cost(text: str) -> int:
    """Return the tokens of a part: its letters' as they stand, not the highest among its prefixes."""
    outside, text = _replace_foreign(text)
    classes = text.translate(_CLASSES)
    cost = outside
    if "0" in classes:
        cost += classes.count(" 0")
        classes = classes.replace("0", ".")
    if "  " in classes:
        ink = classes.translate(_INK)
        cost += ink.count(" " * _SPACES_PER_TOKEN) + ink.count("  x") + ink.endswith("  ")
    if outside:
        # A space may take the first byte of what follows it outside ASCII, and so cost one token more.
        cost += 2 * classes.count(" " + _EDGE)
    signs = classes.count(".")
    if '"' in text:
        cost -= sum(map(text.count, _SEAMS))
    if signs > len(classes) // _MANY_SIGNS:
        classes = classes.replace("..", ".")
    return cost + signs + sum(map(_piece_costs().__getitem__, _marked(classes).split()))


def _replace_foreign(text: str) -> tuple[int, str]:
    """Return the cost of the characters outside ASCII and the text with an edge for each run of them."""
    text = text.replace(_EDGE, "\0")
    if text.isascii():
        return 0, text
    runs = _EDGE.join(_FOREIGN.findall(text))
    cost = sum(map(_foreign_costs().__getitem__, runs))
    return cost + BRIDGE_COST * len(bridges().findall(runs)), _FOREIGN.sub(_EDGE, text)


@cache
def _foreign_costs() -> _Known:
    table = character_costs()
    return _Known(lambda c: 0 if c == _EDGE else table.get(ord(c)) or len(c.encode("utf-8", "surrogatepass")))


def _marked(classes: str) -> str:
    """Return the classes with spaces between the letter runs.

    A piece that starts with a sign or the edge stood right behind one.
    """
    return _EDGE + classes.replace(".", " .").replace(_EDGE, _EDGE + " " + _EDGE)


def _last_pieces(text: str) -> list[str]:
    """Return the last pieces in order."""
    size = _TAIL
    while size < len(text):
        cut = _CUT.search(text, len(text) - size)
        pieces = _pieces(text[cut.end() :]) if cut else []
        if len(pieces) > _LOOK_BACK:
            return pieces[-_LOOK_BACK:]
        size *= 8
    return _pieces(text)[-_LOOK_BACK:]


def _pieces(text: str) -> list[str]:
    """Return the last pieces in order and before them, as one, what comes earlier."""
    text = _FOREIGN.sub(_EDGE, text.replace(_EDGE, "\0"))
    for seam, signs in _SEAMS.items():
        text = text.replace(seam, signs)
    classes = _SPACE_RUN.sub(" ", text.translate(_CLASSES).replace("0", ".").replace("..", "."))
    return _marked(classes).rsplit(" ", _LOOK_BACK)


@cache
def _piece_costs() -> _Known:
    costs = word_costs()
    exact = costs.after_space.get

    def cost(piece: str) -> int:
        known = exact(piece)
        return _walk(piece, costs)[0] if known is None else known

    return _Known(cost)


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
    known = min(len(word) - 1, _LONGEST_PREFIX)
    while word[:known] not in prefixes:
        known -= 1
    return prefixes[word[:known]] + len(word) - known


@lru_cache(maxsize=4096)
def _remembered_walk(piece: str) -> tuple[int, int]:
    return _walk(piece, word_costs())


def _excess(tail: list[str]) -> int:
    """Return by how much a prefix of the text, of which `tail` holds the last pieces, may cost more in letters."""
    excess = words = 0
    for piece in reversed(tail):
        total, peak = _remembered_walk(piece) if len(piece) <= _KNOWN_LENGTH else _walk(piece, word_costs())
        words -= total
        excess = max(excess, words + peak)
    return excess
