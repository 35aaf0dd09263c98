"""Real tokenizers whose vocabularies lie in installed packages: nothing is downloaded, no package is imported."""

import base64
import gzip
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import tiktoken
from tokenizers import Tokenizer

Count = Callable[[str], int]

_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_TAIL = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_QWEN = _CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _TAIL
_CL100K = _CONTRACTION + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _TAIL


def _package_file(package: str, path: str) -> Path:
    spec = find_spec(package)
    folders = (spec.submodule_search_locations if spec else None) or []
    for folder in folders:
        if (Path(folder) / path).is_file():
            return Path(folder) / path
    raise LookupError(f"{package} with {path} is not installed; `uv sync --group test` brings it")


def _byte_pairs(name: str, pattern: str, ranks: dict[bytes, int]) -> Count:
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode_ordinary(text))


def _ranks(lines: bytes) -> dict[bytes, int]:
    pairs = (line.split() for line in lines.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _qwen() -> Count:
    file = _package_file("dashscope", "resources/qwen.tiktoken")
    return _byte_pairs("qwen", _QWEN, _ranks(file.read_bytes()))


def _cl100k() -> Count:
    file = _package_file("bpe_openai", "data/cl100k_base.tiktoken.gz")
    return _byte_pairs("cl100k", _CL100K, _ranks(gzip.decompress(file.read_bytes())))


def _tekken() -> Count:
    model = json.loads(_package_file("mistral_common", "data/tekken_240911.json").read_text("utf-8"))
    config = model["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(t["token_bytes"]): t["rank"] for t in model["vocab"][:size]}
    return _byte_pairs("tekken", config["pattern"], ranks)


def _claude() -> Count:
    tokenizer = Tokenizer.from_file(str(_package_file("anthropic", "tokenizer.json")))
    # This library refuses lone surrogates; every other one reads them as the replacement character.
    return lambda text: len(
        tokenizer.encode(
            text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), add_special_tokens=False
        ).ids
    )


LOADERS: dict[str, Callable[[], Count]] = {
    "qwen": _qwen,
    "cl100k": _cl100k,
    "tekken": _tekken,
    "claude": _claude,
}
"""Name → loader; a loader raises LookupError where its package is not installed."""
