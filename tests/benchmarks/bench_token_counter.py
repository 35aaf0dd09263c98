"""Speed of the token counter beside a real tokenizer's; run with `python -m tests.benchmarks.bench_token_counter`.

As every module here, prints one JSON line a figure: `bench`, the figure with its unit in the name, and what it is
measured against in the same run.
"""

import json
import random
import string
import time
from collections.abc import Callable

from engine.context.token_counter import COUNTER_VERSION, count_tokens
from tests.benchmarks.real_tokenizers import LOADERS

_PROSE = (
    "the client asked whether a fund with a higher fee would still suit her plan, and the adviser said that past "
    "returns do not promise future ones; he then listed three risks and a cheaper choice."
)
_WORDS = _PROSE.split()


def _texts(size: int) -> dict[str, str]:
    rng = random.Random(20)
    rows = [{"id": n, "name": rng.choice(_WORDS), "amount": rng.randrange(10**6) / 100} for n in range(size // 60)]
    return {
        "ascii": " ".join(rng.choices(_WORDS, k=size // 5)),
        "json": json.dumps(rows, indent=2),
        "random_letters": "".join(rng.choices(string.ascii_letters + " ", k=size // 10)),
        "chinese": "基金的单位净值每天公布一次，投资者可以在开放日申购或赎回。" * (size // 90),
    }


def _mb_per_s(count: Callable[[str], int], text: str, repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        count(text)
        best = min(best, time.perf_counter() - start)
    return len(text.encode()) / best / 1e6


def main() -> None:
    real = {}
    for name, load in LOADERS.items():
        try:
            real[name] = load()
        except LookupError:
            continue
    count_tokens("warm")
    for label, text in _texts(8_000_000).items():
        ours = _mb_per_s(count_tokens, text)
        part = text[:500_000]
        ratios = {name: round(ours / _mb_per_s(count, part, 1), 1) for name, count in real.items()}
        figure = {"mb_per_s": round(ours, 1), "ratio_to": ratios, "version": COUNTER_VERSION}
        print(json.dumps({"bench": f"token_counter.{label}", **figure}))


if __name__ == "__main__":
    main()
