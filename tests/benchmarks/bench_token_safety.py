"""Undercounts of the token counter on hostile texts; run with `python -m tests.benchmarks.bench_token_safety`.

`--vocabulary` adds a tokenizer that the tables were not made from. Prints one JSON line a vocabulary.
"""

import argparse
import json
import random
from functools import partial
from pathlib import Path

from dataset.context.token_counter import COUNTER_VERSION, count_tokens
from tests.benchmarks.hostile_texts import KINDS
from tests.benchmarks.real_tokenizers import LOADERS, from_file


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_token_safety")
    parser.add_argument("--texts", type=int, default=500, help="texts of each kind")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--vocabulary", type=Path, action="append", default=[], help="a further tokenizer.json")
    options = parser.parse_args()
    further = {str(path): partial(from_file, path) for path in options.vocabulary}
    rng = random.Random(options.seed)
    texts = [kind(rng) for kind in KINDS.values() for _ in range(options.texts)]
    counts = [count_tokens(text) for text in texts]
    for name, load in (LOADERS | further).items():
        try:
            real = load().counts(texts)
        except LookupError:
            continue
        under = [text for text, ours, theirs in zip(texts, counts, real, strict=True) if ours < theirs]
        figure = {"vocabulary": name, "kinds": len(KINDS), "texts": len(texts), "undercounts": len(under)}
        print(
            json.dumps({"bench": "token_counter.safety", **figure, "examples": under[:3], "version": COUNTER_VERSION})
        )


if __name__ == "__main__":
    main()
