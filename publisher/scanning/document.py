"""What is scanned: bytes, how places name them, and whether they are JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from dataset.questions.prompt import PROMPT_MARKER

FIRST_LINE = 100
_PROMPT_HEADER = re.compile(re.escape(f"<!-- {PROMPT_MARKER} ".encode()) + rb"([a-z0-9-]+) v(\d+) ([a-zA-Z-]+) -->")
RUN_SCHEMA = b'"schema":"glassbench.run/'


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """`source` is how places name it. `first_line` is the number of its first line, 0 where lines mean nothing;
    `is_whole` is false for a piece of a document too large to be read at once, whose places go by line."""

    data: bytes
    source: str
    first_line: int = 1
    is_whole: bool = True

    def is_json(self) -> bool:
        """Whether it is one JSON object or array, so that pointers lead into it."""
        if not self.is_whole or self.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return False
        try:
            json.loads(self.data.decode("utf-8-sig", "surrogateescape"), parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            return False
        return True

    def is_run(self) -> bool:
        """Whether it says that it is the artifact of a run."""
        return RUN_SCHEMA in self.data

    def is_prompt_file(self) -> bool:
        """Whether it is a system prompt under the name that a pack gives it, in the folder of the prompts."""
        header = _PROMPT_HEADER.match(self.data)
        if not header:
            return False
        return self.source.endswith("prompts/{}.v{}.{}.md".format(*(part.decode() for part in header.groups())))
