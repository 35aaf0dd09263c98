"""Parts of a board that have a table of their own: the runs in one language, or of one category of cases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report
from publisher.rendering.boards.board import Board
from publisher.rendering.boards.categories import CATEGORY_TITLES, Categories, runs_per_case
from publisher.rendering.language.message import Message, marked

Wanted = Callable[[RunFacts], bool]
_LOCALES = {"en": marked("Asked in English"), "zh": marked("Asked in Chinese")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One part: `name` is what its page is called below that of the board, `planned` its runs for each model."""

    name: str
    title: Message
    planned: int
    wanted: Wanted


def parts_of(board: Board, report: Report, categories: Categories) -> tuple[Part, ...]:
    """The languages, then the categories, where there are two or more of them. `report` is that of any batch of the
    board: their variants are the same."""
    return (*_languages(board, report), *_categories(board, categories))


def _languages(board: Board, report: Report) -> Iterator[Part]:
    of_variant: dict[str, str] = {variant.id: variant.locale for variant in report.variants}
    locales = sorted(set(of_variant.values()))
    for locale in locales if len(locales) > 1 else ():
        arms = sum(1 for found in of_variant.values() if found == locale)
        yield Part(
            name=f"language-{locale}",
            title=Message(_LOCALES[locale]),
            planned=len(board.definition.cases) * arms * board.definition.template.repeats,
            wanted=_of_variants({variant for variant, found in of_variant.items() if found == locale}),
        )


def _categories(board: Board, categories: Categories) -> Iterator[Part]:
    """None for cases that any batch of the board withholds: one table holds the same cases for everyone."""
    told = [categories[batch_id] for batch_id in board.batches]
    present = [name for name in CATEGORY_TITLES if any(name in of_batch.values() for of_batch in told)]
    if len(present) < 2:
        return
    for name in present:
        cases = {case for of_batch in told for case, category in of_batch.items() if category == name}
        if all(of_batch.get(case) == name for of_batch in told for case in cases):
            yield Part(
                name=f"category-{name}",
                title=Message(CATEGORY_TITLES[name]),
                planned=len(cases) * runs_per_case(board.definition),
                wanted=_of_cases(cases),
            )


def _of_variants(variants: Collection[str]) -> Wanted:
    return lambda run: run.variant_id in variants


def _of_cases(cases: Collection[str]) -> Wanted:
    return lambda run: run.case_id in cases
