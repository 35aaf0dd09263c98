"""Speed of the token counter beside real tokenizers'; run with `python -m tests.benchmarks.bench_token_counter`.

As every module here, prints one JSON line a figure: `bench`, the figure with its unit in the name, and what it is
measured against in the same run. Times are processor time, the best of several turns, and of a long text nothing is
remembered from before; `time_of_4_times_the_text` is 4 where time is linear. `--against FILE` names another version's
`token_counter.py`: it takes turns with the present one on the same texts, and its counts must be the same.
"""

import argparse
import base64
import inspect
import json
import random
import string
import tarfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from dataset.context import token_counter
from dataset.context.token_classes import word_costs
from tests.benchmarks.real_tokenizers import LOADERS

_PROSE = (
    "the client asked whether a fund with a higher fee would still suit her plan, and the adviser said that past "
    "returns do not promise future ones; he then listed three risks and a cheaper choice."
)
_WORDS = _PROSE.split()
_SHORT = {"question": 200, "schema": 600, "reply": 3000}
_SHORT_TEXTS = 200
# Of short texts, many are counted in a process: there what single words cost is remembered, and whole texts are not.
_LONG = 100_000


def _prose(rng: random.Random, words: int) -> str:
    """Return sentences in lines of many known words, as frequent as the law of Zipf and Mandelbrot says."""
    known = [word for word in word_costs().after_space if word.islower() and len(word) > 1]
    rng.shuffle(known)
    drawn = rng.choices(_WORDS + known, [1 / (n + 2.7) for n in range(len(_WORDS) + len(known))], k=words)
    sentences = (" ".join(drawn[n : n + 13]).capitalize() + "." for n in range(0, words, 13))
    return "".join(f"{sentence}\n" if n % 4 == 3 else f"{sentence} " for n, sentence in enumerate(sentences))


def _texts(size: int) -> dict[str, str]:
    rng = random.Random(20)
    rows = [{"id": n, "name": rng.choice(_WORDS), "amount": rng.randrange(10**6) / 100} for n in range(size // 60)]
    code = inspect.getsource(tarfile)
    letters = string.ascii_letters + " "
    return {
        "ascii": " ".join(rng.choices(_WORDS, k=size // 5)),
        "prose": _prose(rng, size // 6),
        "code": code * (size // 4 // len(code)),
        "json": json.dumps(rows, indent=2),
        "compact_json": json.dumps(rows, separators=(",", ":")),
        "digits": "".join(rng.choices(string.digits, k=size // 4)),
        "base64": base64.encodebytes(rng.randbytes(size // 10)).decode(),
        "random_letters": "".join(rng.choices(letters, k=size // 10)),
        "chinese": "基金的单位净值每天公布一次，投资者可以在开放日申购或赎回。" * (size // 90),
        "emoji": "well done \U0001f44d\U0001f3fd and \U0001f469\u200d\U0001f469\u200d\U0001f467 " * (size // 100),
    }


def _counter(module: ModuleType) -> Callable[[str], int]:
    """Return the module's count of one text for which nothing was remembered."""
    known = [getattr(module, name)() for name in ("_piece_costs", "_foreign_costs") if hasattr(module, name)]

    def count(text: str) -> int:
        module._remembered.cache_clear()
        if len(text) > _LONG:
            for costs in known:
                costs.clear()
        return int(module.count_tokens(text))

    return count


def _seconds(timed: Sequence[Callable[[], object]], turns: int = 5) -> list[float]:
    """Return the processor time each takes at best; they take turns, so that load falls on all alike."""
    best = [float("inf")] * len(timed)
    for _ in range(turns):
        for n, run in enumerate(timed):
            start = time.process_time()
            run()
            best[n] = min(best[n], time.process_time() - start)
    return best


def _count_all(counter: Callable[[str], int], texts: Sequence[str]) -> None:
    for text in texts:
        counter(text)


def _mb_per_s(text: str, seconds: float) -> float:
    return len(text.encode()) / seconds / 1e6


def _print_long(
    label: str, text: str, counters: Sequence[Callable[[str], int]], real: dict[str, Callable[[str], int]]
) -> None:
    quarter, part = text[: len(text) // 4], text[:500_000]
    timed = [partial(counters[0], text), partial(counters[0], quarter), *(partial(c, text) for c in counters[1:])]
    whole_s, quarter_s, *other_s = _seconds(timed)
    ours = _mb_per_s(text, whole_s)
    figure = {"mb_per_s": round(ours, 1), "mb": round(len(text.encode()) / 1e6, 1)}
    figure["mb_per_s_of_a_quarter"] = round(_mb_per_s(quarter, quarter_s), 1)
    figure["time_of_4_times_the_text"] = round(whole_s / quarter_s, 2)
    for seconds in other_s:
        figure["mb_per_s_against"] = round(_mb_per_s(text, seconds), 1)
        figure["times_as_fast"] = round(seconds / whole_s, 2)
    ratios = {
        name: round(ours / _mb_per_s(part, *_seconds([partial(count, part)], 1)), 1) for name, count in real.items()
    }
    _print(f"token_counter.{label}", {**figure, "ratio_to": ratios})


def _print_short(label: str, text: str, counters: Sequence[Callable[[str], int]]) -> None:
    for kind, size in _SHORT.items():
        texts = [text[n * size : (n + 1) * size] for n in range(_SHORT_TEXTS)]
        seconds = _seconds([partial(_count_all, counter, texts) for counter in counters])
        names = ("us_per_text", "us_per_text_against")
        figure = {name: round(s / len(texts) * 1e6, 1) for name, s in zip(names, seconds, strict=False)}
        _print(f"token_counter.{label}.{kind}", {"characters": size, **figure})


def _print(bench: str, figure: dict[str, object]) -> None:
    print(json.dumps({"bench": bench, **figure, "version": token_counter.COUNTER_VERSION}), flush=True)


def _module_at(path: Path) -> ModuleType:
    spec = spec_from_file_location("token_counter_against", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _real_tokenizers() -> dict[str, Callable[[str], int]]:
    real = {}
    for name, load in LOADERS.items():
        try:
            real[name] = load().count
        except LookupError:
            continue
    return real


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_token_counter")
    parser.add_argument("--against", type=Path, help="another version's token_counter.py")
    parser.add_argument("--without-real", action="store_true", help="leave the real tokenizers out; they are slow")
    options = parser.parse_args()
    modules = [token_counter, *([_module_at(options.against)] if options.against else [])]
    real = {} if options.without_real else _real_tokenizers()
    counters = [_counter(module) for module in modules]
    for label, text in _texts(8_000_000).items():
        if len({count(text) for count in counters}) > 1:
            raise SystemExit(f"{label}: the versions count differently")
        _print_long(label, text, counters, real)
        if label in ("prose", "code", "json", "chinese"):
            _print_short(label, text, counters)


if __name__ == "__main__":
    main()
