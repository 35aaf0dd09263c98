"""What the search finds: every page that holds public words, kind after kind, most telling words first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dataset.measures.metric import METRICS
from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report
from publisher.rendering.assets import template_file
from publisher.rendering.case_page import CaseView, case_views
from publisher.rendering.codes.registry import CODE_BY_ID
from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.language.message import Message, Sayable
from publisher.rendering.page_names import METRICS as METRICS_PAGE
from publisher.rendering.page_names import (
    batch_page,
    case_page,
    code_page,
    model_page,
    release_page,
    run_page,
    tool_page,
)
from publisher.rendering.statistic import STATISTICS
from publisher.search.document import Kind, SearchDocument, Wording

if TYPE_CHECKING:
    from publisher.rendering.pages.interface import SiteSource

_Said = str | Sayable


def search_documents(source: SiteSource) -> Iterator[SearchDocument]:
    """Every document, in an order that follows from the snapshot. Asked for when every run has told what it holds."""
    cases = {str(view.case_id): view for view in case_views(source.snapshot.batches)}
    yield from _models(source)
    yield from map(_case, cases.values())
    yield from _codes_and_tools(source)
    yield from _measures()
    yield from map(_batch, source.reports.values())
    if source.preview is None:
        yield from _releases(source)
    yield _architecture()
    for report in source.reports.values():
        for run in report.every_run:
            yield _run(source, run, cases[str(run.case_id)])


def _models(source: SiteSource) -> Iterator[SearchDocument]:
    for view in source.model_views:
        model = view.model
        told = (*view.names[1:], model.model_id, model.family, model.provider)
        yield _document("model", model_page(view.key), model.display_name, told, (view.key,))


def _case(view: CaseView) -> SearchDocument:
    question = next((e.case.question for e in view.editions if e.case.question is not None), None)
    if question is None:
        return _document("case", case_page(view.case_id), view.case_id, ())
    return SearchDocument(
        kind="case",
        href=case_page(view.case_id),
        wording=Wording(title=question.title.en, text=question.text.en, facts=(view.case_id, question.category)),
        translations={
            "zh": Wording(title=question.title.zh, text=question.text.zh, facts=(view.case_id, question.category))
        },
    )


def _codes_and_tools(source: SiteSource) -> Iterator[SearchDocument]:
    for name in sorted(source.gathered.tools):
        yield _document("tool", tool_page(name), name, ())
    for code in {**CODE_BY_ID, **source.gathered.codes}:
        known = CODE_BY_ID.get(code)
        yield _document("code", code_page(code), code, () if known is None else (Message(known.meaning),))


def _measures() -> Iterator[SearchDocument]:
    told = [(m.id, m.title, m.description) for m in METRICS] + [(s.id, s.title, s.description) for s in STATISTICS]
    for own, title, description in told:
        yield _document("measure", f"{METRICS_PAGE}#{own}", Message(title), (Message(description),), (own,))


def _batch(report: Report) -> SearchDocument:
    template = report.definition.template
    return SearchDocument(
        kind="batch",
        href=batch_page(report.batch_id),
        wording=Wording(title=template.title.en, text=template.description.en, facts=(report.batch_id,)),
        translations={"zh": Wording(title=template.title.zh, text=template.description.zh, facts=(report.batch_id,))},
    )


def _releases(source: SiteSource) -> Iterator[SearchDocument]:
    for found in source.releases:
        number, day = found.release.number, found.release.published_at[:10]
        told = [str(batch.report.batch_id) for batch in found.brought] + [gone.reason for gone in found.withdrew]
        yield _document("release", release_page(number), Message("Release %(number)s", number=number), told, (day,))


def _architecture() -> SearchDocument:
    texts = {language.code: template_file(f"texts/architecture.{language.code}.md").decode() for language in LANGUAGES}
    first, *others = (
        (str(language.code), Wording(title=language.translated("How it works"), text=texts[language.code]))
        for language in LANGUAGES
    )
    return SearchDocument(kind="page", href="architecture.html", wording=first[1], translations=dict(others))


def _run(source: SiteSource, run: RunFacts, case: CaseView) -> SearchDocument:
    model = source.models[run.model_key].display_name
    text = source.gathered.texts.get(run.run_id, "")
    facts = (run.run_id, run.verdict, *([run.invalid_reason] if run.invalid_reason else run.failure_reasons))

    def wording(title: str) -> Wording:
        return Wording(title=f"{title} · {model}", text=text, facts=facts)

    if case.title is None:
        return SearchDocument(kind="run", href=run_page(run.run_id), wording=wording(case.case_id))
    return SearchDocument(
        kind="run",
        href=run_page(run.run_id),
        wording=wording(case.title.en),
        translations={"zh": wording(case.title.zh)},
    )


def _document(
    kind: Kind, href: str, title: _Said, told: Iterable[_Said], facts: tuple[str, ...] = ()
) -> SearchDocument:
    """A document whose texts are names, or messages that every language says in its own way."""
    said = tuple(told)

    def wording(language: Language) -> Wording:
        return Wording(title=language.said(title), text=" ".join(map(language.said, said)), facts=facts)

    first, *others = LANGUAGES
    translated = any(isinstance(text, Sayable) for text in (title, *said))
    translations = {str(language.code): wording(language) for language in others} if translated else {}
    return SearchDocument(kind=kind, href=href, wording=wording(first), translations=translations)
