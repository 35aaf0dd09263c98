"""Sites that hold every kind of page between them: a small one of many fates, a crowded one, and a preview."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, assert_never

from dataset.artifacts.definition import PlannedRun
from publisher.preview.preview import preview
from publisher.release_log.note import Signer
from publisher.rendering.site.build import build_site
from tests.browser.corpora import hostile_texts
from tests.browser.kinds import KINDS, Looked
from tests.browser.visit import SUB_PATH
from tests.factories import (
    SampleBatch,
    SampleSource,
    Scenario,
    WordScanner,
    default_scenario,
    make_batch,
    write_snapshot,
)
from tests.factories.page_kinds import pages_by_kind
from tests.factories.released import Change, write_released
from tests.factories.source import head_of
from tests.unit.publisher.rendering.finance_batches import SHORTEST, delivery_batch, strategies_batch

OWNER = Signer(name="example.org/owner", seed=bytes(range(32)))
OWNED = "<script>document.title='owned'</script>\u202e\x00\"'><img src=x onerror=x>"
CROWD = 62
"""Models that, with two arms each, are more than a page of a batch and one of a board hold."""
_CASES = ("fund-nav", "order-history", "advice-wish")


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedSite:
    """A site in `below/path/` of a directory that can be served."""

    served: Path

    @property
    def directory(self) -> Path:
        """The site."""
        return self.served / SUB_PATH

    def root(self, origin: str) -> str:
        """The address of the site where a server has it, or on a disk where there is none."""
        return f"{origin}/{SUB_PATH}/" if origin else self.directory.as_uri() + "/"


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltSite(ServedSite):
    """A snapshot, and its site."""

    snapshot: Path

    @classmethod
    def build(cls, folder: Path, write: Callable[[Path], Path]) -> Self:
        """Both, in a folder of their own."""
        site = cls(snapshot=write(folder / "snapshot"), served=folder / "served")
        site.directory.parent.mkdir(parents=True)
        build_site(site.snapshot, site.directory)
        return site

    @property
    def kinds(self) -> Mapping[str, Sequence[str]]:
        """The names of its pages, by their kind."""
        return pages_by_kind(self.snapshot)


KindPages = Mapping[str, tuple[ServedSite, str]]
"""Of each kind a site, and a page of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sites:
    """The sites that hold every kind of page between them."""

    whole: BuiltSite
    crowded: BuiltSite
    previewed: ServedSite

    @classmethod
    def build(cls, folder: Path) -> Self:
        """All of them, in folders of their own."""
        return cls(
            whole=BuiltSite.build(folder / "whole", write_whole),
            crowded=BuiltSite.build(folder / "crowded", write_crowd),
            previewed=write_previewed(folder / "previewed"),
        )

    @property
    def each(self) -> tuple[ServedSite, ...]:
        """All of them."""
        return (self.whole, self.crowded, self.previewed)

    def first_pages(self) -> KindPages:
        """The page of each kind that is looked at first."""
        return {kind: self._first_page(kind, looked) for kind, looked in KINDS.items()}

    def _first_page(self, kind: str, looked: Looked) -> tuple[ServedSite, str]:
        match looked.site:
            case "whole":
                return self.whole, (looked.names or self.whole.kinds[kind])[0]
            case "crowded":
                return self.crowded, self.crowded.kinds[kind][0]
            case "previewed":
                return self.previewed, looked.names[0]
            case _:
                assert_never(looked.site)


def write_whole(directory: Path) -> Path:
    """Runs that passed, failed, were refused, cut off, superseded, withdrawn, withheld, revealed and judged again; all
    strategies; tools in a scene and searched for; hostile text in all places that hold words from outside."""
    batches = [
        make_batch(
            "batch-1",
            case_ids=[*_CASES, *(f"c-{number}" for number in range(8))],
            scenario=_cut_off,
            earlier=_stopped_before,
        ),
        make_batch("batch-2", text="\n".join(hostile_texts()), synthetic=True),
        make_batch("batch-3", text=OWNED),
        strategies_batch(SHORTEST),
        delivery_batch(),
        make_batch("judged", case_ids=_CASES),
        make_batch("withheld", case_ids=("kept",), withheld=("case", "steps", "gold")),
        make_batch("revealed", case_ids=("told",), withheld=("case",)),
        _judged_by_another(make_batch("again", case_ids=_CASES, replay_of="judged")),
    ]
    change = Change(
        withdrawn={"judged-0004": "its fixture gave a stale price"}, revealed={("revealed", "told"): ("case",)}
    )
    return write_released(directory, batches, change, signers=(OWNER,) * (len(batches) + 1))


def write_crowd(directory: Path) -> Path:
    """500 runs."""
    return write_crowded(directory, models=CROWD, cases=4)


def write_crowded(directory: Path, *, models: int, cases: int) -> Path:
    """Two runs of each case by each of so many models: long tables stand on pages of their own."""
    keys = tuple(f"model-{number:03}" for number in range(models))
    names = tuple(f"case-{number:02}" for number in range(cases))
    return write_snapshot(directory, [make_batch("crowd", case_ids=names, model_keys=keys)])


def write_previewed(folder: Path) -> ServedSite:
    """A preview of a batch that is under way, of one that withholds, and of one that the scan keeps back; with
    hostile text in all places that hold words from outside."""
    under_way = make_batch("batch-1", text="\n".join(hostile_texts()))
    begun = SampleSource.of(under_way)
    scanner = WordScanner()
    sources = [
        replace(begun, stored=replace(head_of(under_way), finished=False), rows=begun.rows[:5]),
        SampleSource.of(make_batch("batch-2", model_keys=("careful",), withheld=("case", "context", "gold"))),
        SampleSource.of(make_batch("batch-3", text=scanner.word)),
    ]
    site = ServedSite(served=folder / "served")
    site.directory.parent.mkdir(parents=True)
    preview(sources, site.directory, scanner, private=folder / "private")
    return site


def _cut_off(planned: PlannedRun) -> Scenario:
    return "truncated" if planned.position == 2 else default_scenario(planned)


def _stopped_before(planned: PlannedRun) -> tuple[Scenario, ...]:
    return ("stopped",) if planned.position == 2 else ()


def _judged_by_another(batch: SampleBatch) -> SampleBatch:
    return replace(batch, definition=batch.definition.model_copy(update={"judge_version": "fixed-rules-v2"}))
