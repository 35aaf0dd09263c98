"""What is withheld of runs stands in no file of the site: no page, table, archive, feed, index or picture."""

from __future__ import annotations

import html
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dataset.questions.withholding import WITHHELD
from publisher.exports.address import site_address
from publisher.rendering.pages.gathered import RunSeen
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.pages.runs import run_pages
from publisher.rendering.search.documents import search_documents
from publisher.rendering.site.files import site_files
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch
from tests.factories.logged import write_logged_snapshot
from tests.factories.snapshot import SampleBatch

OURS = ("cost_reason",)
"""What the engine says in the same words everywhere, which pages explain."""
WORD = re.compile(r"[A-Za-z]{4,}|[一-鿿]{2,}|[0-9]+\.[0-9]{2,}")


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in OURS:
                yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def told_by_runs(source: SiteSource) -> None:
    for made in run_pages(source):
        if isinstance(made, RunSeen):
            source.gathered.take(made)


def withheld_texts(batch: SampleBatch) -> set[str]:
    """Texts of sections that are withheld, long enough to be no one else's."""
    found: set[str] = set()
    for data in batch.artifacts.values():
        run = json.loads(data)
        for section in WITHHELD:
            found |= {text for text in strings(run.get(section)) if len(text) >= 24 and " " in text}
    return found


def test_no_file_of_the_site_holds_what_is_withheld(tmp_path: Path) -> None:
    batch = make_batch("batch-1", withheld=WITHHELD)
    snapshot = tmp_path / "snapshot"
    write_logged_snapshot(snapshot, [batch])
    public = "".join(
        path.read_text(encoding="utf-8") for path in sorted(snapshot.rglob("*.json")) if path.parent.name != "runs"
    )
    secret = {text for text in withheld_texts(batch) if text not in public}
    assert len(secret) > 10
    made = {}
    for file in site_files(Snapshot(snapshot), site_address("https://example.org/bench/")):
        made[file.name] = b"".join(file.chunks())
    archive = tmp_path / "all.tar"
    archive.write_bytes(made["data/glassbench.tar"])
    with tarfile.open(archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            made[f"tar:{member.name}"] = content.read() if content is not None else b""
    for text in secret:
        forms = {text, html.escape(text), json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        for form in forms:
            assert [name for name, data in made.items() if form.encode() in data] == [], text


def test_no_word_of_it_is_found_by_the_search(tmp_path: Path) -> None:
    batch = make_batch("batch-1", withheld=WITHHELD)
    write_logged_snapshot(tmp_path / "snapshot", [batch])
    source = SiteSource(snapshot=Snapshot(tmp_path / "snapshot"))
    told_by_runs(source)
    said = " ".join(
        text
        for document in search_documents(source)
        if document.kind in ("run", "case")
        for wording in (document.wording, *document.translations.values())
        for text in (wording.title, wording.text, *wording.facts)
    )
    public = {word for batch in source.snapshot.batches for word in WORD.findall(batch.data.decode())}
    hidden = {word for text in withheld_texts(batch) for word in WORD.findall(text)} - public
    assert len(hidden) > 20
    assert hidden & set(WORD.findall(said)) == set()


def test_a_public_run_is_found_by_what_was_asked_and_answered(tmp_path: Path) -> None:
    batch = make_batch("batch-1", model_keys=("careful",))
    write_logged_snapshot(tmp_path / "snapshot", [batch])
    source = SiteSource(snapshot=Snapshot(tmp_path / "snapshot"))
    told_by_runs(source)
    found = next(d for d in search_documents(source) if d.href == "runs/batch-1-0001.html")
    run = json.loads(batch.artifacts[next(iter(batch.artifacts))])
    assert run["case"]["question"] in found.wording.text
    assert found.wording.facts[0] == "batch-1-0001"
