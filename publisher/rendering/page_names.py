"""Where each page stands below the root of its language's pages: a name, with `/`, that never changes."""

from __future__ import annotations

HOME = "index.html"
NOT_FOUND = "404.html"
RELEASES = "releases.html"
METRICS = "metrics.html"


def run_page(run_id: str) -> str:
    """The page of a run, beside the place of its artifact."""
    return f"runs/{run_id}.html"


def batch_page(batch_id: str) -> str:
    """The page of a batch."""
    return f"batches/{batch_id}.html"


def case_page(case_id: str) -> str:
    """The page of a case, over every batch."""
    return f"cases/{case_id}.html"


def model_page(key: str) -> str:
    """The page of a model, over every batch."""
    return f"models/{key}.html"


def tool_page(name: str) -> str:
    """The page of a tool, over every batch."""
    return f"tools/{name}.html"


def code_page(code: str) -> str:
    """The page of a failure reason, a refusal, an error or any other code that runs record."""
    return f"codes/{code}.html"


def release_page(number: int) -> str:
    """The page of a release."""
    return f"releases/{number}.html"
