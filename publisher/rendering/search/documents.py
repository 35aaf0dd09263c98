"""What the search finds: every page that holds public words, kind after kind, most telling words first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from dataset.measures.metric import DERIVED_METRICS, METRICS
from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report
from publisher.rendering.boards.board import Board
from publisher.rendering.boards.categories import CATEGORY_TITLES, categories_of
from publisher.rendering.boards.row_pairs import RowPair, row_pairs
from publisher.rendering.codes.registry import CODE_BY_ID, GROUPS, CodeGroup
from publisher.rendering.compare.matchup import Matchup, matchups_of
from publisher.rendering.language.language import LANGUAGES, Language
from publisher.rendering.language.message import Localized, Message, Sayable, marked
from publisher.rendering.page_names import METRICS as METRICS_PAGE
from publisher.rendering.page_names import (
    batch_page,
    board_page,
    case_page,
    code_page,
    model_page,
    release_page,
    run_page,
    tool_page,
)
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.search.texts import BEST, lone_pages
from publisher.rendering.statistic import STATISTICS
from publisher.rendering.views.case import CaseView, case_views
from publisher.search.document import Kind, SearchDocument, Wording

_Said = str | Sayable

_REFUSED = marked("tool call refused")
_CORRECTED = marked("answer corrected by guardrails")
_GROUP_WORDS: Mapping[CodeGroup, str] = {"governance": _REFUSED, "guardrail": _CORRECTED}
_CODE_WORDS: Mapping[str, str] = {"OUT-NUM-001": marked("a number without a source, made up by the model")}


def search_documents(source: SiteSource) -> Iterator[SearchDocument]:
    """Every document, in an order that follows from the snapshot. Asked for when every run has told what it holds."""
    cases = {str(view.case_id): view for view in case_views(source.snapshot.batches)}
    yield from (_board(source, board) for board in source.boards)
    yield from _comparisons(source)
    yield from _models(source)
    yield from map(_case, cases.values())
    yield from _tools(source)
    yield from _codes(source)
    yield from _measures()
    yield from map(_batch, source.reports.values())
    if source.preview is None:
        yield from _releases(source)
    yield from lone_pages(preview=source.preview is not None)
    for report in source.reports.values():
        for run in report.every_run:
            yield _run(source, run, cases[str(run.case_id)])


def _board(source: SiteSource, board: Board) -> SearchDocument:
    template, title = board.definition.template, Localized(board.definition.template.title)
    told = categories_of(source.reports[batch_id] for batch_id in board.batches)
    found = {category for of_batch in told.values() for category in of_batch.values()}
    categories = [Message(text) for name, text in CATEGORY_TITLES.items() if name in found]
    models = dict.fromkeys(row.model.display_name for row in board.rows)
    return _document(
        "board",
        board_page(board.slug),
        title,
        [Message("%(title)s: models with their intervals, cost, latency and every run.", title=title)],
        facts=[f"{template.id}@{template.version}"],
        words=[Message(BEST), *categories, *models],
    )


def _comparisons(source: SiteSource) -> Iterator[SearchDocument]:
    for batch in source.snapshot.batches:
        found = matchups_of(batch)
        yield from map(_comparison, found.models)
        yield from map(_comparison, found.contrasts)
        if found.all:
            title = Message("Comparisons of batch %(batch)s", batch=batch.report.batch_id)
            yield _document("comparison", found.page, title, [Localized(batch.report.definition.template.title)])
    for board in source.boards:
        yield from (_rows(board, pair) for pair in row_pairs(board, source.batches).pairs if pair.own)


def _rows(board: Board, pair: RowPair) -> SearchDocument:
    template, left, right = board.definition.template, pair.left.model, pair.right.model
    title = Message("%(left)s against %(right)s", left=left.display_name, right=right.display_name)
    facts = [f"{template.id}@{template.version}", *dict.fromkeys([str(pair.left.batch_id), str(pair.right.batch_id)])]
    words: list[_Said] = [Message("Comparison"), *dict.fromkeys([left.key, right.key])]
    return _document("comparison", pair.page, title, [Localized(template.title)], facts, words)


def _comparison(matchup: Matchup) -> SearchDocument:
    batch_id, model = str(matchup.batch.report.batch_id), matchup.right.model.display_name
    if matchup.contrast is None:
        title: _Said = Message("%(left)s against %(right)s", right=model, left=matchup.left.model.display_name)
        told = Message("Two models of batch %(batch)s on the same cases, variants and repeats.", batch=batch_id)
        facts = [batch_id]
    else:
        title, facts = Localized(matchup.contrast.title), [model, batch_id]
        told = Message(
            "Two arms of batch %(batch)s, answered by %(model)s: the same cases and repeats.",
            batch=batch_id,
            model=model,
        )
    keys = (matchup.left.model.key, matchup.right.model.key)
    return _document("comparison", matchup.page, title, [told], facts, [Message("Comparison"), *dict.fromkeys(keys)])


def _models(source: SiteSource) -> Iterator[SearchDocument]:
    for view in source.model_views:
        model = view.model
        told = (*view.names[1:], model.model_id, model.family, model.provider)
        yield _document("model", model_page(view.key), model.display_name, told, [view.key])


def _case(view: CaseView) -> SearchDocument:
    question = next((e.case.question for e in view.editions if e.case.question is not None), None)
    if question is None:
        return _document("case", case_page(view.case_id), view.case_id, ())
    return _document(
        "case",
        case_page(view.case_id),
        Localized(question.title),
        [Localized(question.text)],
        facts=[view.case_id, Message(CATEGORY_TITLES[question.category])],
        words=[question.category],
    )


def _tools(source: SiteSource) -> Iterator[SearchDocument]:
    described = {
        tool.name: Localized(tool.description)
        for report in source.reports.values()
        if report.catalogue is not None
        for tool in report.catalogue.tools
    }
    for name in sorted(source.gathered.tools):
        yield _document("tool", tool_page(name), name, [described[name]] if name in described else [])


def _codes(source: SiteSource) -> Iterator[SearchDocument]:
    for code in {**CODE_BY_ID, **source.gathered.codes}:
        known = CODE_BY_ID.get(code)
        if known is None:
            yield _document("code", code_page(code), code, ())
            continue
        words = (GROUPS[known.group], _GROUP_WORDS.get(known.group), _CODE_WORDS.get(code))
        yield _document(
            "code", code_page(code), code, [Message(known.meaning)], words=[Message(word) for word in words if word]
        )


def _measures() -> Iterator[SearchDocument]:
    told = [(m.id, m.title, m.description) for m in (*METRICS, *DERIVED_METRICS)]
    told += [(s.id, s.title, s.description) for s in STATISTICS]
    for own, title, description in told:
        yield _document("measure", f"{METRICS_PAGE}#{own}", Message(title), [Message(description)], [own])


def _batch(report: Report) -> SearchDocument:
    template = report.definition.template
    models = [model.display_name for model in report.definition.models]
    return _document(
        "batch",
        batch_page(report.batch_id),
        Localized(template.title),
        [Localized(template.description)],
        facts=[report.batch_id],
        words=models,
    )


def _releases(source: SiteSource) -> Iterator[SearchDocument]:
    for found in source.releases:
        number, day = found.release.number, found.release.published_at[:10]
        told = [str(batch.report.batch_id) for batch in found.brought] + [gone.reason for gone in found.withdrew]
        yield _document("release", release_page(number), Message("Release %(number)s", number=number), told, [day])


def _run(source: SiteSource, run: RunFacts, case: CaseView) -> SearchDocument:
    model = source.models[run.model_key].display_name
    title: _Said = case.case_id if case.title is None else Localized(case.title)
    facts: list[_Said] = [run.run_id, Message(run.verdict)]
    facts += [Message(_REFUSED)] if run.refused_calls else []
    facts += [Message(_CORRECTED)] if run.corrections else []
    facts += [run.invalid_reason] if run.invalid_reason else run.failure_reasons
    return _document(
        "run", run_page(run.run_id), _Titled(title, model), [source.gathered.texts.get(run.run_id, "")], facts
    )


class _Titled(Sayable):
    """The title of a run: of its case, and its model."""

    __slots__ = ("_model", "_title")

    def __init__(self, title: _Said, model: str) -> None:
        self._title, self._model = title, model

    def said(self, language: Language) -> str:
        """Both, with a dot between."""
        return f"{language.said(self._title)} · {self._model}"


def _document(
    kind: Kind,
    href: str,
    title: _Said,
    told: Iterable[_Said],
    facts: Iterable[_Said] = (),
    words: Iterable[_Said] = (),
) -> SearchDocument:
    """A document whose texts are names, or messages that every language says in its own way."""
    parts = tuple(told), tuple(facts), tuple(words)

    def wording(language: Language) -> Wording:
        texts, short, leading = ([language.said(part) for part in own] for own in parts)
        return Wording(title=language.said(title), text=" ".join(texts), facts=tuple(short), words=" ; ".join(leading))

    first, *others = LANGUAGES
    translated = any(isinstance(text, Sayable) for text in (title, *(text for own in parts for text in own)))
    translations = {str(language.code): wording(language) for language in others} if translated else {}
    return SearchDocument(kind=kind, href=href, wording=wording(first), translations=translations)
