"""Where each page stands below the root of its language's pages: a name, with `/`, that never changes."""

from __future__ import annotations

import re

from dataset.canonical import sha256_hex
from dataset.record import KEPT_BY_WINDOWS

HOME = "index.html"
NOT_FOUND = "404.html"
RELEASES = "releases.html"
METRICS = "metrics.html"
MODELS = "models.html"
CASES = "cases.html"
TOOLS = "tools.html"
CODES = "codes.html"
SEARCH = "search.html"
ARCHITECTURE = "architecture.html"
DOWNLOADS = "downloads.html"
PREVIEW = "preview.html"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_LONGEST = 80


def run_page(run_id: str) -> str:
    """The page of a run, beside the place of its artifact."""
    return f"runs/{run_id}.html"


def batch_page(batch_id: str) -> str:
    """The page of a batch."""
    return f"batches/{batch_id}.html"


def board_page(slug: str) -> str:
    """The page of one board of the leaderboard; its other orders and its parts stand below it."""
    return f"boards/{slug}.html"


def case_page(case_id: str) -> str:
    """The page of a case, over every batch."""
    return f"cases/{case_id}.html"


def model_page(key: str) -> str:
    """The page of a model, over every batch."""
    return f"models/{key}.html"


def tool_page(name: str) -> str:
    """The page of a tool, over every batch."""
    return f"tools/{_file_name(name)}.html"


def code_page(code: str) -> str:
    """The page of a failure reason, a refusal, an error or any other code that runs record."""
    return f"codes/{_file_name(code)}.html"


def release_page(number: int) -> str:
    """The page of a release."""
    return f"releases/{number}.html"


def batch_model_page(batch_id: str, model_key: str) -> str:
    """The page of one model in a batch."""
    return below(batch_page(batch_id), model_key)


def batch_section_page(batch_id: str, section: str) -> str:
    """A long table of a batch, on pages beside its own. No batch id holds a dot, so it is no batch's own page."""
    return f"batches/{batch_id}.{section}.html"


def compare_page(batch_id: str, slug: str) -> str:
    """The page of a comparison of a batch."""
    return f"compare/{batch_id}/{slug}.html"


def comparisons_page(batch_id: str) -> str:
    """The page that lists the comparisons of a batch. No slug of a comparison is `index`."""
    return compare_page(batch_id, "index")


def beside_page(left: str, right: str) -> str:
    """The page of two runs side by side. No run id holds a dot, so no two pairs share a page."""
    return f"beside/{left}.{right}.html"


def below(page: str, name: str) -> str:
    """A page in the folder that has the name of another page."""
    return f"{page.removesuffix('.html')}/{name}.html"


def numbered(page: str, number: int) -> str:
    """One of the pages that a long one is split into, from 1; the first has the name itself."""
    return page if number == 1 else f"{page.removesuffix('.html')}.{number}.html"


def card_file(page: str) -> str:
    """The picture that stands for a page, below the site's root."""
    return f"cards/{page.removesuffix('.html')}.png"


def _file_name(text: str) -> str:
    """The text where it is plain; of any other, which only a foreign snapshot holds, the beginning of its hash."""
    plain = len(text) <= _LONGEST and _PLAIN.fullmatch(text) and text.lower() not in KEPT_BY_WINDOWS
    return text if plain else f"x-{sha256_hex(text.encode('utf-8', 'surrogatepass'))[:16]}"
