"""What a layer is: one way to read what a text hides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from publisher.scanning.text import Reading


class Layer(Protocol):
    """One way of hiding text, undone. Pure; safe to share between threads."""

    @property
    def marks(self) -> tuple[re.Pattern[bytes], ...]:
        """Patterns of which one occurs in every text that has a reading."""
        ...

    def readings(self, data: bytes) -> Iterator[Reading]:
        """What the text hides; nothing where it hides nothing."""
        ...
