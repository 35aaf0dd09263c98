"""Speed and sharpness of the scan before publishing; run with `python -m tests.benchmarks.bench_scanning`.

The tree holds artifacts with the shape of real ones: digests anew in each, everything else as in `showcase-data`. Speed
stands beside what reading the files and hashing them takes in the same run, best of three: by the clock, and by the
processor time of all threads, which other work on the machine changes little. Prints JSON lines.
"""

import argparse
import hashlib
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from publisher.scanning.scanner import Scanner, default_scanner
from tests.unit.publisher.scanning.forms import CORPUS, FORMS, holds_no_value, labelled

RUNS = Path(__file__).resolve().parents[2] / "showcase-data" / "runs"
SIZE = 20_000
_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bench_scanning")
    parser.add_argument("--artifacts", type=int, default=5000)
    options = parser.parse_args()
    scanner = default_scanner()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "runs"
        size = _write(tree, options.artifacts)
        hashing, scanning = _seconds(lambda: _hashed(tree)), _seconds(lambda: _scanned(scanner, tree))
        found = _scanned(scanner, tree)
    speed = {"megabytes": round(size / 1e6, 1), "files": options.artifacts, "findings": found}
    speed |= {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    for name, (clock, processor) in {"scan": scanning, "read_and_sha256": hashing}.items():
        speed |= {f"{name}_mb_s": round(size / 1e6 / clock, 1), f"{name}_mb_cpu_s": round(size / 1e6 / processor, 1)}
    print(json.dumps({"bench": "scanning.speed", **speed}))
    if CORPUS.exists():
        for form in FORMS:
            print(json.dumps({"bench": "scanning.labelled", "form": form, **_flagged(scanner, form)}))


def _write(tree: Path, artifacts: int) -> int:
    """Writes that many artifacts of about `SIZE` bytes; their bytes in all."""
    tree.mkdir()
    models = [text for text in map(_cut, sorted(RUNS.iterdir())) if 0.75 * SIZE < len(text.encode()) < 1.3 * SIZE]
    rng = random.Random(20)
    for number in range(artifacts):
        text = _DIGEST.sub(lambda _: f"{rng.getrandbits(256):064x}", models[number % len(models)])
        (tree / f"run-{number:05}.json").write_text(text, encoding="utf-8")
    return sum(path.stat().st_size for path in tree.iterdir())


def _cut(path: Path) -> str:
    """The artifact of a run, less items and steps until it is small enough."""
    run = json.loads(path.read_bytes())
    for row in (run["context"]["items"], run["visible_tools"], run["steps"]):
        while isinstance(row, list) and len(row) > 1 and len(_text(run).encode()) > SIZE:
            row.pop()
    return _text(run)


def _text(run: object) -> str:
    return json.dumps(run, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """The least of three runs, by the clock and in processor time."""
    runs = []
    for _ in range(3):
        clock, processor = time.perf_counter(), time.process_time()
        work()
        runs.append((time.perf_counter() - clock, time.process_time() - processor))
    return min(clock for clock, _ in runs), min(processor for _, processor in runs)


def _hashed(tree: Path) -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return len(list(pool.map(lambda path: hashlib.sha256(path.read_bytes()).digest(), sorted(tree.iterdir()))))


def _scanned(scanner: Scanner, tree: Path) -> int:
    """The number of findings."""
    return sum(1 for _ in scanner.scan_path(tree))


def _flagged(scanner: Scanner, form: str) -> dict[str, float | int]:
    """Recall and false positives, any finding being one, as the labels have it; and how many of the strings that were
    missed hold no value that could be found (`holds_no_value`)."""
    seen: dict[str, list[bool]] = {"secret": [], "clean": []}
    missed = []
    for text, label in labelled():
        found = scanner.scan_bytes(FORMS[form](text).encode(), "")
        seen[label].append(bool(found))
        if label == "secret" and not found:
            missed.append(text)
    secrets, clean = seen["secret"], seen["clean"]
    return {
        "found": sum(secrets),
        "secrets": len(secrets),
        "recall": round(sum(secrets) / len(secrets), 3),
        "missed": len(missed),
        "missed_without_a_value": sum(map(holds_no_value, missed)),
        "flagged": sum(clean),
        "clean": len(clean),
    }


if __name__ == "__main__":
    main()
