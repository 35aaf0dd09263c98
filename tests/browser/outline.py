"""The outlines of pages: what a reader meets who goes by landmarks, headings and tables, and how many links lead where.

An outline changes when a page's structure does, and not when a number or a colour does. Those of the tests' sites are
kept in `outlines/`; `python -m tests.browser.outline` writes them anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from publisher.rendering.language.language import LANGUAGES, Language
from tests.browser.chromium import launched
from tests.browser.whole_site import KindPages, Sites

KEPT = Path(__file__).with_name("outlines")
RENEWED = "if that is meant, `python -m tests.browser.outline` writes the outlines anew"
_OUTLINE = r"""() => {
  const plain = text => text.replace(/\s+/g, ' ').replace(/\b[0-9a-f]{8,64}\b/g, 'HASH')
    .replace(/\d+([.,:]\d+)*/g, 'N').trim().slice(0, 90);
  const named = one => {
    const by = (one.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id))
      .filter(Boolean).map(found => found.textContent).join(' ');
    return one.getAttribute('aria-label') ?? by;
  };
  const said = (word, text) => word + (text ? ' ' + JSON.stringify(plain(text)) : '');
  const lineOf = one => {
    const tag = one.localName;
    if (/^h[1-6]$/.test(tag)) return said(tag, one.innerText || one.textContent);
    if (one.matches('header.top, main, footer.bottom')) return tag;
    if (one.matches('nav, aside, [role=search], [role=region], [role=status]'))
      return said(one.getAttribute('role') ?? tag, named(one));
    if (tag === 'table') return said('table', one.caption?.textContent) + ': ' +
      [...one.querySelectorAll('thead tr:last-child th')].map(head => plain(head.innerText)).join(' | ');
    if (tag === 'svg' && one.getAttribute('role') === 'img') return said('drawing', named(one) ||
      one.querySelector('title')?.textContent);
    if (tag === 'summary') return said('folded', one.textContent);
    if (one.matches('main :is(button, select, input)')) return said(tag, named(one) || one.labels?.[0]?.innerText ||
      one.textContent);
    return null;
  };
  const lines = [];
  const walk = (one, depth) => {
    const line = lineOf(one);
    if (line !== null) lines.push('  '.repeat(depth) + line);
    for (const child of one.children) walk(child, line === null ? depth : depth + 1);
  };
  walk(document.body, 0);
  const root = document.querySelector('.brand').href.replace(/[^/]*$/, '');
  const kindOf = link => {
    const here = link.href.split('#')[0] === location.href.split('#')[0];
    if (here) return '#';
    if (!link.href.startsWith(root)) return 'other language or file';
    const name = link.href.slice(root.length).split('#')[0];
    return name.includes('/') ? name.split('/')[0] + '/' + (name.endsWith('.html') ? '' : '*.' + name.split('.').pop())
      : name;
  };
  const counts = {};
  for (const link of document.querySelectorAll('main a[href]')) counts[kindOf(link)] = (counts[kindOf(link)] ?? 0) + 1;
  return lines.concat(Object.keys(counts).sort().map(kind => `links to ${kind}: ${counts[kind]}`));
}"""


def outline_of(page: Page) -> Iterator[str]:
    """The lines of the page that is open: one for each landmark, heading, table and control in their order, equal ones
    that follow each other once; then how many links lead to each kind of page."""
    before = None
    for line in page.evaluate(_OUTLINE):
        if line != before:
            yield line
        before = line


def kept_outline(kind: str, language: Language) -> Path:
    """Where the outline of a kind of page is kept."""
    return KEPT / f"{kind}.{language.code}.txt"


def difference(kept: Path, found: list[str]) -> str:
    """The first line that isn't as it was kept; empty where all are."""
    before = kept.read_text(encoding="utf-8").splitlines() if kept.is_file() else []
    for number, (old, new) in enumerate(zip_longest(before, found), start=1):
        if old != new:
            return f"{kept.name}, line {number}: was {old!r}, is {new!r}; {RENEWED}"
    return ""


def renew(page: Page, kinds: KindPages) -> None:
    """Writes the outline of every kind anew."""
    KEPT.mkdir(exist_ok=True)
    for kind, (site, name) in kinds.items():
        for language in LANGUAGES:
            page.goto(site.root("") + language.folder + name)
            text = "\n".join(outline_of(page)) + "\n"
            kept_outline(kind, language).write_text(text, encoding="utf-8")


def main() -> None:
    """Builds the sites and writes the outlines."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, launched(playwright) as browser:
        renew(browser.new_page(), Sites.build(Path(folder)).first_pages())


if __name__ == "__main__":
    main()
