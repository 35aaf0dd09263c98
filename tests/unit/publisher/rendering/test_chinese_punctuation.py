"""Chinese pages are punctuated in Chinese: no half-width sign stands between Chinese words, recorded texts excepted."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from publisher.rendering.language.language import CHINESE
from publisher.rendering.site.files import site_files
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch
from tests.factories.logged import write_logged_snapshot

HAN = "[\u3400-\u9fff]"
HALF = re.compile(rf"{HAN}[,.:;](?=\s|{HAN}|$)|[,:;] ?(?={HAN})")
APART = {"script", "style", "code", "pre", "bdi", "q", "textarea"}
INLINE = {"a", "abbr", "b", "bdi", "code", "data", "em", "mark", "q", "s", "span", "strong", "time"}
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}


class Reader(HTMLParser):
    """The lines of a page as a reader sees them, evidence as a letter."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        told = dict(attrs)
        evidence = (
            tag in APART or told.get("lang") not in (None, CHINESE.tag) or "text" in (told.get("class") or "").split()
        )
        self.open.append((tag, evidence))
        self.text += "" if tag in INLINE else "\n"
        self.text += "X" if evidence else ""

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass
        self.text += "" if tag in INLINE else "\n"

    def handle_data(self, data: str) -> None:
        if not any(evidence for _, evidence in self.open):
            self.text += re.sub(r"\s+", " ", data)


def half_width(page: str) -> list[str]:
    """Each place with a half-width sign among Chinese words, with what stands around it."""
    reader = Reader()
    reader.feed(page)
    lines = [line.strip() for line in reader.text.split("\n")]
    return [line[max(0, m.start() - 20) : m.end() + 20] for line in lines for m in HALF.finditer(line)]


def test_no_half_width_sign_stands_among_chinese_words(tmp_path: Path) -> None:
    write_logged_snapshot(tmp_path / "snapshot", [make_batch("batch-1"), make_batch("batch-2", withheld=("case",))])
    found: dict[str, list[str]] = {}
    pages = 0
    for file in site_files(Snapshot(tmp_path / "snapshot")):
        data = b"".join(file.chunks())
        if file.name.startswith(CHINESE.folder) and file.name.endswith(".html"):
            pages += 1
            found[file.name] = half_width(data.decode())
    assert pages > 30
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize(
    ("page", "count"),
    [
        ("<p>题库 <code>x</code>, 评判器</p>", 1),
        ("<p>题库, 评判器</p>", 1),
        ("<p>题库: x</p>", 1),
        ("<p>次数:三</p>", 1),
        ("<p>题库，评判器：x。</p>", 0),
        ('<p lang="en">题库, x</p><div class="text">题库, x</div>', 0),
        ("<p>题库</p>, x", 0),
    ],
)
def test_a_half_width_sign_is_found(page: str, count: int) -> None:
    assert len(half_width(page)) == count
