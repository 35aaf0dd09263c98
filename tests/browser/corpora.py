"""Labelled inputs from beside the repository; a checkout without them skips what needs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CORPORA = Path(__file__).parents[3] / "shared/corpora"


def hostile_texts() -> list[str]:
    """Texts that a model or tool may produce; a plain one where the corpus isn't there."""
    path = CORPORA / "hostile-texts/texts.json"
    texts: list[str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else ["a plain text"]
    return texts


def merkle_vectors(kind: str) -> list[dict[str, Any]]:
    """Proofs of RFC 9162, good and bad (`wantErr`)."""
    return [json.loads(path.read_bytes()) for path in _files(CORPORA / "merkle" / kind)]


def jcs_vectors() -> dict[str, tuple[str, str]]:
    """For each name of an RFC 8785 vector, the input and the canonical text."""
    return {
        path.stem: (path.read_text(encoding="utf-8"), (CORPORA / "jcs/output" / path.name).read_text(encoding="utf-8"))
        for path in _files(CORPORA / "jcs/input")
    }


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        pytest.skip(f"no corpus {folder.name} beside the repository")
    return sorted(folder.rglob("*.json"))
