"""Checkpoints of C2SP tlog-checkpoint: what a log held at one size, as a signed note or, unsigned, as its text alone.

https://c2sp.org/tlog-checkpoint
"""

from __future__ import annotations

from dataclasses import dataclass

from publisher.release_log.errors import MalformedError
from publisher.release_log.lines import base64_text, read_decimal, read_hash
from publisher.release_log.note import Note, Signature, Signer, read_note, read_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """Which log, how many entries, and the root of their tree."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The text of the note."""
        return f"{self.origin}\n{self.size}\n{base64_text(self.root)}\n"

    def data(self, signer: Signer | None) -> bytes:
        """The file: a note signed by the signer, or the text alone where there is none."""
        text = self.text()
        return text.encode() if signer is None else Note(text=text, signatures=(signer.sign(text),)).data()


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadCheckpoint:
    """A checkpoint as it was read, with its note; the note of an unsigned one has no signatures."""

    checkpoint: Checkpoint
    note: Note

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The signature lines, which nothing is known of yet."""
        return self.note.signatures

    def data(self) -> bytes:
        """The file that it was read from."""
        return self.note.data() if self.signatures else self.note.text.encode()


def read_checkpoint(data: bytes) -> ReadCheckpoint:
    """The checkpoint in a file; MalformedError. Extension lines, which we never write, are passed over."""
    text = read_text(data)
    note = read_note(data) if "\n\n" in text else Note(text=text, signatures=())
    lines = note.text.removesuffix("\n").split("\n")
    if len(lines) < 3 or not all(lines):
        raise MalformedError("a checkpoint has an origin, a size and a root, each on its line, and no empty line")
    return ReadCheckpoint(
        checkpoint=Checkpoint(origin=lines[0], size=read_decimal(lines[1]), root=read_hash(lines[2])), note=note
    )
