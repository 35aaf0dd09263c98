"""A judge settles what a gold asks from the recorded evidence alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dataset.artifacts.artifact import JudgmentSection, OutputCheck
from dataset.measures.observation import Evidence
from dataset.questions.gold import Gold


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """Every settled assertion and the verdict that follows from them."""

    checks: tuple[OutputCheck, ...]
    judgment: JudgmentSection


class Judge(Protocol):
    """Returns a verdict or raises; it never turns a fault of its own into a score."""

    version: str

    def judge(self, gold: Gold, evidence: Evidence) -> Judged:
        """The settled assertions and the verdict."""
        ...
