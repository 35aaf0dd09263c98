"""How fast a site is built, what its pages weigh, and what a second build costs after one run has changed.

Run it with `python -m tests.benchmarks.bench_site [RUNS [MODELS]]`: 960 runs of three models by default; the site is
made for 10,000 of 200. It is built on a memory file system where there is one, and beside it the same
files are merely written. Prints one JSON line a figure.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from publisher.rendering.site import build_site
from tests.factories.large import large_batches
from tests.factories.logged import write_logged_snapshot
from tests.factories.released import Change, write_released

_MEMORY = Path("/dev/shm")


def measured(snapshot: Path, target: Path, cache: Path) -> Mapping[str, float]:
    """One build in a process of its own: pages, bytes, seconds, processor seconds, peak memory, jobs taken over."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_site", "--build", str(snapshot), str(target)]
    environment = {**os.environ, "PYTHONPATH": ".", "GLASSBENCH_CACHE_DIR": str(cache)}
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: Mapping[str, float] = json.loads(ended.stdout)
    return found


def build_once(snapshot: Path, target: Path) -> None:
    """Builds and prints what it took."""
    start = time.perf_counter()
    built = build_site(snapshot, target)
    seconds = time.perf_counter() - start
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(
        json.dumps(
            {
                "pages": built.pages,
                "bytes": built.bytes,
                "reused": built.reused,
                "seconds": round(seconds, 2),
                "pages_per_s": round(built.pages / seconds),
                "cpu_s": round(sum(usage.ru_utime + usage.ru_stime for usage in spent), 2),
                "peak_mb": round(max(usage.ru_maxrss for usage in spent) / 1024, 1),
            }
        )
    )


def merely_written(site: Path, target: Path) -> float:
    """Seconds that writing the same files takes, once they are in memory folder by folder."""
    start = time.perf_counter()
    reading = 0.0
    for folder, _, names in os.walk(site):
        place = target / Path(folder).relative_to(site)
        place.mkdir(parents=True, exist_ok=True)
        for name in names:
            began = time.perf_counter()
            data = (Path(folder) / name).read_bytes()
            reading += time.perf_counter() - began
            (place / name).write_bytes(data)
    return time.perf_counter() - start - reading


def weights(site: Path) -> Iterator[tuple[str, int, int]]:
    """The heaviest page of each folder: its name, raw bytes, and bytes as a host sends them with gzip."""
    heaviest: dict[str, Path] = {}
    for page in sorted(site.rglob("*.html")):
        kind = page.relative_to(site).parts[0] if page.parent != site else page.name
        if kind != "zh" and (kind not in heaviest or page.stat().st_size > heaviest[kind].stat().st_size):
            heaviest[kind] = page
    for page in heaviest.values():
        data = page.read_bytes()
        yield page.relative_to(site).as_posix(), len(data), len(gzip.compress(data, 6))


def report(runs: int, models: int) -> None:
    """Every figure, one JSON line each."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        batches = large_batches(runs, models)
        write_logged_snapshot(folder / "first", batches)
        for label in ("built", "built_again"):
            found = measured(folder / "first", folder / "site", folder / "cache")
            print(json.dumps({"figure": f"site_{label}", **found}), flush=True)
        written = merely_written(folder / "site", folder / "copy")
        print(json.dumps({"figure": "site_merely_written", "seconds": round(written, 2)}), flush=True)
        for page, raw, sent in weights(folder / "site"):
            print(json.dumps({"figure": "page_weight", "page": page, "raw": raw, "gzip": sent}), flush=True)
        assets = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in (folder / "site/assets").iterdir()}
        print(json.dumps({"figure": "assets_gzip", **assets}), flush=True)
        shutil.rmtree(folder / "copy")
        gone = Change(withdrawn={next(iter(batches[0].artifacts)): "Its fixture had the wrong day."})
        write_released(folder / "second", batches, gone, signers=[None] * (len(batches) + 1))
        found = measured(folder / "second", folder / "site", folder / "cache")
        print(json.dumps({"figure": "site_after_one_withdrawal", **found}), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--build"]:
        build_once(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        wanted = [int(number) for number in sys.argv[1:3]]
        report(*wanted, *(960, 3)[len(wanted) :])
