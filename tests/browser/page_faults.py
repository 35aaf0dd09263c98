"""What is wrong with a page for someone who reads it in another way: by ear, by key, enlarged, in other colours, on
paper. Everything is measured on one visit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

WCAG = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_AXE = Axe()
_OPEN_ALL = """() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  // what isn't drawn until it is scrolled to has no measures before
  for (const one of document.querySelectorAll('body *'))
    if (getComputedStyle(one).contentVisibility === 'auto') one.style.contentVisibility = 'visible';
}"""
_SHADOWS = """picture => {
  for (const one of document.querySelectorAll('.scroll')) one.style.backgroundImage = picture;
}"""
_UNTOLD = """() => {
  const untold = [];
  const opaque = one => !/^rgba|[/]/.test(getComputedStyle(one).backgroundColor);
  for (const one of document.querySelectorAll('.scroll')) {
    if (one.scrollWidth <= one.clientWidth + 1) continue;
    const style = getComputedStyle(one), what = one.outerHTML.slice(0, 100);
    const grounds = style.backgroundAttachment.split(', ');
    if (!style.backgroundImage.includes('gradient') || !grounds.includes('local') || !grounds.includes('scroll'))
      untold.push('no shadow: ' + what);
    if (one.tabIndex !== 0) untold.push('no stop: ' + what);
    const solid = [...one.querySelectorAll('tr, th, td')].find(opaque);
    if (solid) untold.push('lies over the shadow: ' + solid.outerHTML.slice(0, 100));
    const words = one.querySelector('caption > span');
    if (words && !words.closest('.visually-hidden') &&
      words.getBoundingClientRect().right > one.getBoundingClientRect().right)
      untold.push('caption is cut: ' + words.textContent.slice(0, 80));
  }
  return untold;
}"""
_SMALL = """() => {
  const small = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode());) {
    const one = text.parentElement;
    if (!text.data.trim() || one.closest('.visually-hidden, option, script') || !one.checkVisibility()) continue;
    const scale = one instanceof SVGElement ? one.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(one).fontSize) * scale;
    if (size < 11.95) small.push(size.toFixed(1) + ' px: ' + one.outerHTML.slice(0, 120));
  }
  return small.slice(0, 5);
}"""
_UNSEEN_FOCUS = """() => {
  const stops = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const unseen = [];
  for (const one of document.querySelectorAll(stops)) {
    if (one.tabIndex < 0 || !one.checkVisibility()) continue;
    if (one.tabIndex > 0) unseen.push('out of order: ' + one.outerHTML.slice(0, 120));
    one.focus({preventScroll: true});
    const style = getComputedStyle(one);
    if (document.activeElement !== one) continue;
    if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2 ||
      style.outlineColor === getComputedStyle(document.body).backgroundColor)
      unseen.push(one.outerHTML.slice(0, 120));
  }
  document.activeElement.blur();
  return unseen.slice(0, 5);
}"""
_UNSORTED = """() => [...document.querySelectorAll('table')].flatMap(table => {
  const heads = [...table.querySelectorAll('thead th')], sorted = heads.filter(head => head.ariaSort);
  const orders = heads.some(head => head.matches('[data-key]'));
  if (sorted.length !== (orders ? 1 : 0)) return [`${table.id}: ${sorted.length} heads say that they sort it`];
  if (!orders) return [];
  const sign = {ascending: 1, descending: -1}[sorted[0].ariaSort];
  const values = [...table.tBodies[0].rows].map(row => row.cells[heads.indexOf(sorted[0])])
    .filter(cell => cell?.querySelector('data, .unknown')).map(cell => cell.querySelector('data')?.value);
  const after = (one, next) => next === undefined || (one !== undefined && sign * (next - one) >= 0);
  return values.every((value, at) => at === 0 || after(values[at - 1], value)) ? [] :
    [`${table.id}: not ${sorted[0].ariaSort}: ${values}`];
})"""
Theme = Literal["light", "dark"]
ENLARGED: ViewportSize = {"width": 320, "height": 256}
"""A window of 1280 by 1024 at 400 %, which is also a small telephone's width."""

_BEYOND = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) return [...document.querySelectorAll('body *')]
    .filter(one => one.getBoundingClientRect().right > width + 1 && !one.closest('.scroll'))
    .map(one => one.outerHTML.slice(0, 160)).slice(0, 4).concat('the page scrolls sideways');
  return [];
}"""
_CLIPPED = """() => [...document.querySelectorAll(
    'button, summary, label, select, .button, .badge, .verdict, .ruling, .brand, nav a, h1, h2, h3, dt, dd')]
  .filter(one => getComputedStyle(one).display !== 'inline' && one.checkVisibility())
  .filter(one => one.scrollWidth > one.clientWidth + 1 && !one.querySelector('.scroll'))
  .map(one => one.outerHTML.slice(0, 160))"""
_OVERLAPPING = """() => {
  const shown = [...document.querySelectorAll('.skip ~ header a, .skip ~ header input')]
    .filter(one => one.checkVisibility()).map(one => [one, one.getBoundingClientRect()]);
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return shown.flatMap(([one, a], at) => shown.slice(at + 1).filter(([, b]) => over(a, b))
    .map(([other]) => one.outerHTML.slice(0, 80) + ' lies over ' + other.outerHTML.slice(0, 80)));
}"""
_FAINT = """() => {
  const canvas = getComputedStyle(document.body).backgroundColor;
  const faint = [];
  for (const one of document.querySelectorAll('.verdict, .badge, .ruling, .why, .card')) {
    const style = getComputedStyle(one);
    if (['Top', 'Right', 'Bottom', 'Left'].every(side =>
      style[`border${side}Style`] === 'none' || style[`border${side}Width`] === '0px' ||
      style[`border${side}Color`] === canvas)) faint.push(one.outerHTML.slice(0, 120));
  }
  for (const one of document.querySelectorAll('svg :is(rect, line, path, circle, polyline, polygon, text)')) {
    const style = getComputedStyle(one);
    if ([style.fill, style.stroke].every(colour => colour === 'none' || colour === canvas) &&
      one.checkVisibility()) faint.push(one.outerHTML.slice(0, 120));
  }
  const marked = [...document.querySelectorAll('.ways a[aria-current]')];
  const other = document.querySelector('.ways a:not([aria-current])');
  for (const one of marked)
    if (getComputedStyle(one).borderBottomColor === getComputedStyle(other).borderBottomColor)
      faint.push('the way to this page looks like the others');
  return faint.slice(0, 5);
}"""
_MOVING = """() => [...document.querySelectorAll('html, body, body *')].filter(one => {
  const style = getComputedStyle(one);
  return style.scrollBehavior === 'smooth' || style.animationName !== 'none' ||
    style.transitionDuration.split(', ').some(found => parseFloat(found) > 0);
}).map(one => one.outerHTML.slice(0, 100)).slice(0, 5)"""
_ON_PAPER = """() => {
  const wrong = [...document.querySelectorAll('.top nav, .top form, .skip, .toc')]
    .filter(one => one.checkVisibility()).map(one => 'printed: ' + one.outerHTML.slice(0, 100));
  if (!document.querySelector('main h1').checkVisibility()) wrong.push('the heading is not printed');
  for (const one of document.querySelectorAll('main .scroll'))
    if (getComputedStyle(one).overflowX !== 'visible') wrong.push('cut: ' + one.outerHTML.slice(0, 100));
  return wrong;
}"""


def page_faults(page: Page, theme: Theme) -> Mapping[str, list[str]]:
    """What is wrong with the page that is open, by what it is that it fails; empty where nothing is. Leaves everything
    on it unfolded."""
    found = {}
    page.emulate_media(media="print")
    found["on paper"] = page.evaluate(_ON_PAPER)
    page.emulate_media(media="screen", color_scheme=theme, reduced_motion="reduce")
    found["moves"] = page.evaluate(_MOVING)
    found["sorted"] = page.evaluate(_UNSORTED)
    page.evaluate(_OPEN_ALL)
    found["focus"] = _unseen_focus(page)
    page.evaluate(_SHADOWS, "none")  # axe can't tell the contrast of what stands on a picture
    found["axe"] = list(axe_faults(page))
    page.evaluate(_SHADOWS, "")
    found["scrolls untold"] = page.evaluate(_UNTOLD)
    found["small"] = page.evaluate(_SMALL)
    found["at full width"] = _misplaced(page)
    page.emulate_media(forced_colors="active")
    found["in forced colours"] = page.evaluate(_FAINT) + _unseen_focus(page)
    page.emulate_media(forced_colors="none")
    before = page.viewport_size
    page.set_viewport_size(ENLARGED)
    found["enlarged"] = [*_misplaced(page), *page.evaluate(_UNTOLD), *page.evaluate(_SMALL)]
    if before is not None:
        page.set_viewport_size(before)
    return {way: faults for way, faults in found.items() if faults}


def axe_faults(page: Page, *, rules: tuple[str, ...] = ()) -> Iterator[str]:
    """What axe finds: of these rules, or of all that belong to WCAG 2.2 AA or are good practice."""
    only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": list(WCAG)}
    response: Any = _AXE.run(page, options={"runOnly": only, "resultTypes": ["violations"], "preload": False}).response
    for violation in response["violations"]:
        for node in violation["nodes"][:3]:
            yield f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"


def _unseen_focus(page: Page) -> list[str]:
    page.keyboard.press("Tab")  # what is focused by a script is marked only where a key was the last to move the focus
    return list(page.evaluate(_UNSEEN_FOCUS))


def _misplaced(page: Page) -> list[str]:
    return [fault for looked in (_BEYOND, _CLIPPED, _OVERLAPPING) for fault in page.evaluate(looked)]
