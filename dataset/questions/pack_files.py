"""The files of a pack on disk: found, bounded, decoded. The only part of pack reading that touches the disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dataset.questions.guardrail_policy import DOCUMENTS
from dataset.questions.pack_fault import PackFault

MAX_FILE_BYTES = 1024 * 1024
"""A file of a pack is written and read by people; anything larger is a mistake."""

FileKind = Literal[
    "head", "tool", "scenes", "permissions", "fixtures", "case", "variants", "prompt", "guardrails", "template",
    "transcript", "readme",
]  # fmt: skip

_SLUG = r"[a-z0-9][a-z0-9-]{0,63}"
_NAME = r"[a-z][a-z0-9_]{0,63}"
LAYOUT: Mapping[FileKind, re.Pattern[str]] = {
    "head": re.compile(r"pack\.yaml"),
    "tool": re.compile(rf"tools/(?P<id>{_NAME})\.yaml"),
    "scenes": re.compile(r"scenes\.yaml"),
    "permissions": re.compile(r"permissions\.yaml"),
    "fixtures": re.compile(rf"fixtures/(?P<id>{_NAME})\.yaml"),
    "case": re.compile(rf"cases/(?P<id>{_SLUG})\.yaml"),
    "variants": re.compile(r"variants\.yaml"),
    "prompt": re.compile(rf"prompts/(?P<id>{_SLUG})\.v(?P<version>[1-9][0-9]{{0,3}})\.(?P<locale>en|zh)\.md"),
    "guardrails": re.compile(rf"guardrails/(?P<id>{'|'.join(DOCUMENTS)})\.yaml"),
    "template": re.compile(rf"templates/(?P<id>{_SLUG})\.yaml"),
    "transcript": re.compile(rf"transcripts/(?P<style>{_NAME})/(?P<id>{_SLUG})\.yaml"),
    "readme": re.compile(r"README\.md"),
}
"""Every file that a pack may hold, by its path inside the pack."""
REQUIRED_FILES = (
    "pack.yaml",
    "scenes.yaml",
    "permissions.yaml",
    "variants.yaml",
    *(f"guardrails/{name}.yaml" for name in DOCUMENTS),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PackFile:
    """One decoded file: what it is for, where it lies, the named parts of its path, and its text."""

    kind: FileKind
    file: str
    parts: Mapping[str, str]
    text: str


def read_files(directory: Path) -> tuple[tuple[PackFile, ...], tuple[PackFault, ...]]:
    """Every readable file of a pack in path order, and a fault for each that is missing, foreign or unreadable."""
    files: list[PackFile] = []
    faults: list[PackFault] = []
    present = sorted(_walk(directory))
    for file in present:
        found = _read_one(directory, file)
        if isinstance(found, PackFault):
            faults.append(found)
        elif found.kind != "readme":
            files.append(found)
    missing = (name for name in REQUIRED_FILES if name not in present)
    faults += [_fault("PACK-FILE-001", name, "the file is missing") for name in missing]
    return tuple(files), tuple(faults)


def _walk(directory: Path) -> Iterator[str]:
    """Every file, and every link to a directory (which is reported, never followed)."""
    for folder, directories, names in os.walk(directory, followlinks=False):
        links = [name for name in directories if Path(folder, name).is_symlink()]
        for name in (*names, *links):
            yield Path(folder, name).relative_to(directory).as_posix()


def _read_one(directory: Path, file: str) -> PackFile | PackFault:
    path = directory / file
    if not path.resolve().is_relative_to(directory.resolve()):
        return _fault("PACK-FILE-006", file, "the link leads out of the pack")
    kind, parts = kind_of(file)
    if kind is None:
        return _fault("PACK-FILE-007", file, "no file of a pack has this name; see docs/reference/pack-format.md")
    if not path.is_file():
        return _fault("PACK-FILE-001", file, "not a regular file")
    text = _text(path, file)
    return text if isinstance(text, PackFault) else PackFile(kind=kind, file=file, parts=parts, text=text)


def kind_of(file: str) -> tuple[FileKind | None, Mapping[str, str]]:
    """What a path inside a pack is for, with the named parts of the path; None where it has no place."""
    for kind, pattern in LAYOUT.items():
        if match := pattern.fullmatch(file):
            return kind, match.groupdict()
    return None, {}


def _text(path: Path, file: str) -> str | PackFault:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        return _fault("PACK-FILE-001", file, f"can't be read: {error.strerror}")
    if len(data) > MAX_FILE_BYTES:
        return _fault("PACK-FILE-005", file, f"larger than {MAX_FILE_BYTES} bytes")
    if data.startswith(b"\xef\xbb\xbf"):
        return _fault("PACK-FILE-003", file, "starts with a byte order mark: save it as plain UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _fault("PACK-FILE-002", file, f"not valid UTF-8 at byte {error.start}", line)
    return text if text.strip() else _fault("PACK-FILE-004", file, "the file is empty")


def _fault(code: str, file: str, message: str, line: int = 1) -> PackFault:
    return PackFault(code=code, file=file, line=line, path="", message=message)
