"""A snapshot that is being written beside its target: folders are made as files need them, and all made durable."""

from __future__ import annotations

from pathlib import Path

from publisher.projection.file_system import FileSystem
from publisher.verification.files import FOLDERS


class Staged:
    """A directory that fills with files by their names in the snapshot. Every method raises OSError."""

    def __init__(self, root: Path, files: FileSystem) -> None:
        self._root = root
        self._files = files
        self._folders: dict[Path, None] = {root: None}
        for folder in FOLDERS:
            self._make(root / folder)

    def write(self, name: str, data: bytes) -> None:
        """A new file."""
        self._files.write(self._place(name), data)

    def carry(self, source: Path, name: str) -> None:
        """A file of the snapshot before, byte for byte."""
        self._files.carry(source, self._place(name))

    def sync(self) -> None:
        """Makes the names in every folder durable, those of inner folders first."""
        for folder in reversed(self._folders):
            self._files.sync_directory(folder)

    def _place(self, name: str) -> Path:
        path = self._root / name
        self._make(path.parent)
        return path

    def _make(self, folder: Path) -> None:
        if folder not in self._folders:
            self._make(folder.parent)
            self._files.make_directory(folder)
            self._folders[folder] = None
