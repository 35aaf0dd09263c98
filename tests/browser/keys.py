"""A reader who has a keyboard and no pointer."""

from __future__ import annotations

from playwright.sync_api import Page

MOST_STOPS = 600
_STOP = """() => {
  const one = document.activeElement, style = getComputedStyle(one), place = one.getBoundingClientRect();
  const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  const there = place.bottom > 0 && place.top < innerHeight && place.right > 0 && place.left < innerWidth;
  return [one === document.body, shown && there, one.outerHTML.slice(0, 160)];
}"""


class Keys:
    """Presses keys on a page; at each stop the focus must be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def go_to(self, selector: str) -> None:
        """Tabs on until something that matches has the focus."""
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            nowhere, seen, what = self.page.evaluate(_STOP)
            assert not nowhere, f"no stop matches {selector} on {self.page.url}"
            assert seen, f"focus isn't seen at {what} on {self.page.url}"
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"no {selector} in {MOST_STOPS} stops")

    def follow(self, selector: str) -> str:
        """Goes to a link and follows it; returns the address of the page that it leads to, below the site's root."""
        self.go_to(selector)
        target: str = self.page.evaluate("document.activeElement.href")
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(target)
        return target.partition("/below/path/")[2]

    def open(self, selector: str) -> None:
        """Goes to what unfolds something, and unfolds it."""
        self.go_to(selector)
        self.page.keyboard.press("Enter")
        assert self.page.evaluate("document.activeElement.closest('details').open")
