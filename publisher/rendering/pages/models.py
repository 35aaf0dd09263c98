"""The page of each model, and the list of all."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.language.message import Message
from publisher.rendering.page_names import MODELS, model_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource, as_one_job


def _made(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each model of any batch."""
    views = source.model_views
    yield Page(name=MODELS, template="models.html", content={"models": views})
    for view in views:
        yield Page(
            name=model_page(view.key),
            template="model.html",
            content={"view": view},
            crumbs=(Crumb(title=Message("Models"), name=MODELS),),
        )


model_pages = as_one_job("models", _made)
