"""One visit to a site in a context of its own, which notes everything that went wrong on the way."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Literal, Self

from playwright.sync_api import Browser, Dialog, Page, Request

SUB_PATH = "below/path"
PAGES = {
    "leaderboard": "index.html",
    "batch": "batches/batch-1.html",
    "synthetic batch of hostile text": "batches/batch-2.html",
    "passed run": "runs/batch-1-0001.html",
    "run of hostile text": "runs/batch-2-0002.html",
    "failed run": "runs/batch-3-0003.html",
    "superseded run": "runs/batch-1-0002.html",
    "run that supersedes and was cut off": "runs/batch-1-0002-r2.html",
    "batch of strategies and budgets": "batches/strategies.html",
    "batch of scoped and searched tools": "batches/delivery.html",
    "run that names sources and leaves out": "runs/strategies-0004.html",
    "run that gives a summary": "runs/strategies-0007.html",
    "run with searched tools": "runs/delivery-0002.html",
    "case": "cases/advice-wish.html",
    "case of a long session": "cases/long-savings-plan.html",
    "metrics": "metrics.html",
    "architecture": "architecture.html",
    "downloads": "downloads.html",
    "404": "404.html",
}
_LISTEN = """
window.__violations = [];
document.addEventListener(
  'securitypolicyviolation', e => window.__violations.push(e.violatedDirective + ' ' + e.blockedURI)
);
"""


class Visit:
    """A browser context at the root of a site. `faults` is empty as long as nothing went wrong."""

    def __init__(self, browser: Browser, root: str, **context: Any) -> None:
        self.root = root
        self.faults: list[str] = []
        self._scripts = context.get("java_script_enabled", True)
        self._context = browser.new_context(**context)
        self._context.set_default_timeout(120_000)  # a busy machine is slow, not wrong
        if self._scripts:
            self._context.add_init_script(_LISTEN)
        self.page: Page = self._context.new_page()
        self.page.on("console", lambda message: self._note(f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self._note(f"error: {error}"))
        self.page.on("requestfailed", self._fail)
        self.page.on("request", self._see)
        self.page.on("dialog", self._dismiss)

    def open(self, name: str, until: Literal["load", "networkidle"] = "networkidle") -> Page:
        """Opens a page of the site and waits until nothing more is loaded, or until it has all that it names."""
        answer = self.page.goto(self.root + name, wait_until=until)
        if answer is not None and self.root.startswith("http") and not answer.ok:
            self._note(f"status {answer.status}: {name}")
        if self._scripts:
            for violation in self.page.evaluate("window.__violations"):
                self._note(f"policy: {violation}")
        return self.page

    def _see(self, request: Request) -> None:
        if not request.url.startswith(self.root):
            self._note(f"left the site: {request.url}")

    def _fail(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the icon may still be on its way when the next page is opened
            self._note(f"failed: {request.url}")

    def _dismiss(self, dialog: Dialog) -> None:
        self._note(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note(self, fault: str) -> None:
        self.faults.append(f"{self.page.url}: {fault}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.close()
