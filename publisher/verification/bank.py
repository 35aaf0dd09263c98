"""The bank entries that a report publishes, against the hashes that its definition froze."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.definition import BatchDefinition, FrozenCase
from dataset.canonical import Json
from dataset.questions.variant import Variant, differing_axes
from dataset.questions.withholding import closed, hides_gold, hides_question, in_order
from publisher.projection.report import PublicCase, Report, Reveal
from publisher.verification.difference import Difference, compare, fault


def bank_differences(report: Report, file: str) -> Iterator[Difference]:
    """Cases, variants, template and catalogue against what the definition froze; every entry that is withheld is one
    that the definition withholds. While any of these differ nothing else can be held to them."""
    definition, message = report.definition, "is not what the definition froze"
    variants = [{"id": v.id, "version": v.version, "hash": v.digest()} for v in report.variants]
    for pointer, wanted, found in (
        ("/variants", [variant.body() for variant in definition.variants], variants),
        ("/definition/template_hash", definition.template.digest(), definition.template_hash),
        ("/definition_hash", definition.digest(), report.definition_hash),
    ):
        for difference in compare(message, wanted, found):
            yield difference.within_pointer(pointer).within(file)
    for other in (
        *_case_differences(report),
        *_reveal_differences(report),
        *_repeated_entries(definition),
        *_contrast_differences(report),
        *_catalogue_differences(report),
    ):
        yield other.within(file)


def _case_differences(report: Report) -> Iterator[Difference]:
    frozen_cases = report.definition.cases
    if len(frozen_cases) != len(report.cases):
        yield fault("/cases", "not one for each case of the definition")
        return
    for position, (frozen, case) in enumerate(zip(frozen_cases, report.cases, strict=True)):
        if frozen.withheld != closed(frozen.withheld):
            yield fault(f"/definition/cases/{position}/withheld", "leaves public what would give a withheld part away")
        for difference in compare("is not what the definition froze", *_told(frozen, case)):
            yield difference.within_pointer(f"/cases/{position}")
        yield from _hiding_differences(report, frozen, case, f"/cases/{position}")


def _told(frozen: FrozenCase, case: PublicCase) -> tuple[Json, Json]:
    """What the definition says of the entries that a case shows, and what they are."""
    wanted: dict[str, Json] = {}
    found: dict[str, Json] = {}
    if case.question is not None:
        wanted |= {"id": frozen.id, "version": frozen.version, "hash": frozen.hash}
        found |= {"id": case.question.id, "version": case.question.version, "hash": case.question.digest()}
    if case.gold is not None:
        wanted |= {"gold_version": frozen.gold_version, "gold_hash": frozen.gold_hash}
        found |= {"gold_version": case.gold.version, "gold_hash": case.gold.digest()}
    return wanted, found


def _hiding_differences(report: Report, frozen: FrozenCase, case: PublicCase, place: str) -> Iterator[Difference]:
    withheld = report.withheld(frozen.id)
    for name, entry, hidden in (
        ("question", case.question, hides_question(withheld)),
        ("gold", case.gold, hides_gold(withheld)),
    ):
        if (entry is None) != hidden:
            told = "is withheld, which its definition doesn't say" if entry is None else "is shown, though withheld"
            yield fault(f"{place}/{name}", told)


def _reveal_differences(report: Report) -> Iterator[Difference]:
    """Each reveal opens what was withheld until then, and leaves nothing withheld that what it opens gives away."""
    hidden = {case.id: set(case.withheld) for case in report.definition.cases}
    for position, reveal in enumerate(report.reveals):
        place, left = f"/reveals/{position}", hidden.get(reveal.case_id, set())
        if not reveal.parts or reveal.parts != in_order(reveal.parts):
            yield fault(f"{place}/parts", "empty, or not in the order of parts, each once")
        for part in reveal.parts:
            if part not in left:
                yield fault(place, f"opens {part} of case {reveal.case_id}, which wasn't withheld")
        if not _has_run(report, reveal):
            yield fault(place, f"every run of case {reveal.case_id} had been withdrawn: there was nothing to reveal")
        left.difference_update(reveal.parts)
        if set(closed(left)) != left:
            yield fault(place, "leaves public what would give a withheld part away")
    made = [reveal.release for reveal in report.reveals]
    if made != sorted(made):
        yield fault("/reveals", "not in the order of releases")


def _has_run(report: Report, reveal: Reveal) -> bool:
    """Whether a run of the case was left when it was revealed, whose entry in the log tells of it."""
    gone = (report.withdrawn.get(line.run_id) for line in report.every_run if line.case_id == reveal.case_id)
    return any(withdrawal is None or withdrawal.release > reveal.release for withdrawal in gone)


def _is_recent(variant: Variant) -> bool:
    """Whether a variant can't be of a report from before statistics and catalogues were published."""
    parts = (variant.context_reserve, variant.context_window)
    return variant.tool_delivery == "search" or any(part is not None for part in parts)


def _contrast_differences(report: Report) -> Iterator[Difference]:
    """What a contrast compares differs in one axis, or the difference could be put down to none."""
    definition = report.definition
    variants = {variant.id: variant for variant in report.variants}
    for position, contrast in enumerate(definition.template.contrasts):
        pairs = [(variants[one], variants[other]) for one, other in contrast.pairs if {one, other} <= set(variants)]
        if len({differing_axes(*pair) for pair in pairs}) != 1 or len(differing_axes(*pairs[0])) != 1:
            yield fault(f"/definition/template/contrasts/{position}", "its arms don't differ in one axis")


def _catalogue_differences(report: Report) -> Iterator[Difference]:
    """The catalogue against its hash. Reports from before statistics and catalogues were published have neither,
    and no variant that came with them; nothing was withheld then."""
    definition = report.definition
    published, statistics = report.catalogue, report.statistics
    recent = published is not None or statistics is not None or any(map(_is_recent, report.variants))
    recent = recent or any(case.withheld for case in definition.cases)
    if recent and statistics is None:
        yield fault("/statistics", "is missing")
    if published is None:
        if recent:
            yield fault("/catalogue", "is missing")
        return
    if not published.in_order:
        yield fault("/catalogue", "every name stands once, in the order of names")
    for difference in compare(
        "is not what the definition froze", definition.catalogue_hash, published.catalogue.content_hash
    ):
        yield difference.within_pointer("/catalogue")


def _repeated_entries(definition: BatchDefinition) -> Iterator[Difference]:
    for name in ("cases", "variants"):
        ids = [entry.id for entry in getattr(definition, name)]
        if len(ids) != len(set(ids)):
            yield fault(f"/definition/{name}", "an id stands twice")
    keys = [model.key for model in definition.models]
    if len(keys) != len(set(keys)):
        yield fault("/definition/models", "a key stands twice")
