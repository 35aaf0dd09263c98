"""One check of a run with the sections that it needs, so that a run whose sections are partly withheld is held to all
the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Concatenate, Generic, ParamSpec

from dataset.artifacts.artifact import Artifact
from publisher.verification.difference import Difference

P = ParamSpec("P")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCheck(Generic[P]):
    """A check of an artifact against itself, or against what else it is given (`P`).

    It is made where all sections in `needs` are shown. What it can say more with another section it says where
    `shows` has that one too. Provenance, digests and hash are always there and never named.
    """

    name: str
    needs: frozenset[str]
    differences: Callable[Concatenate[Artifact, P], Iterator[Difference]]


def run_check(differences: Callable[Concatenate[Artifact, P], Iterator[Difference]], *needs: str) -> RunCheck[P]:
    """The check that a function makes, under its name."""
    return RunCheck(name=differences.__name__.strip("_"), needs=frozenset(needs), differences=differences)


def shows(artifact: Artifact, *sections: str) -> bool:
    """Whether all these sections are there: one that is withheld is no attribute of the artifact."""
    return artifact.model_fields_set.issuperset(sections)


def made(checks: Sequence[RunCheck[P]], artifact: Artifact, *args: P.args, **kwargs: P.kwargs) -> Iterator[Difference]:
    """The differences of every check whose sections are shown, check by check."""
    for check in checks:
        if shows(artifact, *check.needs):
            yield from check.differences(artifact, *args, **kwargs)
