"""Every way a file of the release log, or a key, can be refused."""

from __future__ import annotations

from dataset.errors import GlassbenchError


class MalformedError(GlassbenchError):
    """Bytes or text that aren't what they should be: a key, note, checkpoint, proof, bundle or entry."""

    code = "LOG-FORM-001"


class EntryOrderError(GlassbenchError):
    """Entries that can't follow what the log holds."""

    code = "LOG-ORDER-001"


class KeyFileError(GlassbenchError):
    """A signing key can't be made, chosen or read.

    `KEY-NAME-001` no name for a key · `KEY-FILE-001` the file exists already · `KEY-FILE-002` there is none ·
    `KEY-FILE-003` others may read it, or it isn't a file of our own · `KEY-FILE-004` it isn't a signing key ·
    `KEY-FILE-005` it can't be opened or written · `KEY-GIT-001` it would stand in a git work tree ·
    `KEY-CHOICE-001` several, and none named · `KEY-CHOICE-002` none.
    """

    code = "KEY-FILE-002"
