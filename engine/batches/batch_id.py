"""Names for new batches."""

from __future__ import annotations

import secrets
from datetime import datetime

from dataset.questions.template import Template
from dataset.record import BatchId


def new_batch_id(template: Template, now: datetime) -> BatchId:
    """Template, day and six random hexadecimal digits: safe as a file name, told apart by a person."""
    return BatchId(f"{template.id[:32]}-{now:%Y%m%d}-{secrets.token_hex(3)}")
