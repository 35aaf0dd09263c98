"""Snapshots whose sites hold every kind of page between them: a small one of many fates, and a crowded one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from dataset.artifacts.definition import PlannedRun
from publisher.release_log.note import Signer
from publisher.rendering.site import build_site
from tests.browser.corpora import hostile_texts
from tests.browser.kinds import KINDS, pages_by_kind
from tests.browser.visit import SUB_PATH
from tests.factories import SampleBatch, Scenario, default_scenario, make_batch, write_snapshot
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.finance_batches import SHORTEST, delivery_batch, strategies_batch

OWNER = Signer(name="example.org/owner", seed=bytes(range(32)))
OWNED = "<script>document.title='owned'</script>\u202e\x00\"'><img src=x onerror=x>"
CROWD = 62
"""Models that, with two arms each, are more than a page of a batch and one of a board hold."""
_CASES = ("fund-nav", "order-history", "advice-wish")


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltSite:
    """A snapshot, and its site in `below/path/` of a directory that can be served."""

    snapshot: Path
    served: Path

    @classmethod
    def build(cls, folder: Path, write: Callable[[Path], Path]) -> Self:
        """Both, in a folder of their own."""
        site = cls(snapshot=write(folder / "snapshot"), served=folder / "served")
        site.directory.parent.mkdir(parents=True)
        build_site(site.snapshot, site.directory)
        return site

    @property
    def directory(self) -> Path:
        """The site."""
        return self.served / SUB_PATH

    @property
    def kinds(self) -> Mapping[str, Sequence[str]]:
        """The names of its pages, by their kind."""
        return pages_by_kind(self.snapshot)

    def root(self, origin: str) -> str:
        """The address of the site where a server has it, or on a disk where there is none."""
        return f"{origin}/{SUB_PATH}/" if origin else self.directory.as_uri() + "/"


KindPages = Mapping[str, tuple[BuiltSite, str]]
"""Of each kind a site, and a page of it."""


def first_pages(whole: BuiltSite, crowded: BuiltSite) -> KindPages:
    """The page of each kind that is looked at first."""
    small, large = whole.kinds, crowded.kinds
    return {
        kind: (crowded, large[kind][0]) if looked.crowded else (whole, (looked.names or small[kind])[0])
        for kind, looked in KINDS.items()
    }


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


def write_crowded(directory: Path, *, models: int, cases: int) -> Path:
    """Two runs of each case by each of so many models: long tables stand on pages of their own."""
    keys = tuple(f"model-{number:03}" for number in range(models))
    names = tuple(f"case-{number:02}" for number in range(cases))
    return write_snapshot(directory, [make_batch("crowd", case_ids=names, model_keys=keys)])


def _cut_off(planned: PlannedRun) -> Scenario:
    return "truncated" if planned.position == 2 else default_scenario(planned)


def _stopped_before(planned: PlannedRun) -> tuple[Scenario, ...]:
    return ("stopped",) if planned.position == 2 else ()


def _judged_by_another(batch: SampleBatch) -> SampleBatch:
    return replace(batch, definition=batch.definition.model_copy(update={"judge_version": "fixed-rules-v2"}))
