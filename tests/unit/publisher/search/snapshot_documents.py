"""Documents as a site's pages would give them: of a snapshot's models, cases, tools, reasons, measures and runs."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.disclosure import Disclosed
from dataset.measures.metric import METRICS
from dataset.measures.run_facts import RunFacts
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.snapshot import PublishedBatch, Snapshot
from publisher.rendering.statistic import STATISTICS
from publisher.search.document import SearchDocument, Wording


def documents(snapshot: Snapshot) -> Iterator[SearchDocument]:
    """Every document, kind after kind."""
    yield from _measures()
    yield from _batches(SiteSource(snapshot=snapshot))
    for batch in snapshot.batches:
        for facts in batch.report.runs:
            yield _run(snapshot, batch, facts)


def _measures() -> Iterator[SearchDocument]:
    told = [(m.id, m.title, m.description) for m in METRICS] + [(s.id, s.title, s.description) for s in STATISTICS]
    for own, title, description in told:
        wording = Wording(title=title, text=description, facts=(own,))
        yield SearchDocument(kind="measure", href=f"metrics.html#{own}", wording=wording)


def _batches(source: SiteSource) -> Iterator[SearchDocument]:
    reports = source.reports.values()
    models = {model.key: model.display_name for report in reports for model in report.definition.models}
    for key, name in models.items():
        yield SearchDocument(
            kind="model", href=f"models/{key}.html", wording=Wording(title=name, text="", facts=(key,))
        )
    questions = {case.question.id: case.question for report in reports for case in report.cases if case.question}
    for case_id, question in questions.items():
        english, chinese = (
            Wording(title=str(title), text=str(text), facts=(case_id,))
            for title, text in ((question.title.en, question.text.en), (question.title.zh, question.text.zh))
        )
        yield SearchDocument(kind="case", href=f"cases/{case_id}.html", wording=english, translations={"zh": chinese})
    for name in dict.fromkeys(t.name for r in reports if r.catalogue for t in r.catalogue.tools):
        yield SearchDocument(kind="tool", href=f"tools/{name}.html", wording=Wording(title=name, text=""))
    for reason in dict.fromkeys(r for report in reports for run in report.runs for r in run.failure_reasons):
        yield SearchDocument(kind="code", href=f"codes/{reason}.html", wording=Wording(title=reason, text=""))
    for report in reports:
        wording = Wording(title=f"Batch {report.batch_id}", text=" ".join(v.title for v in report.variants))
        yield SearchDocument(kind="batch", href=f"batches/{report.batch_id}.html", wording=wording)


def _run(snapshot: Snapshot, batch: PublishedBatch, facts: RunFacts) -> SearchDocument:
    found, _ = snapshot.run(batch, facts)
    said: list[str] = []
    if isinstance(found, Disclosed):
        run = found.artifact
        said += [run.case.question] if found.shows("case") and isinstance(run.case.question, str) else []
        said += [str(run.result.final_output)] if found.shows("result") else []
        said += [c.code for c in run.guardrail_checks if c.code] if found.shows("guardrail_checks") else []
    wording = Wording(
        title=f"{facts.case_id} · {facts.model_key}",
        text=" ".join(said),
        facts=(facts.run_id, facts.verdict, *facts.failure_reasons),
    )
    return SearchDocument(kind="run", href=f"runs/{facts.run_id}.html", wording=wording)
