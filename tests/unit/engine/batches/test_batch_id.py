"""A batch's name is safe as a file name and told apart from any other."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from engine.batches.batch_id import new_batch_id
from engine.batches.template_choice import UnknownTemplateError, choose_template
from tests.factories import make_template
from tests.factories.finance import finance_pack

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_a_batch_id_says_template_and_day_and_is_a_slug_with_room_for_positions() -> None:
    assert re.fullmatch(r"contrast-20260102-[0-9a-f]{6}", new_batch_id(make_template(), NOW))
    longest = make_template().model_copy(update={"id": "t" * 64})
    run_id = f"{new_batch_id(longest, NOW)}-123456"
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", run_id)


def test_two_batches_of_one_second_differ() -> None:
    assert len({new_batch_id(make_template(), NOW) for _ in range(100)}) == 100


def test_an_unknown_template_lists_those_there_are_the_closest_first() -> None:
    with pytest.raises(UnknownTemplateError, match="pack finance has no template 'englsh'; it has: english, context, "):
        choose_template(finance_pack(), "englsh")
