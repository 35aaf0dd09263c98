"""The page of each case, and the list of all."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.compare.matchup import matchups_of
from publisher.rendering.compare.paired_runs import ComparedCases, PairsOfCase, compared_cases, pairs_of_case
from publisher.rendering.language.message import Message
from publisher.rendering.page_names import CASES, beside_page, case_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource, as_one_job
from publisher.rendering.views.case import CaseEdition, case_views


def _made(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each case of any batch."""
    views = case_views(source.snapshot.batches)
    compared = compared_cases([matchups_of(batch) for batch in source.snapshot.batches])
    yield Page(name=CASES, template="cases.html", content={"cases": views})
    for view in views:
        yield Page(
            name=case_page(view.case_id),
            template="case.html",
            content={
                "case": view,
                "pairs": [_pairs(edition, compared) for edition in view.editions],
                "beside_page": beside_page,
            },
            crumbs=(Crumb(title=Message("Cases"), name=CASES),),
        )


case_pages = as_one_job("cases", _made)


def _pairs(edition: CaseEdition, compared: ComparedCases) -> PairsOfCase:
    batches = dict.fromkeys(row.report.batch_id for row in edition.runs)
    return pairs_of_case([one for batch in batches for one in compared.get((batch, edition.frozen.id), ())])
