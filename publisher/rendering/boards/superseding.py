"""Which board goes on where another stopped: the same template in a later version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.rendering.boards.board import Board
from publisher.rendering.language.message import Joined, Message, Sayable
from publisher.rendering.page_names import board_page


@dataclass(frozen=True, kw_only=True, slots=True)
class Superseding:
    """The board that superseded another: its name, its page, and what isn't the same in it."""

    name: str
    page: str
    differing: Sayable


def superseded_by(board: Board, boards: Sequence[Board]) -> Superseding | None:
    """The board of the latest version of a board's template; None where it has that version itself."""
    own = board.definition.template
    later = [b for b in boards if b.definition.template.id == own.id and b.definition.template.version > own.version]
    if not later:
        return None
    latest = max(later, key=lambda found: (found.definition.template.version, len(found.rows), found.anchor))
    template = latest.definition.template
    differing = [Message("template")]
    if latest.definition.bank_hash != board.definition.bank_hash:
        differing.append(Message("bank"))
    if latest.definition.judge_version != board.definition.judge_version:
        differing.append(Message("judge"))
    return Superseding(
        name=f"{template.id}@{template.version}", page=board_page(latest.slug), differing=Joined(tuple(differing))
    )
