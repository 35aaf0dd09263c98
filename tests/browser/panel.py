"""The panel of a run's page that checks its run, and a server whose answers can be replaced by others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, Route

from tests.browser.visit import Visit

UNTOUCHED: Mapping[str, bytes | int] = {}
_LINES = "lines => lines.map(line => [line.firstChild.textContent, line.lastChild.textContent])"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the result."""

    state: str
    subject: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the panel says: the sentence at the top, and a line for each check."""

    result: str
    lines: tuple[Line, ...]

    def of(self, state: str) -> list[str]:
        """The subjects of the lines in a state, in order."""
        return [line.subject for line in self.lines if line.state == state]

    @property
    def failing(self) -> list[str]:
        """The subjects of the lines that fail."""
        return self.of("fails")

    def text(self, subject: str) -> str:
        """What is said of a subject, once."""
        (found,) = (line.text for line in self.lines if line.subject == subject)
        return found


class Panel:
    """The panel of one run. `check` presses the button; what `instead` names is answered with other bytes, or with
    nothing but a status."""

    def __init__(self, site: Visit, run_id: str) -> None:
        self.site = site
        self.run_id = run_id
        self.page: Page = site.open(f"runs/{run_id}.html")
        self.button: Locator = self.page.get_by_role("button", name="Check this run here")
        self._instead: Mapping[str, bytes | int] = {}
        files = re.escape(site.root) + r"(runs/[^/]+\.json|index\.json|log/.+)$"
        self.page.route(re.compile(files), self._answer)

    def check(self, instead: Mapping[str, bytes | int] = UNTOUCHED, *, key: str = "") -> Outcome:
        """Checks, and waits for the result."""
        self._instead = instead
        self.page.get_by_label("Public key of the log").fill(key)
        self.button.click()
        return self.outcome()

    def check_run(self, data: bytes) -> Outcome:
        """Checks with another file of the run."""
        return self.check({f"runs/{self.run_id}.json": data})

    def outcome(self) -> Outcome:
        """The result, once it is there."""
        self.page.locator('.check [role="status"]', has_text=re.compile(r"^Run .*\.$")).wait_for()
        said: list[list[str]] = self.page.locator(".check li").evaluate_all(_LINES)
        return Outcome(
            result=self.page.get_by_role("status").inner_text(),
            lines=tuple(_line(mark, words) for mark, words in said),
        )

    def show_instead(self, attribute: str, name: str, text: str) -> None:
        """Changes what the page shows as a digest, salt or hash."""
        self.page.locator(f'[data-{attribute}="{name}"]').evaluate(
            "(shown, text) => { shown.textContent = text; }", text
        )

    def _answer(self, route: Route) -> None:
        answer: Any = self._instead.get(route.request.url.removeprefix(self.site.root))
        if answer is None:
            route.continue_()
        elif isinstance(answer, int):
            route.fulfill(status=answer, body="") if answer else route.abort()
        else:
            route.fulfill(status=200, body=answer)


def _line(mark: str, words: str) -> Line:
    subject, _, text = words.strip().partition(": ")
    return Line(state=mark.partition(" ")[2], subject=subject, text=text)
