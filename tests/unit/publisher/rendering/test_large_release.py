"""A release of 10,000 runs and 200 models: its pages stay small, its links whole, and little memory is taken. The plain
tests try a twentieth of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest

from tests.factories.large import large_batches
from tests.factories.released import Change, write_released

MOST_BYTES = 300_000
MOST_MEMORY_MB = 500
_BUILD = """
import json, resource, sys
from pathlib import Path
from publisher.rendering.site.build import build_site
built = build_site(Path(sys.argv[1]), Path(sys.argv[2]))
own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([built.made, built.reused, own / 1024, workers / 1024]))
"""
_LINK = re.compile(r'(?:href|src)="([^"]*)"')
_ID = re.compile(r'\bid="([^"]*)"')


@dataclass(frozen=True, kw_only=True)
class Build:
    """Parts made anew and taken over, and the most memory that the building process and one of its workers held."""

    made: int
    reused: int
    memory_mb: float
    worker_mb: float


@dataclass(frozen=True, kw_only=True)
class Large:
    """The site of a release, and how it was built, and built again after one run was withdrawn."""

    site: Path
    first: Build
    again: Build


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((500, 10), id="500 runs"),
        pytest.param((10_000, 200), marks=pytest.mark.slow, id="10,000 runs"),
    ],
)
def large(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Large:
    folder = tmp_path_factory.mktemp("large")
    batches = large_batches(*request.param)
    gone = Change(withdrawn={next(iter(batches[0].artifacts)): "Its fixture had the wrong day."})
    write_released(folder / "first", batches, signers=[None] * len(batches))
    write_released(folder / "second", batches, gone, signers=[None] * (len(batches) + 1))
    return Large(
        site=folder / "site",
        first=built(folder / "first", folder / "site", folder / "cache"),
        again=built(folder / "second", folder / "site", folder / "cache"),
    )


def built(snapshot: Path, site: Path, cache: Path) -> Build:
    """Builds in a process of its own, so that it is its memory that is measured."""
    root = Path(__file__).parents[4]
    environment = {**os.environ, "PYTHONPATH": str(root), "GLASSBENCH_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", _BUILD, str(snapshot), str(site)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    made, reused, memory_mb, worker_mb = json.loads(ended.stdout)
    return Build(made=made, reused=reused, memory_mb=memory_mb, worker_mb=worker_mb)


def pages_of(site: Path) -> Iterator[tuple[str, str]]:
    for path in site.rglob("*.html"):
        yield path.relative_to(site).as_posix(), path.read_text(encoding="utf-8")


def test_no_page_is_heavy(large: Large) -> None:
    sizes = {path.relative_to(large.site).as_posix(): path.stat().st_size for path in large.site.rglob("*.html")}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}
    assert len(sizes) > 4 * (large.first.made // 2)


def test_every_link_leads_to_a_file_and_a_place_in_it(large: Large) -> None:
    files = {path.relative_to(large.site).as_posix() for path in large.site.rglob("*") if path.is_file()}
    anchors: dict[str, frozenset[str]] = {}
    wanted: set[tuple[str, str]] = set()
    broken: list[tuple[str, str]] = []
    same: dict[frozenset[str], frozenset[str]] = {}
    for name, markup in pages_of(large.site):
        found = frozenset(_ID.findall(markup))
        anchors[name] = same.setdefault(found, found)
        for link in set(_LINK.findall(markup)):
            path, _, fragment = link.partition("#")
            target = normpath(join(dirname(name), unquote(path))) if path else name
            if target not in files or ":" in path:
                broken.append((name, link))
            elif fragment:
                wanted.add((target, unquote(fragment)))
    assert broken == []
    assert [place for place in wanted if place[1] not in anchors[place[0]]] == []


def test_little_memory_is_taken(large: Large) -> None:
    for build in (large.first, large.again):
        assert build.memory_mb < MOST_MEMORY_MB
        assert build.worker_mb < MOST_MEMORY_MB


def test_after_one_withdrawal_little_is_made_again(large: Large) -> None:
    assert large.first.reused == 0
    assert large.again.made + large.again.reused >= large.first.made
    assert large.again.made < large.first.made / 10
