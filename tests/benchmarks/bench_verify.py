"""Speed and peak memory of `verify` on small and large snapshots, side by side.

Run it with `python -m tests.benchmarks.bench_verify`.

Snapshots with a log, made by factories in a temporary directory, are verified in processes of their own, one and two
workers in turn, and the small one once more with its pages. Prints one JSON line a figure; peak memory is that of the
process that was started, and `growth` what ten times the runs add to it a run.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from publisher.mirror.given import Given
from publisher.mirror.mirror import verify_mirror
from publisher.rendering.site.build import build_site
from tests.factories import make_batch
from tests.factories.logged import write_logged_snapshot

REPEATS = 8
RUNS_A_BATCH = 12 * REPEATS
SMALL, LARGE = 5, 50
"""Batches."""
TRIALS = 2


def made(directory: Path, batches: int) -> Path:
    """A snapshot of so many batches."""
    write_logged_snapshot(directory, [make_batch(f"batch-{n:04d}", repeats=REPEATS) for n in range(batches)])
    return directory


def measured(directory: Path, workers: int) -> Mapping[str, float]:
    """Seconds and peak kilobytes of one verification in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_verify", str(directory), str(workers)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": "."})
    found: Mapping[str, float] = json.loads(ended.stdout)
    return found


def verify_once(directory: Path, workers: int) -> None:
    """Verifies and prints what it took."""
    start = time.perf_counter()
    found = verify_mirror(directory, Given(), workers=workers)
    seconds = time.perf_counter() - start
    if not found.holds:
        sys.exit("\n".join(map(str, found.differences)))
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(usage.ru_utime + usage.ru_stime for usage in spent)
    print(json.dumps({"runs": found.snapshot.runs, "seconds": seconds, "cpu": cpu, "peak_kb": peak_kilobytes()}))


def peak_kilobytes() -> int:
    """The most memory that this process held since it began; `ru_maxrss` would tell of its parent's too."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def report(places: Mapping[str, tuple[Path, int]]) -> None:
    """Takes turns, so that a busy moment of the machine meets all of them."""
    trials = [{name: measured(*place) for name, place in places.items()} for _ in range(TRIALS)]
    best = {name: min((trial[name] for trial in trials), key=lambda found: found["seconds"]) for name in places}
    for name, found in best.items():
        runs = found["runs"]
        line = {"runs": int(runs), "runs_per_s": round(runs / found["seconds"], 1), "cpu_s": round(found["cpu"], 1)}
        print(json.dumps({"figure": name, **line, "peak_mb": round(found["peak_kb"] / 1024, 1)}), flush=True)
    for workers in (1, 2):
        small, large = best[f"small_{workers}"], best[f"large_{workers}"]
        grown = (large["peak_kb"] - small["peak_kb"]) / (large["runs"] - small["runs"])
        figures = {
            "peak_ratio": round(large["peak_kb"] / small["peak_kb"], 3),
            "growth_kb_a_run": round(grown, 3),
            "speed_ratio": round(large["runs"] / large["seconds"] / (small["runs"] / small["seconds"]), 2),
        }
        print(json.dumps({"figure": f"large_to_small_{workers}", **figures}), flush=True)


def main() -> None:
    """Makes the snapshots, verifies them and prints the figures."""
    if len(sys.argv) == 3:
        verify_once(Path(sys.argv[1]), int(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as place:
        small, large = made(Path(place) / "small", SMALL), made(Path(place) / "large", LARGE)
        site = Path(place) / "site"
        build_site(small, site)
        report(
            {
                "small_1": (small, 1),
                "large_1": (large, 1),
                "small_2": (small, 2),
                "large_2": (large, 2),
                "small_site_1": (site, 1),
                "small_site_2": (site, 2),
            }
        )


if __name__ == "__main__":
    main()
