"""How fast a site is built, what its pages weigh, and what a second build costs after one run has changed.

Run it with `python -m tests.benchmarks.bench_site [RUNS [MODELS]]`: 960 runs of three models by default; the site is
made for 10,000 of 200. It is built on a memory file system where there is one, and on the disk of the folder for
temporary files; each time the same files are merely written beside it, right after. Prints one JSON line a figure.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from jinja2 import Environment

from publisher.rendering.site.build import build_site
from publisher.rendering.site.directory import NewSite
from tests.factories.large import large_batches
from tests.factories.logged import write_logged_snapshot
from tests.factories.released import Change, write_released

_MEMORY = Path("/dev/shm")
_LOOK_SECONDS = 0.25
_PLAIN_PAGE = "<!doctype html><table>{% for row in rows %}<tr><td>{{ row.a }}<td>{{ row.b }}{% endfor %}</table>"


def measured(snapshot: Path, target: Path, cache: Path) -> Mapping[str, Any]:
    """One build in a process of its own: pages, bytes, seconds until all of it is on the disk, processor seconds, parts
    made and taken over, and the most memory: of one process, and of all together (what they share counted once)."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_site", "--build", str(snapshot), str(target)]
    environment = {**os.environ, "PYTHONPATH": ".", "GLASSBENCH_CACHE_DIR": str(cache)}
    together = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        while process.poll() is None:
            together = max(together, _together(process.pid))
            time.sleep(_LOOK_SECONDS)
        assert process.stdout is not None
        found: dict[str, Any] = json.loads(process.stdout.read())
    return {**found, "peak_together_mb": round(together, 1)}


def _together(pid: int) -> float:
    """MB of a process and its children, by their proportional set sizes; 0 where the system doesn't tell."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return sum(map(_proportional, (str(pid), *children))) / 1024
    except OSError:
        return 0.0


def _proportional(pid: str) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)


def build_once(snapshot: Path, target: Path) -> None:
    """Builds and prints what it took."""
    os.sync()
    start = time.perf_counter()
    with written_in() as writing:
        built = build_site(snapshot, target)
    os.sync()
    seconds = time.perf_counter() - start
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(usage.ru_utime + usage.ru_stime for usage in spent)
    figures = {
        "pages": built.pages,
        "bytes": built.bytes,
        "made": built.made,
        "reused": built.reused,
        "seconds": round(seconds, 2),
        "writing_s": round(sum(writing), 2),
        "pages_per_s": round(built.pages / seconds),
        "cpu_s": round(processor, 2),
        "pages_per_cpu_s": round(built.pages / processor),
        "peak_mb": round(max(usage.ru_maxrss for usage in spent) / 1024, 1),
    }
    print(json.dumps(figures))


@contextmanager
def written_in() -> Iterator[list[float]]:
    """The seconds that a build spends on writing or linking each file of its site; the archive is made meanwhile."""
    seconds: list[float] = []
    put, take_over = NewSite.put, NewSite.take_over

    def timed(call: Callable[..., int]) -> Callable[..., int]:
        def called(*given: Any) -> int:
            start = time.perf_counter()
            size = call(*given)
            seconds.append(time.perf_counter() - start)
            return size

        return called

    with patch.multiple(NewSite, put=timed(put), take_over=timed(take_over)):
        yield seconds


def merely_written(site: Path, target: Path) -> float:
    """Seconds that writing the same files takes until they are on the disk, the reading left out."""
    os.sync()
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
    os.sync()
    return time.perf_counter() - start - reading


def plain_pages_per_cpu_s() -> int:
    """Pages of about 8 KB that Jinja2 alone makes in a processor second: how fast the machine is right now."""
    template = Environment(autoescape=True).from_string(_PLAIN_PAGE)
    rows = [{"a": f"model-{number}", "b": f"{number} of 1,000 passed, {number * 7} tokens"} for number in range(140)]
    start, pages = time.process_time(), 0
    while time.process_time() - start < 1:
        template.render(rows=rows)
        pages += 1
    return pages


def weights(site: Path) -> Iterator[tuple[str, int, int]]:
    """The heaviest page of each folder: its name, raw bytes, and bytes as a host sends them with gzip."""
    heaviest: dict[str, Path] = {}
    for page in sorted(site.rglob("*.html")):
        kind = page.relative_to(site).parts[0] if page.parent != site else page.name
        if kind != "zh" and (kind not in heaviest or page.stat().st_size > heaviest[kind].stat().st_size):
            heaviest[kind] = page
    for page in heaviest.values():
        yield page.relative_to(site).as_posix(), page.stat().st_size, sent(page)


def sent(file: Path) -> int:
    """Bytes as a host sends them with gzip."""
    return len(gzip.compress(file.read_bytes(), 6))


def tell(figure: str, found: Mapping[str, Any]) -> None:
    """Prints one line."""
    print(json.dumps({"figure": figure, **found}), flush=True)


def built_on(place: str, snapshot: Path, folder: Path) -> tuple[Path, Mapping[str, Any]]:
    """Builds below a folder and writes the same files there, side by side; the site, and what it took."""
    site = folder / "site"
    found = measured(snapshot, site, folder / "cache")
    written = merely_written(site, folder / "copy")
    shutil.rmtree(folder / "copy")
    ratio = round(found["seconds"] / written, 2)
    tell(f"site_built_{place}", {**found, "merely_written_s": round(written, 2), "to_merely_written": ratio})
    return site, found


def built_again(figure: str, snapshot: Path, site: Path, cache: Path, first: Mapping[str, Any]) -> None:
    """Builds over a site, and tells what it took, also as a part of what the first build took."""
    found = measured(snapshot, site, cache)
    parts = {f"{name}_to_first": round(found[name] / first[name], 3) for name in ("seconds", "cpu_s")}
    tell(figure, {**found, **parts})


def report(runs: int, models: int) -> None:
    """Every figure, one JSON line each."""
    tell("machine", {"load": os.getloadavg()[0], "jinja_pages_per_cpu_s": plain_pages_per_cpu_s()})
    batches = large_batches(runs, models)
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as name:
        folder = Path(name)
        write_logged_snapshot(folder / "first", batches)
        with tempfile.TemporaryDirectory() as disk:
            built_on("disk", folder / "first", Path(disk))
        site, first = built_on("memory", folder / "first", folder)
        for page, raw, gzipped in weights(site):
            tell("page_weight", {"page": page, "raw": raw, "gzip": gzipped})
        tell("assets_gzip", {path.name: sent(path) for path in sorted((site / "assets").iterdir())})
        built_again("site_built_again", folder / "first", site, folder / "cache", first)
        gone = Change(withdrawn={next(iter(batches[0].artifacts)): "Its fixture had the wrong day."})
        write_released(folder / "second", batches, gone, signers=[None] * (len(batches) + 1))
        built_again("site_after_one_withdrawal", folder / "second", site, folder / "cache", first)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--build"]:
        build_once(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        wanted = [int(number) for number in sys.argv[1:3]]
        report(*wanted, *(960, 3)[len(wanted) :])
