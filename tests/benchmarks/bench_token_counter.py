"""Speed of the token counter beside real tokenizers'; run with `python -m tests.benchmarks.bench_token_counter`.

As every module here, prints one JSON line a figure: `bench`, the figure with its unit in the name, and what it is
measured against in the same run. Times are processor time; `time_of_4_times_the_text` is 4 where time is linear.
"""

import json
import random
import string
import time
from collections.abc import Callable, Sequence

from dataset.context.token_counter import COUNTER_VERSION, count_tokens
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


def _seconds(count: Callable[[str], int], texts: Sequence[str], repeats: int = 3) -> list[float]:
    """Return the processor time each text takes at best; the texts take turns, so that load falls on all alike."""
    best = [float("inf")] * len(texts)
    for _ in range(repeats):
        for n, text in enumerate(texts):
            start = time.process_time()
            count(text)
            best[n] = min(best[n], time.process_time() - start)
    return best


def _mb_per_s(text: str, seconds: float) -> float:
    return len(text.encode()) / seconds / 1e6


def main() -> None:
    real = {}
    for name, load in LOADERS.items():
        try:
            real[name] = load().count
        except LookupError:
            continue
    count_tokens("warm")
    for label, text in _texts(8_000_000).items():
        quarter, part = text[: len(text) // 4], text[:500_000]
        whole_s, quarter_s = _seconds(count_tokens, [text, quarter])
        ours = _mb_per_s(text, whole_s)
        figure = {"mb_per_s": round(ours, 1), "mb": round(len(text.encode()) / 1e6, 1)}
        figure["mb_per_s_of_a_quarter"] = round(_mb_per_s(quarter, quarter_s), 1)
        figure["time_of_4_times_the_text"] = round(whole_s / quarter_s, 2)
        ratios = {name: round(ours / _mb_per_s(part, *_seconds(count, [part], 1)), 1) for name, count in real.items()}
        print(
            json.dumps({"bench": f"token_counter.{label}", **figure, "ratio_to": ratios, "version": COUNTER_VERSION}),
            flush=True,
        )


if __name__ == "__main__":
    main()
