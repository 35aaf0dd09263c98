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


def _file_name(text: str) -> str:
    """The text where it is plain; of any other, which only a foreign snapshot holds, the beginning of its hash."""
    plain = len(text) <= _LONGEST and _PLAIN.fullmatch(text) and text.lower() not in KEPT_BY_WINDOWS
    return text if plain else f"x-{sha256_hex(text.encode('utf-8', 'surrogatepass'))[:16]}"
